// SPDX-License-Identifier: BSD-3-Clause
//
// What measuring found of switches, as the topology that a fit uses.
//
// Without any topology, the groups of nodes that were found are its switches. Where none were
// found, the nodes of one job are below one switch, as far as is known, and nothing is known of
// what leaves it: with a topology of unknown uplinks, predictions for more nodes are refused as
// they are for a file's.
#pragma once

#include "contention/fit.h"

namespace nmt::contention {

// Without a topology its nodes and uplinks, with one the uplinks that it does not state. Sessions
// on nodes that were not found anywhere are left out, with a remark; Error(kUsage) if those are
// all. As it was, if no groups of nodes were looked for.
AlltoallTimes with_measured_switches(AlltoallTimes measured);

}  // namespace nmt::contention
