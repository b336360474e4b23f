// SPDX-License-Identifier: BSD-3-Clause
//
// The profile as communication stacks see it, opened and asked through the library's C ABI. So the
// subcommands decide, split and compile print what a program that links libnmadtune gets.
#pragma once

#include <string>

#include "core/json.h"
#include "runtime/runtime.h"
#include "tools/command/named_plans.h"
#include "tools/command/opened_profile.h"
#include "tools/tune/subcommands.h"

namespace nmt::tools {

using Advice = OpenedProfile;

// From --db, a database or a flat snapshot, else from the usual file. Warns if it was measured on
// another platform. Throws Error(kDatabase); Error(kUsage) for an unknown platform.
Advice open_advice(const ProfileOptions& options, const Invocation& invocation);

nmt_description describe(const Advice& advice);
// {"id", "name", "foreign", "unconfirmed"}: the platform whose measurements are used.
json::Value platform_json(const Advice& advice);

// Throws Error(kUsage) with the nearest name for a rail that the profile does not have, or that was
// not measured in this regime.
int find_path(const Advice& advice, const std::string& rail, const std::string& regime,
              const RanksPerNic& ranks = {});
nmt_path_description describe(const Advice& advice, int path);

}  // namespace nmt::tools
