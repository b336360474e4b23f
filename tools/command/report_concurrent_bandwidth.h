// SPDX-License-Identifier: BSD-3-Clause
//
// What rails carry at the same time, as commands print it: beside what each carries alone, and how
// far they are together from the sum.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "tools/command/text.h"
#include "tuner/tuner.h"

namespace nmt {

// Those of the named rails only.
std::vector<ConcurrentBandwidth> of_rails(std::vector<ConcurrentBandwidth> all,
                                          const std::vector<std::string>& rails);

void add_concurrent_bandwidths(const std::vector<ConcurrentBandwidth>& all,
                               Text* text);  // nothing where there is none
json::Value concurrent_bandwidths_json(
    const std::vector<ConcurrentBandwidth>& all);  // the array "together"

}  // namespace nmt
