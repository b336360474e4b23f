// SPDX-License-Identifier: BSD-3-Clause
#include "core/confirmation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "core/descriptor.h"
#include "core/durable_file.h"
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
                            .changed = reader["changed"].boolean(),
                            .rails = reader["rails"].texts(),
                            .rails_between_nodes = reader["rails_between_nodes"].texts(),
                            .alarms_utc = reader["alarms_utc"].texts()};
  confirmation.alarms_utc.resize(std::min(confirmation.alarms_utc.size(), kAlarmsMax));
  return confirmation;
}

}  // namespace

std::string confirmation_file(const std::string& profile) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(profile, error);
  return (error ? profile : file.string()) + ".confirmed";
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
  const std::span alarms(confirmation.alarms_utc);
  const std::string text =
      json::Value::object()
          .set("platform", confirmation.platform)
          .set("fingerprint", to_json(confirmation.fingerprint))
          .set("checked_utc", confirmation.checked_utc)
          .set("changed", confirmation.changed)
          .set("rails", json::Value::array(confirmation.rails))
          .set("rails_between_nodes", json::Value::array(confirmation.rails_between_nodes))
          .set("alarms_utc", json::Value::array(alarms.last(std::min(alarms.size(), kAlarmsMax))))
          .dump();
  const std::string file = confirmation_file(profile);
  write_durable_file(file, text + "\n", true);
  let_all_read(file);
}

}  // namespace nmt
