// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of nmad-tune ab: durations with the default and with the exported settings, by size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "stacks/stacks.h"

namespace nmt::tools {

struct AbRow {
  std::uint64_t size_bytes;
  double default_ns;  // medians over launches
  double tuned_ns;
  stacks::Ratio ratio;  // how many times as fast the exported settings are; high at most 99.99
};

// A row for each size that was measured with both, in ascending order.
std::vector<AbRow> ab_rows(const stacks::StackTimes& defaults, const stacks::StackTimes& tuned);

// The columns of a table: `first`, then those of a row.
std::vector<std::string> ab_headings(std::vector<std::string> first);
std::vector<std::string> ab_cells(std::vector<std::string> first, const AbRow& row);
json::Value ab_json(json::Value first, const AbRow& row);  // the same for an object's members

}  // namespace nmt::tools
