// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <vector>

#include "bench/alltoall/groups.h"
#include "bench/row.h"
#include "core/statistics.h"
#include "tests/contention/planted.h"

namespace nmt::bench {

// The whole of it: cells, M, form, the test of delta and the intervals.
void fit_time() {
  constexpr int kTries = 11;
  const planted::Measuring measuring{.ranks = {8, 12, 16, 24}, .repetitions = 18};
  const contention::AlltoallTimes measured = planted::measure({}, measuring, 1);  // 10,368 of them
  std::vector<double> tries_ms;
  for (int i = 0; i < kTries; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const contention::SignatureFit fit = contention::fit_signature(measured, {});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (fit.times > 0) tries_ms.push_back(took.count());
  }
  constexpr double kGoalMs = 100;
  print_row("alltoall", "fit of " + std::to_string(measured.times.size()) + " times",
            median(tries_ms), "ms", Goal::kAtMost, kGoalMs);
}

}  // namespace nmt::bench
