// SPDX-License-Identifier: BSD-3-Clause
//
// This program's malloc: glibc's own, counted, and failing at the n-th call where asked. Linked
// into the tests that show what allocates and what happens where nothing is left.
#pragma once

#include <cstdint>

namespace nmt::planted {

// Of this thread, since the program began.
std::uint64_t allocations();
std::int64_t live_blocks();

// The n-th allocation of this thread from now on fails, and all after it; 0: none does.
void fail_allocation(std::uint64_t n);
bool has_failed();

}  // namespace nmt::planted
