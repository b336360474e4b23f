// SPDX-License-Identifier: BSD-3-Clause
//
// When something happened at the other end of a link, by this end's clock.
//
// The two clocks differ by an unknown constant and run at nearly the same rate. A time stamp of the
// other end arrives after the transit time of a small message, or later if one of the ends had to
// be woken. The smallest difference seen belongs to the shortest transit. It is used for all time
// stamps, so that wake-up times are not part of the result.
#pragma once

#include <algorithm>
#include <limits>

namespace nmt::engine {

class PeerClock {
 public:
  // An event at `theirs_ns` by the peer's clock is heard of at `now_ns` by our clock.
  void hear(double theirs_ns, double now_ns) {
    const double drift_ns = kDriftMax * std::max(0.0, now_ns - last_ns_);
    ahead_ns_ = std::min(ahead_ns_ + drift_ns, now_ns - theirs_ns);
    last_ns_ = now_ns;
    theirs_ns_ = theirs_ns;
  }

  // When the last event would have been heard of after the shortest transit.
  double heard_ns() const { return theirs_ns_ + ahead_ns_; }

 private:
  static constexpr double kDriftMax = 1e-4;  // between two synchronized clocks

  double ahead_ns_ = std::numeric_limits<double>::infinity();  // ours, plus the shortest transit
  double last_ns_ = 0;
  double theirs_ns_ = 0;
};

}  // namespace nmt::engine
