// SPDX-License-Identifier: BSD-3-Clause
#include "core/sample.h"

#include "core/error.h"

namespace nmt {

std::string describe(const Condition& condition) {
  std::string text = condition.benchmark;
  if (!condition.method.empty()) text += "/" + condition.method;
  if (!condition.variant.empty()) text += "/" + condition.variant;
  text += " " + condition.regime;
  if (!condition.placement.empty()) text += " " + condition.placement;
  if (!condition.busy_rails.empty()) text += " beside " + condition.busy_rails;
  if (condition.ranks_per_node > 1) {
    text += " by " + std::to_string(condition.ranks_per_node) + " ranks per node";
  }
  return text;
}

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::kMeasured:
      return "measured";
    case Origin::kImported:
      return "imported";
    case Origin::kSimulated:
      return "simulated";
    case Origin::kDescribed:
      return "described";
  }
  NMT_CHECK(!"origin");
  return {};
}

Origin parse_origin(std::string_view text) {
  for (const Origin origin :
       {Origin::kMeasured, Origin::kImported, Origin::kSimulated, Origin::kDescribed}) {
    if (to_string(origin) == text) return origin;
  }
  throw Error(
      Fault::kFailed,
      "'" + std::string(text.substr(0, 40)) +
          "' is not an origin of samples; known are measured, imported, simulated and described");
}

}  // namespace nmt
