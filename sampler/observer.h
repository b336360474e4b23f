// SPDX-License-Identifier: BSD-3-Clause
//
// Whom a campaign tells, while it runs, how far it is and what it has measured.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/rail.h"
#include "core/sample.h"

namespace nmt {

struct Progress {
  std::string rail;       // and those beside it
  std::string phase;      // "warming up", "sampling", "verifying", "waiting for quiet"
  double done = 0;        // fraction of the whole campaign
  double left_ns = 0;     // expected
  std::size_t cells = 0;  // measured so far
};

// Told what happens, as it happens. measured() returns when the cells are safe on disk.
class Observer {
 public:
  virtual ~Observer() = default;
  // After each block: its cells as they are now, all repetitions of this session included. What
  // belongs to no rail is told of cores_rail().
  virtual void measured(const Rail& rail, std::span<const Sample> cells) = 0;
  virtual void progress(const Progress& progress) = 0;
  virtual bool interrupted() = 0;  // asked between blocks; true ends the campaign early
};

}  // namespace nmt
