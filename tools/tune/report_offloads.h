// SPDX-License-Identifier: BSD-3-Clause
//
// What it costs to have another core submit a message, as commands print it.
#pragma once

#include <vector>

#include "core/json.h"
#include "core/plan.h"
#include "tools/command/text.h"

namespace nmt {

void add_offloads(const std::vector<OffloadCost>& offloads, Text* text);  // nothing for none
json::Value offloads_json(const std::vector<OffloadCost>& offloads);      // the array "offloads"

}  // namespace nmt
