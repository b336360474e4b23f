// SPDX-License-Identifier: BSD-3-Clause
#include "core/plan.h"

#include "core/error.h"

namespace nmt {

std::string_view to_string(Answer answer) {
  switch (answer) {
    case Answer::kThreshold:
      return "threshold";
    case Answer::kAlways:
      return "always";
    case Answer::kNever:
      return "never";
    case Answer::kRanges:
      return "ranges";
  }
  NMT_CHECK(!"answer");
  return {};
}

const std::string& Threshold::choice_at(std::uint64_t size_bytes) const {
  NMT_CHECK(!ranges.empty());
  for (const Range& range : ranges) {
    if (!range.to_bytes || size_bytes < *range.to_bytes) return range.choice;
  }
  return ranges.back().choice;
}

const PlanCurve* RailPlan::find_curve(std::string_view benchmark, std::string_view method) const {
  for (const PlanCurve& curve : curves) {
    if (curve.benchmark == benchmark && curve.method == method) return &curve;
  }
  return nullptr;
}

const Threshold* RailPlan::find_threshold(DecisionKind kind) const {
  for (const Threshold& threshold : thresholds) {
    if (threshold.kind == kind) return &threshold;
  }
  return nullptr;
}

}  // namespace nmt
