// SPDX-License-Identifier: BSD-3-Clause
//
// Files that the user names, read whole: regular ones of bounded size, so that nothing blocks.
#pragma once

#include <string>

namespace nmt {

std::string read_file(const std::string& file);  // Error(kFailed) names the file and the cause

}  // namespace nmt
