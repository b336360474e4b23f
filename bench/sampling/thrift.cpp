// SPDX-License-Identifier: BSD-3-Clause
//
// What a quick profile saves, and what that costs: a campaign of 20 s on this node's rails against
// measuring every power of two and its midpoint 100 times, both judged at the same held-out sizes.
#include <algorithm>
#include <cstdio>
#include <random>

#include "bench/row.h"
#include "bench/sampling/collect.h"
#include "bench/sampling/groups.h"
#include "core/statistics.h"
#include "node/node.h"
#include "sampler/rail/measurement_space.h"
#include "sampler/rail/pacing.h"
#include "sampler/rail/partner.h"
#include "tuner/tuner.h"

namespace nmt::bench {
namespace {

constexpr double kQuickBudgetNs = 20e9;
constexpr std::uint32_t kExhaustiveRepetitions = 100;
constexpr std::uint32_t kPassesOfTen = 10;
constexpr double kRepetitionNsMin = 500e3;  // as in a campaign: a repetition means the same

std::vector<std::uint64_t> exhaustive_sizes(std::uint64_t size_bytes_max) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size <= size_bytes_max; size *= 2) {
    sizes.push_back(size);
    if (size >= 2 && size * 3 / 2 <= size_bytes_max) sizes.push_back(size * 3 / 2);
  }
  return sizes;
}

// Every experiment at every size of the list, hot and cold, 100 times, competitors alternating.
std::vector<Sample> measure_exhaustively(const sampler::RailToSample& each,
                                         const sampler::SamplingOptions& options,
                                         std::size_t* repetitions) {
  const RealClock clock;
  const node::CorePair cores = node::nearest_cores();
  const sampler::Buffers buffers(options.size_bytes_max, node::private_cache_bytes());
  const auto partner = sampler::fork_partner({}, {&each, 1}, buffers, cores, clock);
  sampler::PingPong ping_pong(*partner, buffers, nullptr);
  const sampler::MeasurementSpace space{each.driver->methods(each.rail), options.size_bytes_max,
                                        options.max_unexpected_bytes};
  Sample prototype;
  prototype.condition.placement = node::placement(cores.near, cores.far);
  sampler::Evidence evidence(prototype, options.precision, {});
  sampler::Pacing pacing(evidence,
                         {.timer_cost_ns = clock.cost_ns(), .repetition_ns_min = kRepetitionNsMin});
  std::mt19937_64 random(options.seed);
  std::uint32_t round = 0;
  for (const std::uint64_t size : exhaustive_sizes(options.size_bytes_max)) {
    for (const sampler::Regime regime : {sampler::Regime::kHot, sampler::Regime::kCold}) {
      std::vector<sampler::Experiment> experiments = sampler::experiments_at(space, regime, size);
      const sampler::BlockResult glance = ping_pong.run(pacing.glance(experiments, 1));
      for (std::size_t i = 0; i < experiments.size(); ++i) {
        evidence.note_guess(experiments[i], double(glance.totals_ns[i][0]) / 2);
      }
      for (std::uint32_t pass = 0; pass < kPassesOfTen; ++pass) {
        std::shuffle(experiments.begin(), experiments.end(), random);
        const auto steps = pacing.glance(experiments, kExhaustiveRepetitions / kPassesOfTen);
        const sampler::BlockResult result = ping_pong.run(steps);
        for (std::size_t i = 0; i < steps.size(); ++i) {
          std::vector<Repetition> measured;
          for (const std::uint64_t total_ns : result.totals_ns[i]) {
            measured.push_back(
                {total_ns, steps[i].batch * sampler::operations(experiments[i]), round});
          }
          *repetitions += measured.size();
          evidence.add(experiments[i], false, measured, 0);
        }
      }
      ++round;
    }
  }
  return evidence.session_samples();
}

double worst_regret(const Verification& verification) {
  double worst = 0;
  for (const auto& decision : verification.decisions) worst = std::max(worst, decision.regret_p95);
  return worst;
}

}  // namespace

void thrift() {
  const auto drivers = drivers::make_drivers();
  std::vector<sampler::RailToSample> rails;
  for (const auto& driver : drivers) {
    for (const Rail& rail : driver->detect().rails) rails.push_back({driver.get(), rail});
  }
  const sampler::SamplingOptions options{.budget_ns = kQuickBudgetNs};
  std::fprintf(stderr, "thrift: quick profile\n");
  const Collected quick = collect(rails, options);
  std::size_t quick_repetitions = 0;
  for (const sampler::RailReport& rail : quick.report.rails) {
    quick_repetitions += rail.repetitions + rail.watch_repetitions;
  }
  std::size_t exhaustive_repetitions = 0;
  std::vector<SampleSet> exhaustive;
  const RealClock clock;
  const double start_ns = double(clock.now_ns());
  for (std::size_t i = 0; i < rails.size(); ++i) {
    std::fprintf(stderr, "thrift: exhaustive, %s\n", rails[i].rail.full_name().c_str());
    exhaustive.push_back(sample_set(
        rails[i].rail, i, measure_exhaustively(rails[i], options, &exhaustive_repetitions)));
  }
  const double exhaustive_ns = double(clock.now_ns()) - start_ns;
  std::fprintf(stderr, "thrift: truth\n");
  sampler::SamplingOptions truth_options = options;
  truth_options.verify = true;
  truth_options.seed = options.seed + 1;
  const Collected truth = collect(rails, truth_options);

  const Plan quick_plan = tuner::derive_plan(Id{}, quick.sets, {});
  const Plan exhaustive_plan = tuner::derive_plan(Id{}, exhaustive, {});
  print_row("sampling", "quick: repetitions saved, times fewer than exhaustive",
            double(exhaustive_repetitions) / double(quick_repetitions), "x", Goal::kAtLeast, 7);
  print_row("sampling", "quick: time saved, times shorter than exhaustive",
            exhaustive_ns / kQuickBudgetNs, "x");
  const double quick_regret = 100 * worst_regret(tuner::verify(quick_plan, truth.sets));
  const double exhaustive_regret = 100 * worst_regret(tuner::verify(exhaustive_plan, truth.sets));
  print_row("sampling", "quick: regret p95, worst decision", quick_regret, "%");
  print_row("sampling", "exhaustive: regret p95, worst decision", exhaustive_regret, "%");
  print_row("sampling", "quick: regret above that of exhaustive",
            std::max(0.0, quick_regret - exhaustive_regret), "%", Goal::kAtMost, 1);
}

}  // namespace nmt::bench
