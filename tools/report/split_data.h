// SPDX-License-Identifier: BSD-3-Clause
//
// How the library splits messages over the rails of a profile, by size: what `nmad-tune split`
// answers, at so many sizes that straight lines between them are right within kSplitTolerance.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "tools/tune/advice.h"

namespace nmt::tools {

// Of the end and of each rail's part, relative to the whole. Sizes at which a rail joins are found
// to the byte.
inline constexpr double kSplitTolerance = 2e-4;

// The array "splits": one entry for all `rails` together, and one for each two of them where there
// are more. {"rails", "size_bytes", "end_ns", "bytes": [per rail], "ways": [{"way", "points"}]}.
json::Value splits_json(const Advice& advice, const std::vector<std::string>& rails);

}  // namespace nmt::tools
