// SPDX-License-Identifier: BSD-3-Clause
//
// The contention signatures of a snapshot, as the values that core/alltoall.h evaluates.
//
// Private. Created once when a profile is opened, in the order of the records.
#pragma once

#include <vector>

#include "core/signature.h"
#include "runtime/snapshot.h"

namespace nmt::runtime {

std::vector<Signature> signatures_of(const View& view);

}  // namespace nmt::runtime
