// SPDX-License-Identifier: BSD-3-Clause
//
// Completion for bash, from the same CLI11 tree as the help: subcommands, options, the values of
// options that have a list, files for those that take a file.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace nmt {

std::string completion(const CLI::App& root);

}  // namespace nmt
