// SPDX-License-Identifier: BSD-3-Clause
//
// Planted truth: campaigns over described rails with noise, judged against the description itself.
//
// Regret is taken from the description without noise, without any zone of equivalence, at sizes
// that nobody measured; curve errors against the launch's own truth, which includes its session's
// factor (no launch can tell it from the rail's speed; several launches pooled can).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.h"
#include "sampler/sampler.h"

namespace nmt::bench {

// Rails whose thresholds cross once, where one method always wins, where curves cross twice, and
// where they nearly coincide; noise with outliers and a session's drift.
std::string planted_rails();

struct PlantedResult {
  std::vector<double> regrets;       // per rail, decision and size: 1 B to 1 MiB
  std::vector<double> curve_errors;  // |predicted / launch's truth - 1| at unseen sizes
  std::vector<double> speed_errors;  // |pooled predicted / truth - 1|: median per rail
};

// One launch per seed; with several seeds, their samples are pooled into one plan and only
// speed_errors are taken.
PlantedResult run_planted(const std::string& json, const std::vector<std::uint64_t>& seeds,
                          double budget_ns);

}  // namespace nmt::bench
