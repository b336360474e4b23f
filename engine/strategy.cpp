// SPDX-License-Identifier: BSD-3-Clause
#include "engine/strategy.h"

#include <algorithm>
#include <limits>

#include "engine/engine.h"

namespace nmt::engine {
namespace {

constexpr std::string_view kSingle = "single:";

// A rail without experience is tried if it could be the best of all, should the profile be a third
// wrong about each: 4/3 over 2/3.
constexpr double kDoubt = 2;

// In the order of the papers.
constexpr Strategy kStrategies[] = {
    {"greedy", schedule_greedy},
    {"aggregate", schedule_aggregate},
    {"iso", schedule_iso},
    {"strip", schedule_strip},
    {"adaptive", schedule_adaptive, true, true},
    {"offload", schedule_offload, true, true, true},
};
constexpr Strategy kInTurn = {"single", schedule_greedy, true};

}  // namespace

const Strategy* find_strategy(std::string_view name, std::string& only) {
  only.clear();
  if (name.starts_with(kSingle) && name.size() > kSingle.size()) {
    only = name.substr(kSingle.size());
    return &kInTurn;
  }
  for (const Strategy& strategy : kStrategies) {
    if (strategy.name == name) return &strategy;
  }
  return nullptr;
}

double end_ns(const Advice& advice, const Lane& lane, std::uint64_t size_bytes) {
  return lane.release_ns + advice.duration_ns(lane.path, size_bytes).value_or(0) *
                               lane.paces->factor(SentAs::kSmall, size_bytes);
}

std::size_t first_to_end(const Advice& advice, std::span<const Lane> lanes,
                         std::uint64_t size_bytes) {
  if (lanes.size() == 1) return 0;
  std::size_t first = 0;
  double first_ns = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Lane& lane = lanes[i];
    const bool doubted =
        !lane.probing && lane.release_ns == 0 && !lane.paces->knows(SentAs::kSmall, size_bytes);
    const double hoped_ns = end_ns(advice, lane, size_bytes) / (doubted ? kDoubt : 1);
    if (hoped_ns >= first_ns) continue;
    first = i;
    first_ns = hoped_ns;
  }
  return first;
}

std::size_t aggregated(const Outlet& outlet, int path) {
  const Units& small = outlet.window().small;
  std::uint64_t together_bytes = small.front().label.body_bytes;
  std::size_t count = 1;
  while (count < std::min(small.size(), drivers::kPacketsMax)) {
    const std::uint64_t next_bytes = small[count].label.body_bytes;
    if (!outlet.advice().aggregate(path, together_bytes, next_bytes)) break;
    together_bytes += next_bytes;
    ++count;
  }
  return count;
}

void send_small_together(Outlet& outlet) {
  while (!outlet.window().small.empty() && !outlet.lanes().empty()) {
    const std::size_t lane = outlet.first_to_end(outlet.window().small.front().label.body_bytes);
    if (!outlet.lanes()[lane].takes_small) return;
    outlet.send_small(lane, aggregated(outlet, outlet.lanes()[lane].path));
  }
}

void send_large_whole(Outlet& outlet) {
  for (bool fed = true; fed;) {
    fed = false;
    for (std::size_t lane = 0; lane < outlet.lanes().size(); ++lane) {
      if (outlet.window().large.empty() || !outlet.lanes()[lane].takes_large) continue;
      outlet.send_large(lane, 0, outlet.window().large.front().label.body_bytes);
      fed = true;
    }
  }
}

}  // namespace nmt::engine

namespace nmt::engine {

std::vector<std::string> strategy_names() {
  std::vector<std::string> names = {"single:RAIL"};
  for (const engine::Strategy& strategy : engine::kStrategies) names.emplace_back(strategy.name);
  return names;
}

}  // namespace nmt::engine
