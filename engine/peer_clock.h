// SPDX-License-Identifier: BSD-3-Clause
//
// When something happened at the other end of a link, by this end's clock.
//
// The two clocks differ by an unknown constant and run at nearly the same rate. A time stamp of the
// other end arrives after the transit time of its message, or later if one of the ends had to be
// woken. The smallest difference seen belongs to the shortest transit. It is used for all time
// stamps, so that wake-up times are not part of the result. What a small message and an empty one
// back take together tells the transit itself.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

namespace nmt::engine {

class PeerClock {
 public:
  // A message that left at `left_ns` by the peer's clock is here at `now_ns` by our clock.
  void hear(double left_ns, double now_ns) {
    const double drift_ns = kDriftMax * std::max(0.0, now_ns - last_ns_);
    ahead_ns_ = std::min(ahead_ns_ + drift_ns, now_ns - left_ns);
    last_ns_ = now_ns;
  }

  // When we would hear of an event at `theirs_ns` after the shortest transit.
  double heard_ns(double theirs_ns) const { return theirs_ns + ahead_ns_; }

  // A small message of ours left at `left_ns` and came at `came_ns` by the peer's clock. An empty
  // message takes this share of what both take.
  void time(double left_ns, double came_ns, double empty_share) {
    const double transit_ns = empty_share * (heard_ns(came_ns) - left_ns);
    if (transit_ns >= 0) transit_ns_ = std::min(kForget * transit_ns_, transit_ns);
  }

  // The shortest transit of an empty message; nullopt before one was timed.
  std::optional<double> transit_ns() const {
    if (transit_ns_ == std::numeric_limits<double>::infinity()) return std::nullopt;
    return transit_ns_;
  }

 private:
  static constexpr double kDriftMax = 1e-4;  // between two synchronized clocks
  static constexpr double kForget = 1.005;   // per message, so that a slower rail shows

  double ahead_ns_ = std::numeric_limits<double>::infinity();  // ours, plus the shortest transit
  double last_ns_ = 0;
  double transit_ns_ = std::numeric_limits<double>::infinity();
};

}  // namespace nmt::engine
