// SPDX-License-Identifier: BSD-3-Clause
//
// When something happened at the other end of a link, by this end's clock.
//
// The two clocks differ by an unknown constant, and nearly run at the same rate. What the other end
// dates and sends is heard after the way of a small message at best, and later where either end had
// to be woken. The least difference that was seen is that of the shortest way; it is used for all,
// so that waking up is no part of what was measured.
#pragma once

#include <algorithm>
#include <limits>

namespace nmt::engine {

class PeerClock {
 public:
  // Of something at `theirs_ns` by their clock is heard at `now_ns` by ours.
  void hear(double theirs_ns, double now_ns) {
    const double drift_ns = kDriftMax * std::max(0.0, now_ns - last_ns_);
    ahead_ns_ = std::min(ahead_ns_ + drift_ns, now_ns - theirs_ns);
    last_ns_ = now_ns;
    theirs_ns_ = theirs_ns;
  }

  // When the last of it would have been heard, had its way been the shortest.
  double heard_ns() const { return theirs_ns_ + ahead_ns_; }

 private:
  static constexpr double kDriftMax = 1e-4;  // between two clocks that are kept right

  double ahead_ns_ = std::numeric_limits<double>::infinity();  // ours, with the shortest way
  double last_ns_ = 0;
  double theirs_ns_ = 0;
};

}  // namespace nmt::engine
