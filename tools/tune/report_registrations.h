// SPDX-License-Identifier: BSD-3-Clause
//
// Prints the cost of registering memory.
#pragma once

#include <vector>

#include "core/json.h"
#include "tools/command/text.h"
#include "tuner/tuner.h"

namespace nmt::tools {

void add_registrations(const std::vector<tuner::Registration>& all,
                       Text* text);  // nothing if empty
json::Value registrations_json(
    const std::vector<tuner::Registration>& all);  // the array "registrations"

}  // namespace nmt::tools
