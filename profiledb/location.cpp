// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/location.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/site_switch.h"

namespace nmt::profiledb {
namespace {

constexpr std::string_view kBelowData = "nmadtune/profile.db";
constexpr const char* kSystemFile = "/var/lib/nmadtune/profile.db";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The location that the option or the environment asks for.
std::optional<Location> asked_for(const std::string& option) {
  if (!option.empty()) return Location{option, "--db"};
  const std::string variable = environment("NMADTUNE_DB");
  if (!variable.empty()) return Location{variable, "$NMADTUNE_DB"};
  return std::nullopt;
}

std::string home() {
  const std::string variable = environment("HOME");
  if (!variable.empty()) return variable;
  const passwd* entry = ::getpwuid(::getuid());
  return entry == nullptr || entry->pw_dir == nullptr ? "" : entry->pw_dir;
}

// nullopt if this user has no home directory.
std::optional<Location> users() {
  const std::filesystem::path data = environment("XDG_DATA_HOME");
  if (data.is_absolute()) {  // the XDG base directory specification ignores relative ones
    return Location{data / kBelowData, "user's profile below $XDG_DATA_HOME"};
  }
  const std::filesystem::path directory = home();
  if (!directory.is_absolute()) return std::nullopt;
  return Location{directory / ".local/share" / kBelowData, "user's profile"};
}

[[noreturn]] void refuse_homeless() {
  throw Error(Fault::kDatabase,
              "this user has no home directory for a profile; name a file with --db or "
              "$NMADTUNE_DB");
}

}  // namespace

Location locate_for_reading(const std::string& option) {
  if (const auto location = asked_for(option)) return *location;
  std::vector<Location> usual = {
      {std::string(kSiteFolder) + "/profile.db", "published profile of this machine"},
      {kSystemFile, "system's profile"}};
  const std::optional<Location> user = users();
  if (user) usual.insert(usual.begin(), *user);
  for (const Location& location : usual) {
    if (::access(location.file.c_str(), F_OK) == 0) return location;
  }
  if (!user) refuse_homeless();
  return {user->file, user->reason + ", because none of the usual places has a profile"};
}

Location locate_for_writing(const std::string& option, bool system) {
  if (system) {
    if (!option.empty()) {
      throw Error(Fault::kUsage,
                  "--db and --system name two profiles; give only one of the options");
    }
    return {kSystemFile, "--system"};
  }
  if (const auto location = asked_for(option)) return *location;
  const std::optional<Location> user = users();
  if (!user) refuse_homeless();
  return *user;
}

}  // namespace nmt::profiledb
