// SPDX-License-Identifier: BSD-3-Clause
//
// What a profile knows about settings of another stack, ready to be written for a version of it.
#pragma once

#include <string>

#include "profiledb/profiledb.h"
#include "stacks/stacks.h"

namespace nmt {

struct FindingsFor {
  std::string stack;
  std::string version;  // as typed; empty: that which was measured
  std::string folder;   // where files will be
  std::string profile;  // its file, for people
};

// Error(kUsage) for an unknown stack or version; Error(kDatabase), which says which command
// measures it, where the profile has nothing of it. `plan` is for NewMadeleine and must outlive it.
StackFindings find_settings(const ProfileDb& db, const Id& platform, const Plan* plan,
                            const FindingsFor& what);

}  // namespace nmt
