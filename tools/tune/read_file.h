// SPDX-License-Identifier: BSD-3-Clause
//
// Reads files that the user names: only regular files of limited size, so that it never blocks.
#pragma once

#include <string>

namespace nmt::tools {

std::string read_file(const std::string& file);  // Error(kFailed) names the file and the cause

}  // namespace nmt::tools
