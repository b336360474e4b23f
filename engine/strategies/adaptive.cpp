// SPDX-License-Identifier: BSD-3-Clause
//
// The default strategy: small packets together over the rail that ends first; large ones split by
// prediction over idle and busy rails, so that all chunks end at the same time (papers
// "sampling-based auto-tuning", III-C, and "multirail on multicore", II-B).
//
// Packets are planned in order. Each plan starts from the rails as the packets before will leave
// them. Chunks for idle rails go now. A chunk for a busy rail waits; it is planned again when that
// rail is idle, from the state at that time. A packet also waits if no idle rail would end it
// sooner than a busy one.
#include <algorithm>
#include <array>

#include "engine/strategy.h"

namespace nmt::engine {
namespace {

// Packets planned at most: there are few rails, and later packets are planned again anyway.
constexpr std::size_t kPlannedMax = 16;

// A pace differs from 1 by percents, so each round changes the result by percents of the last
// change.
constexpr int kSplitRounds = 3;

class Planner {
 public:
  explicit Planner(Outlet& outlet) : outlet_(outlet) {}

  // Plans and sends as much as possible; false if the rails were not measured.
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

  // Splits a message by the curves, then again with the durations that the paces of the lanes give.
  bool split(std::uint64_t size_bytes, std::size_t lanes) {
    std::array<double, NMT_SPLIT_RAILS_MAX> added_ns{};  // to durations, by the paces
    for (int round = 0; round < kSplitRounds; ++round) {
      const double least_ns = *std::min_element(added_ns.begin(), added_ns.begin() + lanes);
      for (std::size_t i = 0; i < lanes; ++i) {
        shares_[i] = {};
        shares_[i].struct_bytes = sizeof shares_[i];
        shares_[i].path = outlet_.lanes()[i].path;
        starts_ns_[i] = std::max(outlet_.lanes()[i].release_ns, planned_ns_[i]);
        shares_[i].release_ns = starts_ns_[i] + added_ns[i] - least_ns;
      }
      nmt_split_result result;
      const std::span<nmt_share> shares = std::span(shares_).first(lanes);
      if (!outlet_.advice().split(size_bytes, shares, result)) return false;
      bool at_pace = true;
      for (std::size_t i = 0; i < lanes; ++i) {
        if (shares_[i].bytes == 0) continue;
        const double factor = outlet_.lanes()[i].pace->factor(shares_[i].bytes);
        curves_ns_[i] = shares_[i].end_ns - shares_[i].release_ns;
        added_ns[i] = curves_ns_[i] * (factor - 1);
        at_pace &= factor == 1;
      }
      if (at_pace) break;
    }
    return true;
  }

  // Splits one unit; moves on to the next if a part of it has to wait.
  bool plan(std::size_t& unit) {
    const std::size_t lanes = std::min<std::size_t>(outlet_.lanes().size(), NMT_SPLIT_RAILS_MAX);
    if (!split(outlet_.window().large[unit].label.body_bytes, lanes)) return false;
    bool gone = false;
    for (std::size_t i = 0; i < lanes && i < outlet_.lanes().size(); ++i) {
      if (shares_[i].bytes == 0) continue;
      const Lane& lane = outlet_.lanes()[i];
      if (lane.takes_large && planned_ns_[i] == 0) {
        gone = outlet_.send_large(i, unit, shares_[i].bytes, curves_ns_[i]);
      } else {
        planned_ns_[i] = starts_ns_[i] + curves_ns_[i] * lane.pace->factor(shares_[i].bytes);
      }
    }
    if (!gone) ++unit;
    return true;
  }

  Outlet& outlet_;
  std::array<nmt_share, NMT_SPLIT_RAILS_MAX> shares_;
  std::array<double, NMT_SPLIT_RAILS_MAX> starts_ns_{};   // of the shares, from now
  std::array<double, NMT_SPLIT_RAILS_MAX> curves_ns_{};   // durations of the shares by the profile
  std::array<double, NMT_SPLIT_RAILS_MAX> planned_ns_{};  // release after planned chunks; 0: none
};

}  // namespace

void schedule_adaptive(Outlet& outlet) {
  send_small_together(outlet);
  if (outlet.window().large.empty()) return;
  if (!Planner(outlet).plan_all()) send_large_whole(outlet);
}

}  // namespace nmt::engine
