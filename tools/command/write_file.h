// SPDX-License-Identifier: BSD-3-Clause
//
// Writes files for the user: completely or not at all, and never over an existing file by accident.
#pragma once

#include <string>
#include <string_view>

namespace nmt::tools {

// Writes under another name, then renames: under its own name a file is always complete. `force`
// replaces an existing file. Throws Error(kFailed); Error(kUsage) for "-", which is no file.
void write_file(const std::string& file, std::string_view content, bool force);

}  // namespace nmt::tools
