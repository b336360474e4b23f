// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bench/alltoall/groups.h"
#include "bench/row.h"
#include "core/statistics.h"
#include "tests/contention/planted.h"
#include "tests/runtime/planted.h"

namespace nmt::bench {
namespace {

Plan with_fitted_signature() {
  const planted::Measuring measuring{.ranks = {8, 12, 16, 24}};
  Plan plan = planted::plan({});
  plan.signatures = {contention::fit_signature(planted::measure({}, measuring, 1), {}).signature};
  return plan;
}

// What nobody's branch predictor learns.
std::vector<nmt_exchange> random_exchanges() {
  constexpr std::size_t kQuestions = std::size_t{1} << 16;
  std::mt19937_64 random(2);
  std::uniform_int_distribution<std::uint32_t> ranks(2, 64);
  std::uniform_real_distribution<> exponent(6, 24);
  std::vector<nmt_exchange> all(kQuestions);
  for (nmt_exchange& exchange : all) {
    exchange.struct_bytes = sizeof exchange;
    exchange.ranks = ranks(random);
    exchange.ranks_per_node = 1;
    exchange.size_bytes = static_cast<std::uint64_t>(std::exp2(exponent(random)));
    exchange.algorithm = "direct";
  }
  return all;
}

}  // namespace

void answer_time() {
  constexpr int kTries = 21;
  const planted::Profile profile(with_fitted_signature());
  const std::vector<nmt_exchange> asked = random_exchanges();
  std::vector<double> tries_ns;
  double sum_ns = 0;
  for (int i = 0; i < kTries; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    for (const nmt_exchange& exchange : asked) {
      nmt_prediction prediction;
      prediction.struct_bytes = sizeof prediction;
      if (nmt_alltoall(profile.get(), &exchange, &prediction) == NMT_OK) {
        sum_ns += prediction.duration_ns;
      }
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    tries_ns.push_back(took.count() / static_cast<double>(asked.size()));
  }
  constexpr double kGoalNs = 200;
  if (sum_ns > 0) {
    print_row("alltoall", "prediction through the C ABI", median(tries_ns), "ns", Goal::kAtMost,
              kGoalNs);
  }
}

}  // namespace nmt::bench
