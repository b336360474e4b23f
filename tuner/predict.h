// SPDX-License-Identifier: BSD-3-Clause
//
// Predicts the duration of one transfer from a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/plan.h"

namespace nmt::tuner {

struct Prediction {
  std::string method;
  double duration_ns = 0;
  double low_ns = 0;
  double high_ns = 0;
  bool extrapolated = false;  // beyond the largest size measured
  bool operator==(const Prediction&) const = default;
};
// Duration of one transfer; without a method, by the method that the thresholds choose (copy, iovec
// or rendezvous). nullopt if the plan has no such curve.
std::optional<Prediction> predict_transfer(const RailPlan& rail, std::uint64_t size_bytes,
                                           std::optional<Method> method);

}  // namespace nmt::tuner
