// SPDX-License-Identifier: BSD-3-Clause
#include "core/confirmation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "core/descriptor.h"
#include "core/durable_file.h"
#include "core/effect.h"
#include "core/error.h"
#include "core/json.h"
#include "core/plan_json.h"

namespace nmt {
namespace {

constexpr std::size_t kFileBytesMax = 64 << 10;
constexpr std::size_t kAlarmsMax = 8;

bool counts(const struct stat& file, const std::string& profile) {
  struct stat owner {};
  if (!S_ISREG(file.st_mode) || (file.st_mode & (S_IWGRP | S_IWOTH)) != 0) return false;
  if (file.st_uid == 0) return true;
  return ::stat(profile.c_str(), &owner) == 0 && owner.st_uid == file.st_uid;
}

Confirmation confirmation_from(const json::Reader& reader) {
  Confirmation confirmation{.platform = reader["platform"].text(),
                            .fingerprint = fields_from_json(reader["fingerprint"]),
                            .checked_utc = reader["checked_utc"].text(),
                            .rails = {},
                            .alarms_utc = reader["alarms_utc"].texts()};
  for (const json::Reader& rail : reader["rails"].items()) {
    confirmation.rails.push_back({.name = rail["name"].text(),
                                  .between_nodes = rail["between_nodes"].boolean(),
                                  .slower = rail["slower"].boolean(),
                                  .fingerprint = fields_from_json(rail["fingerprint"])});
  }
  return confirmation;
}

json::Value rail_json(const CheckedRail& rail) {
  return json::Value::object()
      .set("name", rail.name)
      .set("between_nodes", rail.between_nodes)
      .set("slower", rail.slower)
      .set("fingerprint", to_json(rail.fingerprint));
}

// This node's name as a part of a file's: a name may have anything in it.
std::string host_for_file() {
  struct utsname names {};
  ::uname(&names);
  std::string host = names.nodename;
  const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (char& c : host) {
    if (!is_plain(c) && c != '-' && c != '.') c = '_';
  }
  return host;
}

}  // namespace

bool Confirmation::holds_for(std::string_view platform_id, const Fields& here) const {
  return platform == platform_id && effect_of(differences_here(fingerprint, here)) == Effect::kNone;
}

const CheckedRail* Confirmation::find(std::string_view rail, bool between_nodes) const {
  const auto found = std::ranges::find_if(rails, [&](const CheckedRail& each) {
    return each.name == rail && each.between_nodes == between_nodes;
  });
  return found == rails.end() ? nullptr : &*found;
}

std::string confirmation_file(const std::string& profile) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(profile, error);
  return (error ? profile : file.string()) + ".confirmed-" + host_for_file();
}

std::optional<Confirmation> read_confirmation(const std::string& profile) {
  const std::string name = confirmation_file(profile);
  const Descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !counts(status, profile)) {
    return std::nullopt;
  }
  std::string text(kFileBytesMax + 1, '\0');
  const ssize_t n = ::read(file.get(), text.data(), text.size());
  if (n <= 0 || static_cast<std::size_t>(n) > kFileBytesMax) return std::nullopt;
  text.resize(static_cast<std::size_t>(n));
  try {
    const json::Value document = json::parse(text, name, kFileBytesMax);
    return confirmation_from(json::Reader(document, name));
  } catch (const Error&) {
    return std::nullopt;
  }
}

void write_confirmation(const std::string& profile, const Confirmation& confirmation) {
  std::vector<std::string> alarms = confirmation.alarms_utc;
  if (alarms.size() > kAlarmsMax) alarms.erase(alarms.begin() + 1, alarms.end() - kAlarmsMax + 1);
  json::Value rails = json::Value::array();
  for (const CheckedRail& each : confirmation.rails) rails.push_back(rail_json(each));
  const std::string text = json::Value::object()
                               .set("platform", confirmation.platform)
                               .set("fingerprint", to_json(confirmation.fingerprint))
                               .set("checked_utc", confirmation.checked_utc)
                               .set("rails", std::move(rails))
                               .set("alarms_utc", json::Value::array(alarms))
                               .dump();
  const std::string file = confirmation_file(profile);
  write_durable_file(file, text + "\n", true);
  let_all_read(file);
}

}  // namespace nmt
