// SPDX-License-Identifier: BSD-3-Clause
//
// A thread that stays on one core for as long as this lives, and goes back to those it had before.
#pragma once

#include <sched.h>

#include "node/node.h"

namespace nmt {

class Pinned {
 public:
  explicit Pinned(int core) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    pin_to(core);
  }
  ~Pinned() { ::sched_setaffinity(0, sizeof before_, &before_); }
  Pinned(const Pinned&) = delete;

 private:
  cpu_set_t before_{};
};

}  // namespace nmt
