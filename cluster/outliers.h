// SPDX-License-Identifier: BSD-3-Clause
//
// Which node, link or rail of a cluster is slower than the others, and how sure that is.
//
// Every pair of nodes has a duration in each launch that measured it. log(duration) = usual + node
// + node + link + noise, and almost all effects are 0. A node is out of line if the durations of
// its pairs rank too high among those of all pairs; it is then taken out, and the next is looked
// for. A link is out of line if its own launches still rank too high: a link that was measured once
// cannot be told from noise, so it is suspected, and measured again. The probabilities are those of
// ranks (rank_sum.h), so that no distribution of the noise is assumed, and are multiplied as
// Benjamini and Yekutieli (2001) do for many tests that depend on one another, over all nodes,
// links, rails and both figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/statistics.h"

namespace nmt::cluster {

// Of the smallest message and of the largest, among the sizes that nine nodes of ten have exchanged
// with at least half of their partners.
enum class Figure { kLatency, kBandwidth };
std::string_view to_string(Figure figure);

// One pair of nodes, one rail, one launch, one size.
struct PairTime {
  std::string near, far;  // hosts
  std::string rail;       // of the pair; those of one name are compared
  std::uint64_t size_bytes = 0;
  std::string launch;  // launches of one time share their drift, which is removed; may be empty
  double duration_ns = 0;
};

enum class Culprit { kNode, kLink, kRail };
std::string_view to_string(Culprit culprit);

struct Outlier {
  Culprit culprit = Culprit::kNode;
  std::string node;
  std::string peer;  // of a link, else empty
  std::string rail;  // empty: all rails of the node
  Figure figure = Figure::kLatency;
  double ratio = 1;       // of its durations to the usual ones
  Interval interval;      // 95 %
  double chance = 1;      // how often chance would name something so, in a cluster like this
  std::size_t pairs = 0;  // that show it
};

struct NextPair {
  std::string near, far;
  std::string rail;
  std::string reason;  // "node07 is suspected", "was slow once"
};

struct OutlierOptions {
  double chance_max = 0.001;  // of any alarm where nothing is wrong
  double slower_min = 0.05;   // smaller differences are not named, however sure they are
};

struct OutlierFindings {
  std::vector<Outlier> outliers;  // nodes, then rails, then links; the slowest first
  std::vector<NextPair> next;     // pairs to measure to be sure; the most suspected first
  std::size_t nodes = 0, pairs = 0, tests = 0;
  // Whether so many pairs could name any node at all; if not, no outlier says nothing.
  bool can_say = false;
};

// Rounds of suspected pairs that a campaign measures after all others. A link that is a fifth
// slower where launches differ by a tenth needs about so many to be told from noise.
inline constexpr std::size_t kSuspectedRoundsMax = 9;
inline constexpr std::size_t kNodesToCompareMin = 4;  // fewer cannot be told apart

// How many rounds of pairs a campaign measures, with no node in two pairs of a round: ceil(log2
// nodes), or more where these could not name a node whose pairs are all the slowest ones, with a
// probability of a tenth of `chance_max`. All rounds there are, if all are too few.
std::size_t rounds_to_tell(std::size_t nodes, const OutlierOptions& options = {});

OutlierFindings find_outliers(std::span<const PairTime> times, const OutlierOptions& options = {});

}  // namespace nmt::cluster
