// SPDX-License-Identifier: BSD-3-Clause
//
// Why a command line was refused, in words that lead to a right one: what CLI11 threw, with the
// nearest option or subcommand for what it does not know.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace nmt {

// The deepest subcommand that the command line named; the root where it named none.
const CLI::App& verb_named(const CLI::App& root);

// One line. `root` is the app that was parsed, in the state in which the error left it.
std::string explain(const CLI::ParseError& error, const CLI::App& root);

}  // namespace nmt
