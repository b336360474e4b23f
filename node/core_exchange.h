// SPDX-License-Identifier: BSD-3-Clause
//
// How near two cores are now, as the time in which memory passes from one to the other and back.
//
// The cores of a virtual machine move between physical ones, and no file of the kernel shows it.
// This time does: between two threads of one physical core it is half of what it is between two
// cores under one cache, or less.
#pragma once

#include <cstddef>

#include "node/cores.h"

namespace nmt::node {

// Nanoseconds for one block of so many bytes: the median of some exchanges, which take some
// milliseconds in all. To be called on cores.near, while nothing else runs on cores.far. 0 if both
// are the same core, or if the kernel lets no thread of this process run on cores.far.
double core_exchange_ns(const CorePair& cores, std::size_t size_bytes);

}  // namespace nmt::node
