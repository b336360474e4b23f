// SPDX-License-Identifier: BSD-3-Clause
//
// Compares held-out samples with the plan. docs/method.md, "Verification".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/sample.h"

namespace nmt::tuner {

// Held-out samples of the sets are the truth for the plan's predictions and decisions.
Verification verify(const Plan& plan, std::span<const SampleSet> sets);

// One held-out measurement beside its prediction: the median of all its repetitions.
struct HeldOut {
  std::string rail;
  Id path;
  std::string regime;
  std::string method;
  std::uint64_t size_bytes = 0;
  double measured_ns = 0;
  double predicted_ns = 0;
};
// All transfers, on rails alone.
std::vector<HeldOut> held_out(const Plan& plan, std::span<const SampleSet> sets);

}  // namespace nmt::tuner
