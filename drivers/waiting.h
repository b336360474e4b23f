// SPDX-License-Identifier: BSD-3-Clause
//
// How to wait for endpoints without wasting a core that somebody else could use.
//
// Looking again and again notices a small message soonest, and takes a core away from whoever has
// work: another process, or the kernel's own share in moving the bytes. So a Waiting looks for
// about as long as sleeping and waking would cost, and then sleeps in the kernel until one of the
// endpoints has news. Where one of them only tells by being looked at, it gives way and looks on.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "drivers/driver.h"

namespace nmt {

class Waiting {
 public:
  // Adds what is to be watched, as Endpoint::watch() does.
  using Watch = std::function<bool(std::vector<pollfd>&)>;

  // Called after each look in vain; `looks_in_vain` counts them from 1. Parts of a long message are
  // no news: while one comes, it sleeps from part to part.
  void rest(std::uint64_t looks_in_vain, const Watch& watch);

 private:
  bool looking_ = true;
  std::chrono::steady_clock::time_point since_;
  std::vector<pollfd> watched_;
};

}  // namespace nmt
