// SPDX-License-Identifier: BSD-3-Clause
//
// Opens the profile for a subcommand, and chooses the platform: the only one in the profile, else
// this machine's, else the one measured last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiledb/profiledb.h"
#include "tools/command/named_plans.h"
#include "tools/tune/subcommands.h"

namespace nmt::tools {

struct OpenProfile {
  profiledb::Location location;
  profiledb::ProfileDb db;
  Platform platform;
  std::string why;  // why this platform: "the only one", "this machine's", ...
};

// Throws Error(kDatabase) if there is no profile or it is empty; the message names the command that
// makes one.
OpenProfile open_to_read(const ProfileOptions& options, const Invocation& invocation);
OpenProfile open_to_write(const ProfileOptions& options, const Invocation& invocation);

// The same without choosing a platform. `create`: make the file if it is absent.
profiledb::ProfileDb open_whole_to_read(const ProfileOptions& options,
                                        const Invocation& invocation);
profiledb::ProfileDb open_whole_to_write(const ProfileOptions& options,
                                         const Invocation& invocation, bool create);

// The stored plan, or one derived now if none is stored (a campaign that was killed). Warns if the
// samples have changed since.
Plan read_plan(const OpenProfile& profile, const Invocation& invocation);
profiledb::StoredPlan read_stored_plan(const OpenProfile& profile, const Invocation& invocation);

// The plan of the samples in force: the stored one if it is current, else one derived now.
Plan plan_in_force(const profiledb::ProfileDb& db, const Platform& platform);

// The one entry whose identifier begins with `prefix`. Throws Error(kUsage).
Id find_by_prefix(std::string_view prefix, const std::vector<Id>& known, std::string_view what);

// Throws Error(kUsage) with the nearest name for a rail that the plan does not have.
void require_rails(const Plan& plan, const std::vector<std::string>& rails);

// The plan of one rail to answer from: the first that fits. If there are more, a notice names it
// and says how to choose. Throws Error(kUsage) for a rail without measurements of this regime.
NamedPlan plan_of_rail(const OpenProfile& profile, const std::string& rail,
                       const std::string& regime, const PairOptions& pairs,
                       const Invocation& invocation);

std::string short_id(const Id& id);  // distinguishes the entries of one profile

}  // namespace nmt::tools
