// SPDX-License-Identifier: BSD-3-Clause
//
// Opening the profile that a subcommand works on, and choosing whose measurements it speaks of: the
// only platform of the profile, else this machine's, else the one measured last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiledb/profiledb.h"
#include "tools/tune/subcommands.h"

namespace nmt {

struct OpenProfile {
  Location location;
  ProfileDb db;
  Platform platform;
  std::string why;  // this platform: "the only one", "this machine's", ...
};

// Throws Error(kDatabase) naming the command that makes a profile where there is none, or an empty
// one.
OpenProfile open_to_read(const ProfileOptions& options, const Invocation& invocation);
OpenProfile open_to_write(const ProfileOptions& options, const Invocation& invocation);

// The same without choosing a platform; `create`: make the file where it is absent.
ProfileDb open_whole_to_read(const ProfileOptions& options, const Invocation& invocation);
ProfileDb open_whole_to_write(const ProfileOptions& options, const Invocation& invocation,
                              bool create);

// What is derived: as stored; derived now where nothing is stored yet (a campaign that was
// killed). Tells where the samples have changed since.
Plan read_plan(const OpenProfile& profile, const Invocation& invocation);

// The one entry whose identifier begins so. Throws Error(kUsage).
Id find_by_prefix(std::string_view prefix, const std::vector<Id>& known, std::string_view what);

// The rails of a plan, checked: throws Error(kUsage) with the nearest name for one that it lacks.
void require_rails(const Plan& plan, const std::vector<std::string>& rails);

std::string short_id(const Id& id);  // enough to tell those of one profile apart

}  // namespace nmt
