// SPDX-License-Identifier: BSD-3-Clause
//
// Prints the decisions of a profile for people when it is opened (NMADTUNE_LOG=decisions): the
// method for each range of sizes of each rail, with the reason, and the size from which messages
// are split.
//
#pragma once

#include <string>

#include "include/nmadtune.h"

namespace nmt::runtime {

// Lines that each begin with "nmadtune: ". Asks the C ABI, so the lines are what programs get.
std::string decisions_of(const nmt_profile& profile);

}  // namespace nmt::runtime
