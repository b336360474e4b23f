// SPDX-License-Identifier: BSD-3-Clause
//
// One launch of ranks, as nmad-sample --stack launches them.
#pragma once

#include <string>
#include <string_view>

#include "core/json.h"

namespace nmt::bench {

// What its ranks told. `environment`: words NAME=VALUE, or none. `launcher` ends where the name of
// the program would come. `order`: that of --turn.
json::Value launched(std::string_view stack, const std::string& environment,
                     const std::string& launcher, const std::string& order);

// The duration of a collective of such a launch, the median over its rounds.
double round_ns(const json::Reader& cell);

// That of one operation of 256 KiB, as the library chooses.
double collective_ns(const std::string& operation, std::string_view stack,
                     const std::string& environment, const std::string& launcher);

}  // namespace nmt::bench
