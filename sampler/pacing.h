// SPDX-License-Identifier: BSD-3-Clause
//
// How much of each experiment goes into a block: batches long enough for the timer, repetitions
// short enough for the budget, passes shuffled so that competitors alternate.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sampler/evidence.h"

namespace nmt {

class Pacing {
 public:
  // One experiment takes at most `visit_ns_max` of one block, where that allows a repetition per
  // pass.
  Pacing(const Evidence& evidence, double timer_cost_ns, double visit_ns_max)
      : evidence_(evidence), timer_cost_ns_(timer_cost_ns), visit_ns_max_(visit_ns_max) {}

  // The experiments interleaved: some passes over all of them, each in an order of its own.
  std::vector<Step> interleave(std::vector<Experiment> experiments, std::mt19937_64& random) const;

  // `repetitions` of each experiment, in order.
  std::vector<Step> glance(const std::vector<Experiment>& experiments,
                           std::uint32_t repetitions) const;

  double cost_ns(const std::vector<Experiment>& experiments) const;  // of interleave(), expected

 private:
  std::uint32_t batch(const Experiment& experiment) const;
  std::uint32_t repetitions_per_pass(const Experiment& experiment) const;
  std::uint32_t warm_ups(const Experiment& experiment) const;
  double exchange_ns(const Experiment& experiment) const;

  const Evidence& evidence_;
  double timer_cost_ns_;
  double visit_ns_max_;
};

}  // namespace nmt
