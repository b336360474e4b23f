// SPDX-License-Identifier: BSD-3-Clause
//
// What a profile knows about settings of another stack, ready to be written for one of its
// versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

// A version under which something that is exported was measured.
struct OtherVersion {
  std::string version;
  std::string told;  // a message that names both versions, and the command that measures again
};
// The first that is not `version`, which `there` says more about: "is installed here". nullopt if
// there is none, or if `version` is empty.
std::optional<OtherVersion> measured_under_another(const stacks::StackFindings& findings,
                                                   const std::string& profile,
                                                   const std::string& version,
                                                   std::string_view there);

}  // namespace nmt::tools
