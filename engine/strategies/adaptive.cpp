// SPDX-License-Identifier: BSD-3-Clause
//
// The default: small packets together over the rail that ends first, large ones split by prediction
// over idle and busy rails, so that all chunks end at the same time (papers "sampling-based
// auto-tuning", III-C, and "multirail on multicore", II-B).
//
// Packets are planned in order, each with the rails as the ones before it will leave them. Chunks
// of idle rails go now. What is planned for a busy rail waits and is planned again when that rail
// is idle, with what is true then; so is a packet that no idle rail would end sooner than a busy
// one.
#include <algorithm>
#include <array>

#include "engine/strategy.h"

namespace nmt::engine {
namespace {

// How far ahead a plan looks: rails are few, and what is behind will be planned again anyway.
constexpr std::size_t kPlannedMax = 16;

class Planner {
 public:
  explicit Planner(Outlet& outlet) : outlet_(outlet) {}

  // Plans and sends all it can; false where nothing is known about the rails.
  bool plan_all() {
    std::size_t unit = 0;
    for (std::size_t planned = 0; planned < kPlannedMax; ++planned) {
      if (unit == outlet_.window().large.size() || !any_idle()) return true;
      if (!plan(unit)) return false;
    }
    return true;
  }

 private:
  bool any_idle() const {
    return std::ranges::any_of(outlet_.lanes(), [](const Lane& lane) { return lane.takes_large; });
  }

  // Splits one unit; moves on to the next where something of it has to wait.
  bool plan(std::size_t& unit) {
    const std::size_t lanes = std::min<std::size_t>(outlet_.lanes().size(), NMT_SPLIT_RAILS_MAX);
    for (std::size_t i = 0; i < lanes; ++i) {
      const Lane& lane = outlet_.lanes()[i];
      shares_[i] = {};
      shares_[i].struct_bytes = sizeof shares_[i];
      shares_[i].path = lane.path;
      shares_[i].release_ns = std::max(lane.release_ns, planned_ns_[i]);
    }
    nmt_split_result result;
    const std::uint64_t size_bytes = outlet_.window().large[unit].label.body_bytes;
    if (!outlet_.advice().split(size_bytes, std::span(shares_).first(lanes), result)) return false;
    bool gone = false;
    for (std::size_t i = 0; i < lanes && i < outlet_.lanes().size(); ++i) {
      if (shares_[i].bytes == 0) continue;
      if (outlet_.lanes()[i].takes_large && planned_ns_[i] == 0) {
        gone = outlet_.send_large(i, unit, shares_[i].bytes);
      } else {
        planned_ns_[i] = shares_[i].end_ns;
      }
    }
    if (!gone) ++unit;
    return true;
  }

  Outlet& outlet_;
  std::array<nmt_share, NMT_SPLIT_RAILS_MAX> shares_;
  std::array<double, NMT_SPLIT_RAILS_MAX> planned_ns_{};  // release behind what waits; 0: nothing
};

}  // namespace

void schedule_adaptive(Outlet& outlet) {
  send_small_together(outlet);
  if (outlet.window().large.empty()) return;
  if (!Planner(outlet).plan_all()) send_large_whole(outlet);
}

}  // namespace nmt::engine
