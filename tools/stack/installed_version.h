// SPDX-License-Identifier: BSD-3-Clause
//
// The version of another stack that is installed on this machine.
#pragma once

#include <string>
#include <string_view>

namespace nmt::tools {

// As the stack's own command on the PATH prints it, "4.1.4"; empty where there is none.
std::string installed_version(std::string_view stack);

}  // namespace nmt::tools
