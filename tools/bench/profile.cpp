// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/profile.h"

#include <fmt/format.h>

#include "core/error.h"
#include "profiledb/profiledb.h"

namespace nmt::tools {

void declare(Options& options, ProfileInUse& target) {
  options.text("--db", target.db, "FILE", "profile to decide by (default: as nmad-tune finds it)");
  options.flag("--no-profile", target.none, "decide without a profile").excludes("--db");
}

OpenedProfile open_profile(const ProfileInUse& wanted, const Invocation& invocation) {
  if (wanted.none) return nullptr;
  char message[1000] = "";
  const std::string file = wanted.db.empty() ? "" : profiledb::locate_for_reading(wanted.db).file;
  nmt_open_options options{};
  options.struct_bytes = sizeof options;
  options.file = file.empty() ? nullptr : file.c_str();
  options.message = message;
  options.message_bytes = sizeof message;
  nmt_profile* profile = nullptr;
  const int status = nmt_open(&options, &profile);
  if (status == NMT_OK) return OpenedProfile(profile);
  if (!wanted.db.empty()) throw Error(Fault::kDatabase, message);
  invocation.notice(fmt::format("measuring without a profile: {}", message));
  return nullptr;
}

}  // namespace nmt::tools
