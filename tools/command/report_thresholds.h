// SPDX-License-Identifier: BSD-3-Clause
//
// Prints thresholds: a table for people, which says in words what each one means, rows for
// programs, and the JSON that other tools read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "core/rail.h"
#include "tools/command/named_plans.h"
#include "tools/command/report.h"

namespace nmt::tools {

// Rail plans of one regime ("hot", "cold") without busy rails, of the named rails in their order;
// of all rails if none is named. Of each path one: that with the number of ranks per NIC that
// answers best.
std::vector<RailPlan> rail_plans(const Plan& plan, std::string_view regime,
                                 const std::vector<std::string>& rails,
                                 const RanksPerNic& ranks = {});

// "copy below 2 KiB, iovec from there on".
std::string in_words(const Threshold& threshold);

// "2 KiB", "always", "never", "3 ranges".
std::string answer_text(const Threshold& threshold);

void add_thresholds(const std::vector<NamedPlan>& rails, Text* text, const RanksPerNic& ranks = {});
// One row per range of sizes.
void add_thresholds(const std::vector<NamedPlan>& rails, Records* records);
json::Value thresholds_json(const RailPlan& rail);  // the array "thresholds"

// {"id", "name"}: how documents name a platform.
json::Value platform_json(const Platform& platform);

}  // namespace nmt::tools
