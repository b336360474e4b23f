// SPDX-License-Identifier: BSD-3-Clause
//
// The profile as communication stacks see it: opened by the library, asked through its C ABI. What
// the subcommands decide, split and compile say is what a program that links libnmadtune is told.
#pragma once

#include <string>

#include "core/json.h"
#include "runtime/runtime.h"
#include "tools/command/opened_profile.h"
#include "tools/tune/subcommands.h"

namespace nmt {

using Advice = OpenedProfile;

// Of --db, a database or a flat snapshot, else of the usual one. Tells where it was measured on
// another platform. Throws Error(kDatabase), Error(kUsage) for a platform that it lacks.
Advice open_advice(const ProfileOptions& options, const Invocation& invocation);

nmt_description describe(const Advice& advice);
// {"id", "name", "foreign"}: whose measurements the advice comes from.
json::Value platform_json(const Advice& advice);

// Throws Error(kUsage) with the nearest name for a rail that the profile lacks, or that was not
// measured under the regime.
int find_path(const Advice& advice, const std::string& rail, const std::string& regime);

}  // namespace nmt
