// SPDX-License-Identifier: BSD-3-Clause
//
// How people write what alltoalls are asked about: lists and ranges, and signatures on a command
// line.
//
// A range FROM..TO doubles from FROM on and ends with TO; FROM..TO:STEP adds instead. What is wrong
// throws Error(kUsage) that names the option.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/signature.h"

namespace nmt {

std::vector<std::int64_t> parse_ranks(const std::string& option, const std::string& text);
std::vector<std::uint64_t> parse_sizes(const std::string& option, const std::string& text);

// "alpha=50us,beta=8.502ns/B,gamma=4.3628,delta=4.93ms,M=8K", and, where they are known,
// form=once, n=40, error=10%.
Signature parse_signature(const std::string& text);

}  // namespace nmt
