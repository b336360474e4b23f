// SPDX-License-Identifier: BSD-3-Clause
//
// The profile that a benchmark decides by, opened as any communication stack opens it.
#pragma once

#include <string>

#include "tools/command/command.h"
#include "tools/command/opened_profile.h"
#include "tools/command/options.h"

namespace nmt {

struct ProfileInUse {
  std::string db;  // as typed; empty: as it is found
  bool none = false;
};
void declare(Options& options, ProfileInUse& target);

// None is a way to run, but a user should know. Error(kDatabase) for the one that was named.
OpenedProfile open_profile(const ProfileInUse& wanted, const Invocation& invocation);

}  // namespace nmt
