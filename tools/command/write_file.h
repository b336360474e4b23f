// SPDX-License-Identifier: BSD-3-Clause
//
// Files that commands make for their user: whole or not at all, and never over another by accident.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

// Written aside, then named: under its name, a file is always whole. `force` replaces what has the
// name. Throws Error(kFailed); Error(kUsage) for "-", which is no file.
void write_file(const std::string& file, std::string_view content, bool force);

}  // namespace nmt
