// SPDX-License-Identifier: BSD-3-Clause
//
// What a command printed: groups of benchmarks run what users run.
#pragma once

#include <string>

namespace nmt::bench {

// By a shell. Ends the group where the command fails; its own words are on stderr by then.
std::string output_of(const std::string& command);

}  // namespace nmt::bench
