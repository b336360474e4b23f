// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/predict.h"

#include <algorithm>

namespace nmt::tuner {
namespace {

// The only method by which a rail was measured; nullopt if there are several.
std::optional<Method> only_method(const RailPlan& rail) {
  std::optional<Method> only;
  for (const Method method : kMethods) {
    if (rail.find_curve(benchmark::kTransfer, to_string(method)) == nullptr) continue;
    if (only) return std::nullopt;
    only = method;
  }
  return only;
}

// The choice of the thresholds; eager without a rendezvous decision, copy without an iovec
// decision. A rail without a choice has no thresholds.
Method chosen_method(const RailPlan& rail, std::uint64_t size_bytes) {
  const auto chooses_above = [&](DecisionKind kind) {
    const Threshold* threshold = rail.find_threshold(kind);
    return threshold != nullptr && threshold->choice_at(size_bytes) == choices(kind).above;
  };
  if (const auto only = only_method(rail)) return *only;
  if (chooses_above(DecisionKind::kRendezvous)) return Method::kRendezvous;
  return chooses_above(DecisionKind::kIovec) ? Method::kIovec : Method::kCopy;
}

}  // namespace

std::optional<Prediction> predict_transfer(const RailPlan& rail, std::uint64_t size_bytes,
                                           std::optional<Method> method) {
  const std::string_view name = to_string(method ? *method : chosen_method(rail, size_bytes));
  const double size = static_cast<double>(size_bytes);
  std::optional<Prediction> best;  // of the method's variants
  for (const PlanCurve& curve : rail.curves) {
    if (curve.benchmark != benchmark::kTransfer || curve.method != name) continue;
    const double duration_ns = curve.duration.at(size);
    if (best && best->duration_ns <= duration_ns) continue;
    best = Prediction{.method = std::string(name),
                      .duration_ns = duration_ns,
                      .low_ns = std::min(duration_ns, curve.low.at(size)),
                      .high_ns = std::max(duration_ns, curve.high.at(size)),
                      .extrapolated = size > curve.duration.points().back().size_bytes};
  }
  return best;
}

}  // namespace nmt::tuner
