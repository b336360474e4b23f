// SPDX-License-Identifier: BSD-3-Clause
//
// The switch by which an administrator turns off all advice of this node at once: a file
// (nmad-tune db off). Everything that acts on a profile asks once, before it opens one.
#pragma once

#include <string>

namespace nmt {

inline constexpr const char* kSiteFolder = "/etc/nmadtune";
inline constexpr const char* kSwitchFile = "off";  // in the site's folder

// Whether the file is there, a link that leads nowhere too. `root` is the prefix of another
// machine's files, empty for this one.
bool is_switched_off(const std::string& root = {});

}  // namespace nmt
