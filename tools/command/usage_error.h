// SPDX-License-Identifier: BSD-3-Clause
//
// Explains why a command line was refused, and how to correct it: CLI11's error, with the nearest
// option or subcommand for an unknown one.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace nmt::tools {

// The deepest subcommand that the command line named; the root if it named none.
const CLI::App& verb_named(const CLI::App& root);

// One line. `root` is the parsed app, in its state after the error.
std::string explain(const CLI::ParseError& error, const CLI::App& root);

}  // namespace nmt::tools
