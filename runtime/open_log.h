// SPDX-License-Identifier: BSD-3-Clause
//
// What a profile is going to answer, for people, when it is opened (NMADTUNE_LOG=decisions): which
// method up to which size on each rail and why, and from which size messages are split.
#pragma once

#include <string>

#include "include/nmadtune.h"

namespace nmt {

// Lines, each begun by "nmadtune: ". Asks the C ABI, so that it says what programs are told.
std::string decisions_of(const nmt_profile& profile);

}  // namespace nmt
