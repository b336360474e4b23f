// SPDX-License-Identifier: BSD-3-Clause
//
// Prints the bandwidth of rails in use at the same time, next to that of each rail alone, and how
// far the total is below the sum.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "tools/command/text.h"
#include "tuner/tuner.h"

namespace nmt::tools {

// Only for the named rails.
std::vector<tuner::ConcurrentBandwidth> of_rails(std::vector<tuner::ConcurrentBandwidth> all,
                                                 const std::vector<std::string>& rails);

void add_concurrent_bandwidths(const std::vector<tuner::ConcurrentBandwidth>& all,
                               Text* text);  // nothing if empty
json::Value concurrent_bandwidths_json(
    const std::vector<tuner::ConcurrentBandwidth>& all);  // the array "together"

}  // namespace nmt::tools
