// SPDX-License-Identifier: BSD-3-Clause
//
// Every question of the C ABI, asked of the bytes of a snapshot with sizes and rails of all kinds:
// for fuzzing, for forged snapshots, and to show that no question allocates or enters the kernel.
#pragma once

#include <cstddef>
#include <span>

#include "include/nmadtune.h"

namespace nmt::planted {

// Of an open profile; allocates nothing itself.
void ask_everything(const nmt_profile& profile);

// Of bytes that check() accepts, past opening.
void ask_everything(std::span<const std::byte> bytes);

}  // namespace nmt::planted
