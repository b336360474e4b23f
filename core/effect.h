// SPDX-License-Identifier: BSD-3-Clause
//
// What a change of a fingerprint's field can change about measurements.
//
// Most fields are decisive: another processor, NIC, firmware or MTU is another platform. A kernel's
// patch release, another C library or driver version seldom changes speeds, so rails go on to be
// advised, marked as unconfirmed until a check confirms them (core/confirmation.h) or they are
// measured again. An MPI says nothing about rails, which do not use it.
#pragma once

#include <string_view>
#include <vector>

#include "core/fields.h"

namespace nmt {

enum class Effect { kNone, kUnconfirmed, kForeign };
std::string_view to_string(Effect effect);  // "none", "unconfirmed", "foreign"

Effect effect_of(const Difference& difference);
// Of all of them together: the gravest.
Effect effect_of(const std::vector<Difference>& differences);

}  // namespace nmt
