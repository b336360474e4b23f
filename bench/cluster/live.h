// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of the group "cluster" that measure hosts of the lab, where its other parts plant.
#pragma once

namespace nmt::bench {

void slow_port();        // of ten hosts, run after run: is the host named
void unchanged_rails();  // launches of rails that do not change: does diff see a change
void checked_rails();    // nmad-sample --confirm of two rails, and of one that lost a tenth
void record_launches();  // beside a neighbour, into launches.csv; nothing is compared
void many_ranks();       // a job of 8 to 128 ranks: memory of its ranks, size of the profile

}  // namespace nmt::bench
