// SPDX-License-Identifier: BSD-3-Clause
//
// Receives a campaign's progress and measurements while it runs.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/rail.h"
#include "core/sample.h"

namespace nmt::sampler {

struct Progress {
  std::string rail;       // with its busy rails
  std::string phase;      // "warming up", "sampling", "verifying", "waiting for quiet"
  double done = 0;        // fraction of the whole campaign
  double left_ns = 0;     // expected
  std::size_t cells = 0;  // measured so far
};

// Called as things happen. measured() returns when the cells are safe on disk.
class Observer {
 public:
  virtual ~Observer() = default;
  // Called after each block: the current state of its cells, with all repetitions of this session.
  // Measurements without a rail use cores_rail().
  virtual void measured(const Rail& rail, std::span<const Sample> cells) = 0;
  virtual void progress(const Progress& progress) = 0;
  virtual bool interrupted() = 0;  // called between blocks; true ends the campaign early
};

}  // namespace nmt::sampler
