// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the group "cluster".
#pragma once

namespace nmt::bench {

inline constexpr const char* kGroup = "cluster";

// Planted into recorded noise:
void planted_outliers();  // one slow node and one slow link of 64 nodes: are they named
void without_fault();     // clusters without a fault: is anything named
void diff_replays();      // histories of a rail: does diff see what changed, and nothing else
void health_replays();    // the same of nmad-sample --confirm

// On hosts of the lab:
void slow_port();        // of ten hosts, run after run: is the host named
void unchanged_rails();  // launches of rails that do not change: does diff see a change
void checked_rails();    // nmad-sample --confirm of two rails, and of one that lost a tenth
void record_launches();  // beside a neighbour, into launches.csv; nothing is compared
void many_ranks();       // a job of 8 to 128 ranks: memory of its ranks, size of the profile

}  // namespace nmt::bench
