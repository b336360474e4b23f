// SPDX-License-Identifier: BSD-3-Clause
//
// What a profile knows about settings of another stack, ready to be written for one of its
// versions.
#pragma once

#include <string>

#include "profiledb/profiledb.h"
#include "stacks/stacks.h"

namespace nmt::tools {

struct FindingsFor {
  std::string stack;
  std::string version;  // as typed; empty: the measured one
  std::string folder;   // where the files will be
  std::string profile;  // its file, for people
};

// Error(kUsage) for an unknown stack or version. Error(kDatabase) if the profile has nothing about
// it; the message says which command measures it. `plan` is for NewMadeleine and must outlive the
// result.
stacks::StackFindings find_settings(const profiledb::ProfileDb& db, const Id& platform,
                                    const Plan* plan, const FindingsFor& what);

}  // namespace nmt::tools
