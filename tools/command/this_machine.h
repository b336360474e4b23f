// SPDX-License-Identifier: BSD-3-Clause
//
// This machine as a profile knows it: its platform and node, with fresh identifiers that the
// profile replaces by those of its stored twins.
#pragma once

#include "core/rail.h"

namespace nmt {

Platform this_platform();  // full fingerprint: some milliseconds
Node this_node();

}  // namespace nmt
