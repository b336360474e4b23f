// SPDX-License-Identifier: BSD-3-Clause
//
// The names of groups of rails, which groups a campaign measures, and opening one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sampler/rail/campaign.h"
#include "sampler/rail/ping_pong.h"

namespace nmt::sampler {

// As in Condition::busy_rails: full names separated by ',', ordered by name.
std::string busy_names(const RailGroup& group, std::span<const RailToSample> rails);

// "tcp:r0", "tcp:r0 beside tcp:r1".
std::string name_of(const RailGroup& group, std::span<const RailToSample> rails);

// Each rail beside each other rail, and beside all others together if there are several. Rails with
// different clocks are never in one group. A rail that is not `usable` is in none.
std::vector<RailGroup> contended_groups(std::span<const RailToSample> rails,
                                        const std::vector<bool>& usable);

// Opens this end of all of them; the other end opens the same rails at the same time.
OpenRails open_rails(const RailGroup& group, std::span<const RailToSample> rails,
                     drivers::Side side, drivers::Exchange& exchange);

}  // namespace nmt::sampler
