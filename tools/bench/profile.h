// SPDX-License-Identifier: BSD-3-Clause
//
// The profile that a benchmark uses, opened like by any communication stack.
#pragma once

#include <string>

#include "tools/command/command.h"
#include "tools/command/opened_profile.h"
#include "tools/command/options.h"

namespace nmt::tools {

struct ProfileInUse {
  std::string db;  // as typed; empty: the default location
  bool none = false;
};
void declare(Options& options, ProfileInUse& target);

// A benchmark may run without a profile, but this warns the user. Error(kDatabase) if a named one
// cannot be opened.
OpenedProfile open_profile(const ProfileInUse& wanted, const Invocation& invocation);

}  // namespace nmt::tools
