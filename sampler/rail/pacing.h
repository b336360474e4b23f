// SPDX-License-Identifier: BSD-3-Clause
//
// How much of each experiment goes into a block: batches long enough for the timer and the noise,
// repetitions short enough for the budget, and shuffled passes so that competitors alternate.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sampler/rail/evidence.h"

namespace nmt::sampler {

inline constexpr std::uint32_t kPasses = 3;  // per full visit

class Pacing {
 public:
  struct Limits {
    double timer_cost_ns = 0;      // of one reading
    double repetition_ns_min = 0;  // a shorter one is mostly noise of the machine
    double visit_ns_max = 0;       // per experiment and block, if that allows
                                   // one repetition per pass
  };
  Pacing(const Evidence& evidence, const Limits& limits) : evidence_(evidence), limits_(limits) {}

  // Interleaves the experiments: `passes` over all of them, each in a random order.
  std::vector<Step> interleave(std::vector<Experiment> experiments, std::uint32_t passes,
                               std::mt19937_64& random) const;

  // `repetitions` of each experiment, in order.
  std::vector<Step> glance(const std::vector<Experiment>& experiments,
                           std::uint32_t repetitions) const;

  // Expected duration of interleave().
  double cost_ns(const std::vector<Experiment>& experiments, std::uint32_t passes) const;

 private:
  std::uint32_t batch(const Experiment& experiment) const;
  std::uint32_t repetitions_per_pass(const Experiment& experiment) const;
  std::uint32_t warm_ups(const Experiment& experiment) const;
  double exchange_ns(const Experiment& experiment) const;

  const Evidence& evidence_;
  Limits limits_;
};

}  // namespace nmt::sampler
