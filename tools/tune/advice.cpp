// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"
#include "profiledb/profiledb.h"
#include "tools/command/options.h"

namespace nmt::tools {
namespace {

Fault fault_of(int status) {
  switch (status) {
    case NMT_UNKNOWN:
      return Fault::kUsage;
    case NMT_NOT_FOUND:
    case NMT_UNUSABLE:
      return Fault::kDatabase;
    default:
      return Fault::kFailed;
  }
}

std::vector<std::string> rails_of(const Advice& advice) {
  std::vector<std::string> rails;
  for (std::uint32_t path = 0; path < describe(advice).paths; ++path) {
    const nmt_path_description found = describe(advice, static_cast<int>(path));
    if (std::ranges::find(rails, found.rail) == rails.end()) rails.emplace_back(found.rail);
  }
  return rails;
}

}  // namespace

Advice open_advice(const ProfileOptions& options, const Invocation& invocation) {
  const profiledb::Location location = profiledb::locate_for_reading(options.db);
  std::array<char, 1000> message{};
  nmt_open_options wanted{};
  wanted.struct_bytes = sizeof wanted;
  wanted.file = location.file.c_str();
  wanted.platform = options.platform.empty() ? nullptr : options.platform.c_str();
  wanted.message = message.data();
  wanted.message_bytes = message.size();
  nmt_profile* profile = nullptr;
  const int status = nmt_open(&wanted, &profile);
  if (status != NMT_OK) throw Error(fault_of(status), message.data());
  Advice advice(profile);
  const nmt_description described = describe(advice);
  if (described.foreign != 0 || described.unconfirmed != 0) {
    nmt_difference difference{};
    difference.struct_bytes = sizeof difference;
    nmt_describe_difference(profile, 0, &difference);
    const auto text = [](const char* value) { return value != nullptr ? value : "unknown"; };
    invocation.notice(fmt::format(
        "the profile {} ({} was {}, here it is {})",
        described.foreign != 0 ? "does not hold for this platform as it is now"
                               : "was measured before an update, and is to be confirmed",
        difference.field, text(difference.measured), text(difference.here)));
  }
  return advice;
}

nmt_description describe(const Advice& advice) {
  nmt_description description{};
  description.struct_bytes = sizeof description;
  nmt_describe(advice.get(), &description);
  return description;
}

json::Value platform_json(const Advice& advice) {
  const nmt_description description = describe(advice);
  return json::Value::object()
      .set("id", std::string(description.platform_id))
      .set("name", std::string(description.platform))
      .set("foreign", description.foreign != 0)
      .set("unconfirmed", description.unconfirmed != 0);
}

nmt_path_description describe(const Advice& advice, int path) {
  nmt_path_description description{};
  description.struct_bytes = sizeof description;
  nmt_describe_path(advice.get(), path, &description);
  return description;
}

int find_path(const Advice& advice, const std::string& rail, const std::string& regime,
              const RanksPerNic& ranks) {
  nmt_condition condition{};
  condition.struct_bytes = sizeof condition;
  condition.regime = regime.c_str();
  condition.ranks_per_nic = ranks.or_any();
  const int path = nmt_find_path(advice.get(), rail.c_str(), &condition);
  if (path >= 0) return path;
  const std::vector<std::string> known = rails_of(advice);
  if (std::ranges::find(known, rail) != known.end()) {
    throw Error(Fault::kUsage, fmt::format("{} was not measured with {} buffers; use --regime {}",
                                           rail, regime, regime == "hot" ? "cold" : "hot"));
  }
  throw Error(Fault::kUsage,
              fmt::format("no rail '{}' in this profile{}", rail, suggestion(rail, known)));
}

}  // namespace nmt::tools
