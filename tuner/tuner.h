// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the tuner: samples in, plan out. Pure: no clock, no files, no chance that is not seeded.
//
// Thresholds minimise total regret over the sampled sizes (docs/method.md; papers "sampling-based
// auto-tuning", II-B, II-D, III-B), from ratios taken inside rounds, so that a drifting machine
// cannot move them. Curves are medians with drift between rounds and sessions removed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/sample.h"
#include "tuner/segments.h"  // of collectives
#include "tuner/shares.h"    // of sizes

namespace nmt {

// Two choices within this of each other count as equal: neither is regretted.
inline constexpr double kEquivalence = 0.01;

struct TuneOptions {
  std::uint64_t max_unexpected_bytes = std::uint64_t{64} << 10;  // where the campaign says nothing
  std::uint64_t seed = 1;                                        // of the bootstrap
};

// One RailPlan per path, regime, placement and busy rails found in the sets. Sets of several
// campaigns or sessions of one path are pooled: their common speed is the centre of theirs. Beside
// busy rails the methods are those that the rail's thresholds choose alone.
Plan derive_plan(const Id& platform, std::span<const SampleSet> sets, const TuneOptions& options);

// Truth: held-out samples of the sets against the plan's predictions and decisions.
Verification verify(const Plan& plan, std::span<const SampleSet> sets);

struct Prediction {
  std::string method;
  double duration_ns = 0;
  double low_ns = 0;
  double high_ns = 0;
  bool extrapolated = false;  // beyond the largest size measured
  bool operator==(const Prediction&) const = default;
};
// Duration of one transfer; without a method, by the one that the thresholds choose (copy, iovec
// or rendezvous). nullopt where the plan has no such curve.
std::optional<Prediction> predict_transfer(const RailPlan& rail, std::uint64_t size_bytes,
                                           std::optional<Method> method);

// What each of several rails carries of messages of one size, alone and while the others are busy.
struct RailSpeed {
  std::string rail;
  double alone_bytes_per_second = 0;
  double together_bytes_per_second = 0;
};
struct Together {
  std::string regime;
  std::string placement;
  std::uint64_t size_bytes = 0;
  std::vector<RailSpeed> rails;

  double share_of_sum() const;  // 1: nothing is lost by using them at the same time
};
// Every set of rails of which each was measured beside all others, at some large sizes.
std::vector<Together> rails_together(const Plan& plan);

// Memory that a rendezvous has to register first, at each end, and from which size on it pays
// nevertheless. Sizes between the measured ones by interpolation.
struct Registration {
  std::string rail;
  std::string regime;
  std::string placement;
  struct Cost {
    std::uint64_t size_bytes = 0;
    double cold_ns = 0;    // memory that the rail never saw
    double cached_ns = 0;  // that it knows
  };
  std::vector<Cost> costs;
  std::optional<std::uint64_t> rendezvous_cached_bytes;  // nullopt: never
  std::optional<std::uint64_t> rendezvous_cold_bytes;
};
std::vector<Registration> registrations(const Plan& plan);  // of rails that register

// What a foreign threshold costs: the thresholds of `from` applied to `on`, against its own best
// curves at every sampled size (the first paper's figures 9 to 18).
struct ForeignRegret {
  std::string from;
  std::string on;
  DecisionKind kind = DecisionKind::kIovec;
  double mean = 0;
  double worst = 0;
  std::uint64_t worst_size_bytes = 0;
};
std::vector<ForeignRegret> compare(std::span<const RailPlan> rails);

}  // namespace nmt
