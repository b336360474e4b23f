// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/utc.h"

#include <fmt/format.h>

#include <cstring>
#include <ctime>

#include "core/error.h"

namespace nmt::tools {

double seconds_since_1970(const std::string& utc) {
  std::tm fields = {};
  const char* end = ::strptime(utc.c_str(), "%Y-%m-%d", &fields);
  if (end != nullptr && *end == 'T') end = ::strptime(end + 1, "%H:%M:%S", &fields);
  if (end != nullptr && *end == '.') {  // of a second
    do ++end;
    while (*end >= '0' && *end <= '9');
  }
  if (end == nullptr || (*end != '\0' && std::strcmp(end, "Z") != 0)) {
    throw Error(Fault::kUsage,
                fmt::format("'{}' is no date; write 2026-11-24 or 2026-11-24T08:00:00Z", utc));
  }
  return static_cast<double>(::timegm(&fields));
}

double started_s(const Campaign& campaign) {
  try {
    return seconds_since_1970(campaign.started_utc);
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace nmt::tools
