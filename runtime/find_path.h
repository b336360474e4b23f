// SPDX-License-Identifier: BSD-3-Clause
//
// The search for a path: by the rail's name or a name of its device, by the peer that it leads to,
// and by what it was measured under.
#pragma once

#include "runtime/snapshot.h"

namespace nmt::runtime {

// Kind of memory of the buffers that a path was measured with.
const char* memory_of(const View& view, const PathDetailRecord& detail);

}  // namespace nmt::runtime
