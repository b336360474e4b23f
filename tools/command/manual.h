// SPDX-License-Identifier: BSD-3-Clause
//
// The manual page (section 1, roff) of a command, from the same CLI11 tree as its help, so that the
// two always agree.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace nmt::tools {

std::string manual(const CLI::App& root);

}  // namespace nmt::tools
