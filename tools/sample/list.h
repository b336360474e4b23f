// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --list: the usable rails, and why the others cannot be used.
#pragma once

#include "tools/command/report.h"
#include "tools/sample/rail_choice.h"

namespace nmt::tools {

Report list_rails(const RailChoice& choice);

// "no usable rail: CAUSES", for a choice without rails.
Problem no_usable_rail(const RailChoice& choice);

json::Value to_json(const std::vector<Refusal>& refusals);
std::string describe(const Refusal& refusal);  // "tcp:eth0: cause; remedy"

}  // namespace nmt::tools
