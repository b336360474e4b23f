// SPDX-License-Identifier: BSD-3-Clause
//
// This machine's platform and node, for a profile. They have new identifiers; the profile replaces
// them by those of equal stored ones.
#pragma once

#include "core/rail.h"

namespace nmt::tools {

Platform this_platform();  // full fingerprint: some milliseconds
Node this_node();

}  // namespace nmt::tools
