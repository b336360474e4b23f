// SPDX-License-Identifier: BSD-3-Clause
//
// The default location of the profile.
#pragma once

#include <string>

namespace nmt::profiledb {

// The file of the profile, and the reason for it (nmad-tune show --origin).
struct Location {
  std::string file;
  std::string reason;  // "--db", "$NMADTUNE_DB", "user's profile", "system profile" ...
};
// The first of: `option` (--db), $NMADTUNE_DB,
// ${XDG_DATA_HOME:-~/.local/share}/nmadtune/profile.db, /etc/nmadtune/profile.db,
// /var/lib/nmadtune/profile.db. For reading, the first that exists.
Location locate_for_reading(const std::string& option);
Location locate_for_writing(const std::string& option, bool system);

}  // namespace nmt::profiledb
