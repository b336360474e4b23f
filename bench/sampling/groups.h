// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the group "sampling", each printing its rows; see scripts/bench.
#pragma once

namespace nmt::bench {

void planted_truth();  // described rails: regret and curve errors against the description
void thrift();         // real rails: a quick profile against an exhaustive one
void real_rails();     // real rails: nmad-sample --verify five times, one of them disturbed

}  // namespace nmt::bench
