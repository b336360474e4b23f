// SPDX-License-Identifier: BSD-3-Clause
//
// Prints the cost of submitting a message from another core.
#pragma once

#include <vector>

#include "core/json.h"
#include "core/plan.h"
#include "tools/command/text.h"

namespace nmt::tools {

void add_offloads(const std::vector<OffloadCost>& offloads, Text* text);  // nothing if empty
json::Value offloads_json(const std::vector<OffloadCost>& offloads);      // the array "offloads"

}  // namespace nmt::tools
