// SPDX-License-Identifier: BSD-3-Clause
//
// A plan and what is known about it, made into the bytes of a snapshot (runtime/layout.h).
#pragma once

#include <string>

#include "core/plan.h"
#include "core/rail.h"
#include "runtime/storage.h"

namespace nmt {

// What a profile says about itself besides its plan.
struct Provenance {
  Platform platform;
  std::string measured_utc;
  std::string tool_version;
  bool complete = false;
  double quality = 0;
};

// Throws Error(kFailed) for a plan that no snapshot can hold.
Storage compile(const Provenance& provenance, const Plan& plan);

}  // namespace nmt
