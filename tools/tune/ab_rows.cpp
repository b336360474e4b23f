// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/ab_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units.h"

namespace nmt::tools {
namespace {

constexpr double kRatioMax = 99.99;  // in place of an unlimited interval

}  // namespace

std::vector<AbRow> ab_rows(const stacks::StackTimes& defaults, const stacks::StackTimes& tuned) {
  std::vector<AbRow> rows;
  for (const auto& [size_bytes, before] : defaults) {
    const auto after = tuned.find(size_bytes);
    if (after == tuned.end()) continue;
    AbRow row{.size_bytes = size_bytes,
              .default_ns = stacks::typical_ns(before),
              .tuned_ns = stacks::typical_ns(after->second),
              .ratio = stacks::ratio_of(before, after->second)};
    row.ratio.high = std::min(row.ratio.high, kRatioMax);
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> ab_headings(std::vector<std::string> first) {
  first.insert(first.end(), {">default", ">tuned", ">times as fast", "95 % interval"});
  return first;
}

std::vector<std::string> ab_cells(std::vector<std::string> first, const AbRow& row) {
  first.insert(first.end(), {format_duration(row.default_ns), format_duration(row.tuned_ns),
                             fmt::format("{:.3f}", row.ratio.value),
                             fmt::format("{:.3f} .. {:.3f}", row.ratio.low, row.ratio.high)});
  return first;
}

json::Value ab_json(json::Value first, const AbRow& row) {
  first.set("size_bytes", row.size_bytes)
      .set("default_ns", row.default_ns)
      .set("tuned_ns", row.tuned_ns)
      .set("ratio", row.ratio.value)
      .set("ratio_low", row.ratio.low)
      .set("ratio_high", row.ratio.high);
  return first;
}

}  // namespace nmt::tools
