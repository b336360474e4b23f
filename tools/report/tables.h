// SPDX-License-Identifier: BSD-3-Clause
//
// What the plots of a page show, as tables for browsers without scripts. Each takes the data of one
// page, in the form of the header that makes it (cluster_data.h and so on).
#pragma once

#include <vector>

#include "core/json.h"
#include "core/plan.h"
#include "tools/command/text.h"

namespace nmt::tools {

void add_curve_tables(const std::vector<RailPlan>& rails, Text* text);
void add_foreign_tables(const json::Value& foreign, Text* text);
void add_pair_tables(const json::Value& cluster, Text* text);  // of each rail the slowest pairs
void add_alltoall_tables(const json::Value& alltoalls, Text* text);
void add_ratio_table(const json::Value& diff, Text* text);

}  // namespace nmt::tools
