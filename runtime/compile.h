// SPDX-License-Identifier: BSD-3-Clause
//
// Compiles a plan and its provenance into the bytes of a snapshot (runtime/layout.h).
#pragma once

#include <string>
#include <vector>

#include "core/plan.h"
#include "core/rail.h"
#include "runtime/storage.h"

namespace nmt::runtime {

// The nodes at both ends of a path, and the rail at its own end.
struct PathEnds {
  Id path;
  Id from_node;
  Id to_node;
  std::string from_host;
  std::string to_host;
  Rail from;
};

// What a profile records about itself besides its plan.
struct Provenance {
  Platform platform;
  std::string measured_utc;
  std::string tool_version;
  bool complete = false;
  double quality = 0;
  std::vector<PathEnds> paths = {};
};

// Throws Error(kFailed) for a plan that does not fit a snapshot.
Storage compile(const Provenance& provenance, const Plan& plan);

}  // namespace nmt::runtime
