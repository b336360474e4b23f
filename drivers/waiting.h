// SPDX-License-Identifier: BSD-3-Clause
//
// How to wait for endpoints without wasting a core.
//
// A busy poll notices a small message soonest, but takes the core from other work: from another
// process, or from the kernel, which also moves the bytes. So a Waiting polls for about as long as
// sleeping and waking would take, and then sleeps in the kernel until an endpoint has news. If one
// of the endpoints can only be polled, it yields the core between polls.
//
// While news comes often, it polls longer. Else an exchange of small messages has two speeds: once
// one end sleeps, its answer comes so late that the other end sleeps too, and both go on so.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "drivers/driver.h"

namespace nmt::drivers {

class Waiting {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = Clock::time_point (*)();

  // Adds the descriptors to watch, as Endpoint::watch() does.
  using Watch = std::function<bool(std::vector<pollfd>&)>;

  explicit Waiting(Now now = &Clock::now) : now_(now) {}

  // Called after each poll without news; `looks_in_vain` counts them from 1. Parts of a long
  // message are no news: while one arrives, this sleeps between its parts. True if it slept, which
  // it does for a millisecond at most.
  bool rest(std::uint64_t looks_in_vain, const Watch& watch);

 private:
  Now now_;
  bool looking_ = true;
  Clock::time_point since_;  // the present wait, or the last one, began
  Clock::duration look_at_most_{};
  int short_waits_ = 0;  // still to come, since a long one was in vain
  std::vector<pollfd> watched_;
};

}  // namespace nmt::drivers
