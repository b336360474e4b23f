// SPDX-License-Identifier: BSD-3-Clause
//
// Dates as people type them, and as campaigns store them.
#pragma once

#include <string>

#include "core/sample.h"

namespace nmt::tools {

// Of "2026-11-24" or "2026-11-24T08:00:00Z"; Error(kUsage) for other text.
double seconds_since_1970(const std::string& utc);

// When a campaign started; 0 if its date cannot be read.
double started_s(const Campaign& campaign);

}  // namespace nmt::tools
