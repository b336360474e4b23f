// SPDX-License-Identifier: BSD-3-Clause
//
// What groups of rails are called, which of them a campaign measures, and opening one of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sampler/rail/campaign.h"
#include "sampler/rail/ping_pong.h"

namespace nmt {

// As Condition::busy_rails has them: full names with ',', in order of names.
std::string busy_names(const RailGroup& group, std::span<const RailToSample> rails);

// "tcp:r0", "tcp:r0 beside tcp:r1".
std::string name_of(const RailGroup& group, std::span<const RailToSample> rails);

// Each rail beside each other, and beside all others together where there are several. Rails that
// live in different times are never together. A rail that `usable` says no to is in none.
std::vector<RailGroup> contended_groups(std::span<const RailToSample> rails,
                                        const std::vector<bool>& usable);

// This end of all of them; the other end opens the same at the same time.
OpenRails open_rails(const RailGroup& group, std::span<const RailToSample> rails, Side side,
                     Exchange& exchange);

}  // namespace nmt
