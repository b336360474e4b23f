// SPDX-License-Identifier: BSD-3-Clause
//
// Questions about alltoalls in the form in which people write them: lists and ranges, and
// signatures on a command line.
//
// A range FROM..TO doubles from FROM and ends with TO; FROM..TO:STEP adds instead. An error throws
// Error(kUsage) that names the option.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/signature.h"

namespace nmt::tools {

std::vector<std::int64_t> parse_ranks(const std::string& option, const std::string& text);
std::vector<std::uint64_t> parse_sizes(const std::string& option, const std::string& text);

// "alpha=50us,beta=8.502ns/B,gamma=4.3628,delta=4.93ms,M=8K", and, if known, form=once, n=40,
// error=10%.
// A number above 0.
double parse_ratio(const std::string& option, const std::string& text);

Signature parse_signature(const std::string& text);

}  // namespace nmt::tools
