// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/concurrent_bandwidth.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/units.h"
#include "tuner/predict.h"

namespace nmt::tuner {
namespace {

constexpr std::uint64_t kSizesBytes[] = {std::uint64_t{64} << 10, std::uint64_t{1} << 20};

std::set<std::string> names_in(const std::string& list) {
  const std::vector<std::string> names = split_list(list);
  return {names.begin(), names.end()};
}

const RailPlan* find(const Plan& plan, const RailPlan& like, const std::string& rail,
                     const std::set<std::string>& busy) {
  const auto found = std::ranges::find_if(plan.rails, [&](const RailPlan& each) {
    return each.rail == rail && each.regime == like.regime && each.placement == like.placement &&
           each.ranks_per_nic == like.ranks_per_nic && names_in(each.busy_rails) == busy;
  });
  return found == plan.rails.end() ? nullptr : &*found;
}

// The largest size at which transfers of the rail were measured.
std::uint64_t size_bytes_max(const RailPlan& rail) {
  double largest = 0;
  for (const PlanCurve& curve : rail.curves) {
    if (curve.benchmark != benchmark::kTransfer) continue;
    largest = std::max(largest, curve.duration.points().back().size_bytes);
  }
  return static_cast<std::uint64_t>(largest);
}

// Bytes per second for messages of this size; 0 if there is no such curve.
double bandwidth(const RailPlan& rail, std::uint64_t size_bytes) {
  const auto predicted = predict_transfer(rail, size_bytes, std::nullopt);
  if (!predicted || predicted->duration_ns <= 0) return 0;
  return static_cast<double>(size_bytes) / predicted->duration_ns * 1e9;
}

}  // namespace

double ConcurrentBandwidth::share_of_sum() const {
  double sum = 0, sum_alone = 0;
  for (const RailSpeed& rail : rails) {
    sum += rail.concurrent_bytes_per_second;
    sum_alone += rail.alone_bytes_per_second;
  }
  return sum_alone > 0 ? sum / sum_alone : 0;
}

std::vector<ConcurrentBandwidth> concurrent_bandwidths(const Plan& plan) {
  std::vector<ConcurrentBandwidth> all;
  std::set<std::tuple<std::string, std::string, std::set<std::string>>> seen;
  for (const RailPlan& first : plan.rails) {
    if (first.busy_rails.empty()) continue;
    std::set<std::string> names = names_in(first.busy_rails);
    names.insert(first.rail);
    if (!seen.insert({first.regime, first.placement, names}).second) continue;
    std::vector<std::pair<const RailPlan*, const RailPlan*>> members;  // alone, together
    std::uint64_t largest_bytes = UINT64_MAX;
    for (const std::string& name : names) {
      std::set<std::string> others = names;
      others.erase(name);
      const RailPlan* alone = find(plan, first, name, {});
      const RailPlan* together = find(plan, first, name, others);
      if (alone == nullptr || together == nullptr) break;
      members.push_back({alone, together});
      largest_bytes = std::min(largest_bytes, size_bytes_max(*together));
    }
    if (members.size() < names.size()) continue;  // some were not measured
    std::set<std::uint64_t> sizes(std::begin(kSizesBytes), std::end(kSizesBytes));
    sizes.insert(largest_bytes);
    for (const std::uint64_t size_bytes : sizes) {
      if (size_bytes > largest_bytes || size_bytes == 0) continue;
      ConcurrentBandwidth entry{
          .regime = first.regime, .placement = first.placement, .size_bytes = size_bytes};
      for (const auto& [alone, together] : members) {
        entry.rails.push_back(
            {alone->rail, bandwidth(*alone, size_bytes), bandwidth(*together, size_bytes)});
      }
      const bool known = std::ranges::all_of(entry.rails, [](const RailSpeed& rail) {
        return rail.alone_bytes_per_second > 0 && rail.concurrent_bytes_per_second > 0;
      });
      if (known) all.push_back(std::move(entry));
    }
  }
  return all;
}

}  // namespace nmt::tuner
