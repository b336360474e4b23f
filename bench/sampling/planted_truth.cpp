// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <vector>

#include "bench/row.h"
#include "bench/sampling/groups.h"
#include "bench/sampling/planted.h"
#include "core/statistics.h"

namespace nmt::bench {
namespace {

constexpr std::uint64_t kSeeds = 20;
constexpr std::size_t kLaunches = 5;
constexpr double kBudgetNs = 30e9;  // of virtual time, per rail

void one_launch_each() {
  std::vector<double> regrets;
  std::vector<double> worst;
  std::vector<double> errors;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::fprintf(stderr, "planted truth: seed %d of %d\n", int(seed), int(kSeeds));
    const PlantedResult result = run_planted(planted_rails(), {seed}, kBudgetNs);
    regrets.insert(regrets.end(), result.regrets.begin(), result.regrets.end());
    worst.push_back(quantile(result.regrets, 0.95));
    errors.push_back(median(result.curve_errors));
  }
  print_row("sampling", "planted: regret, p95 over sizes, rails and 20 seeds",
            100 * quantile(regrets, 0.95), "%", Goal::kAtMost, 1);
  print_row("sampling", "planted: regret, p95 over sizes and rails, worst seed",
            100 * *std::max_element(worst.begin(), worst.end()), "%", Goal::kAtMost, 1);
  print_row("sampling", "planted: curve error at unseen sizes, median, worst seed",
            100 * *std::max_element(errors.begin(), errors.end()), "%", Goal::kAtMost, 2);
}

void several_launches_pooled() {
  std::vector<double> errors;
  for (std::uint64_t group = 0; group < kSeeds; ++group) {
    std::fprintf(stderr, "planted truth: five launches, %d of %d\n", int(group + 1), int(kSeeds));
    std::vector<std::uint64_t> seeds;
    for (std::size_t i = 0; i < kLaunches; ++i) seeds.push_back(1000 + kLaunches * group + i);
    const PlantedResult result = run_planted(planted_rails(), seeds, kBudgetNs / kLaunches);
    errors.push_back(quantile(result.speed_errors, 1));
  }
  print_row("sampling", "planted: speed error of five launches pooled, median",
            100 * median(errors), "%", Goal::kAtMost, 4);
  print_row("sampling", "planted: speed error of five launches pooled, p95 of 20",
            100 * quantile(errors, 0.95), "%", Goal::kAtMost, 4);
}

}  // namespace

void planted_truth() {
  one_launch_each();
  several_launches_pooled();
}

}  // namespace nmt::bench
