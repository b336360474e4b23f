// SPDX-License-Identifier: BSD-3-Clause
//
// Snapshots of an older version, as snapshots of this one: new fields of their records become 0,
// which means "not known" (runtime/layout.h).
#pragma once

#include <string_view>

#include "runtime/storage.h"

namespace nmt::runtime {

// Returns `image` as it is, unless it is of an older version that is still read. Throws
// Error(kDatabase) as check() does, with `what` as the name of the file.
Storage completed(Storage image, std::string_view what);

}  // namespace nmt::runtime
