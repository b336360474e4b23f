// SPDX-License-Identifier: BSD-3-Clause
//
// Where the profile is, by default.
#pragma once

#include <string>

namespace nmt {

// Where the profile is, and why there (nmad-tune show --origin).
struct Location {
  std::string file;
  std::string reason;  // "--db", "$NMADTUNE_DB", "user's profile", "system profile" ...
};
// First of: `option` (--db), $NMADTUNE_DB, ${XDG_DATA_HOME:-~/.local/share}/nmadtune/profile.db,
// /etc/nmadtune/profile.db, /var/lib/nmadtune/profile.db; for reading the first that exists.
Location locate_for_reading(const std::string& option);
Location locate_for_writing(const std::string& option, bool system);

}  // namespace nmt
