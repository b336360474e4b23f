// SPDX-License-Identifier: BSD-3-Clause
//
// Which pairs of nodes are measured at the same time: rounds in which no node is in two pairs.
//
// Pure. All pairs of N nodes make N - 1 rounds, or N if N is odd (the circle method: one node
// stays, the others rotate). A selection of pairs is the first of these rounds, in which every node
// has about as many pairs: a slow node shows in each of its pairs.
//
// After one rank of each node alone, several ranks of each node measure at the same time: all of a
// node first, because a job runs on them, then fewer.
//
// Most pairs of a large job repeat what others have shown, and each would add some 60 rows to the
// profile. So only the first pairs measure all sizes; the others measure what pairs are compared by
// (kLandmarksBytes in core/sample.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nmt::sampler {

struct NodePair {
  std::size_t near = 0;
  std::size_t far = 0;
  bool operator==(const NodePair&) const = default;
};
using Round = std::vector<NodePair>;

std::vector<Round> rounds_of_all_pairs(std::size_t nodes);
// The first `count` of them, or all if there are fewer.
std::vector<Round> rounds_of_some_pairs(std::size_t nodes, std::size_t count);

// The ranks that both nodes of the pair have.
std::size_t ranks_of(const NodePair& pair, std::span<const std::size_t> ranks_of_nodes);

// The numbers of ranks above one for nodes of `most` ranks, in the order in which they are
// measured: all of them, then the powers of two below.
std::vector<std::size_t> numbers_of_ranks(std::size_t most);

struct RoundOfRanks {
  Round pairs;
  std::size_t ranks_per_node = 1;
  std::size_t in_full = 0;  // so many pairs, the first, measure all sizes; others the landmarks
  bool operator==(const RoundOfRanks&) const = default;
};
// The first `rounds_max` of: each of these rounds with each of these numbers, where pairs have so
// many ranks. All numbers of the first round come before the second round, which adds pairs.
std::vector<RoundOfRanks> rounds_of_ranks(std::span<const Round> rounds,
                                          std::span<const std::size_t> numbers,
                                          std::span<const std::size_t> ranks_of_nodes,
                                          std::size_t rounds_max);

// More than the rounds of 64 nodes have, so that up to there each pair that is measured is measured
// in full. Of 57 rows with 760 B each they take 11 MB of the profile, of the 20 MB that it may
// have.
inline constexpr std::size_t kPairsInFullMax = 256;

// Of the pairs of each two platforms and each number of ranks, the first kPairsInFullMax measure
// all sizes; they come to the front of their rounds. `platforms`: of each node.
void choose_in_full(std::span<const std::string> platforms, std::span<RoundOfRanks> rounds);

// These pairs in their order, each in the first round in which its nodes are free.
std::vector<Round> rounds_of(std::span<const NodePair> pairs);

}  // namespace nmt::sampler
