// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/pacing.h"

#include <algorithm>
#include <cmath>

namespace nmt::sampler {
namespace {

constexpr double kTimerShare = 0.005;  // share of a repetition that the timer may cost
constexpr double kBatchMax = 10000;
// More repetitions in one block would say more about that block but not about the cell: rounds
// differ by more than repetitions do.
constexpr double kRepetitionsPerPassMax = 2;

}  // namespace

double Pacing::exchange_ns(const Experiment& experiment) const {
  return std::max(1.0, evidence_.guess_ns(experiment) * operations(experiment));
}

std::uint32_t Pacing::batch(const Experiment& experiment) const {
  const double needed_ns = std::max(limits_.timer_cost_ns / kTimerShare, limits_.repetition_ns_min);
  if (evidence_.guess_ns(experiment) <= 0) return 1;  // nothing is known: it may take long
  const double needed = std::ceil(needed_ns / exchange_ns(experiment));
  return static_cast<std::uint32_t>(std::clamp(needed, 1.0, kBatchMax));
}

std::uint32_t Pacing::repetitions_per_pass(const Experiment& experiment) const {
  const double each_ns = exchange_ns(experiment) * batch(experiment);
  return static_cast<std::uint32_t>(
      std::clamp(limits_.visit_ns_max / each_ns / kPasses, 1.0, kRepetitionsPerPassMax));
}

// One exchange loads the buffers into the caches. If one repetition fills a pass, the messages are
// larger than any cache.
std::uint32_t Pacing::warm_ups(const Experiment& experiment) const {
  return repetitions_per_pass(experiment) == 1 ? 0 : 1;
}

std::vector<Step> Pacing::interleave(std::vector<Experiment> experiments, std::uint32_t passes,
                                     std::mt19937_64& random) const {
  std::vector<Step> steps;
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    std::shuffle(experiments.begin(), experiments.end(), random);
    for (const Experiment& e : experiments) {
      steps.push_back({e, warm_ups(e), repetitions_per_pass(e), batch(e)});
    }
  }
  return steps;
}

std::vector<Step> Pacing::glance(const std::vector<Experiment>& experiments,
                                 std::uint32_t repetitions) const {
  std::vector<Step> steps;
  for (const Experiment& e : experiments) steps.push_back({e, 1, repetitions, batch(e)});
  return steps;
}

double Pacing::cost_ns(const std::vector<Experiment>& experiments, std::uint32_t passes) const {
  double cost_ns = 0;
  for (const Experiment& e : experiments) {
    const double exchanges = repetitions_per_pass(e) * batch(e) + warm_ups(e);
    cost_ns += passes * exchanges * exchange_ns(e);
  }
  return cost_ns;
}

}  // namespace nmt::sampler
