// SPDX-License-Identifier: BSD-3-Clause
//
// Completion for bash, from the same CLI11 tree as the help: subcommands, options, values of
// options with a list, and files for options that take one.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace nmt::tools {

std::string completion(const CLI::App& root);

}  // namespace nmt::tools
