// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/measurement_space.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"

namespace nmt::sampler {
namespace {

std::uint8_t traffic_index(std::string_view benchmark) {
  const auto found = std::find_if(std::begin(kTraffics), std::end(kTraffics),
                                  [&](const Traffic& t) { return t.benchmark == benchmark; });
  NMT_CHECK(found != std::end(kTraffics));
  return static_cast<std::uint8_t>(found - std::begin(kTraffics));
}

bool has(const MeasurementSpace& space, Method method) {
  return std::find(space.methods.begin(), space.methods.end(), method) != space.methods.end();
}

// `benchmark` with each eager method of the rail.
std::vector<Experiment> eager_ways(const MeasurementSpace& space, Regime regime,
                                   std::string_view benchmark, std::uint64_t size_bytes) {
  std::vector<Experiment> ways;
  for (const Method method : {Method::kCopy, Method::kIovec}) {
    if (!has(space, method)) continue;
    ways.push_back({traffic_index(benchmark), method, 0, regime, false, size_bytes});
  }
  return ways;
}

// A transfer with each variant of a method.
std::vector<Experiment> transfers(const MeasurementSpace& space, Method method, Regime regime,
                                  bool contended, std::uint64_t size_bytes) {
  const auto variants = space.variants.find(method);
  const std::size_t count = variants == space.variants.end() ? 1 : variants->second.size();
  std::vector<Experiment> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back({traffic_index(benchmark::kTransfer), method, static_cast<std::uint8_t>(i),
                   regime, contended, size_bytes});
  }
  return all;
}

// Beside busy rails, a message that no receiver accepts unexpected uses a rendezvous.
std::vector<Experiment> transfers_beside(const MeasurementSpace& space, Regime regime,
                                         std::uint64_t size_bytes) {
  std::vector<Experiment> all;
  const bool eager = size_bytes <= space.max_unexpected_bytes || !has(space, Method::kRendezvous);
  for (const Method method : space.methods) {
    if (method != Method::kRendezvous && !eager) continue;
    std::ranges::move(transfers(space, method, regime, true, size_bytes), std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::vector<DecisionSides> decisions_at(const MeasurementSpace& space, Regime regime,
                                        std::uint64_t size_bytes) {
  const auto transfer = [&](Method method) {
    return transfers(space, method, regime, false, size_bytes);
  };
  const auto ways = [&](std::string_view name) {
    return eager_ways(space, regime, name, size_bytes);
  };
  const bool eager = has(space, Method::kCopy) || has(space, Method::kIovec);
  std::vector<DecisionSides> contests;
  if (space.contended) return contests;
  if (has(space, Method::kCopy) && has(space, Method::kIovec)) {
    contests.push_back({DecisionKind::kIovec, transfer(Method::kCopy), transfer(Method::kIovec)});
  }
  if (eager && has(space, Method::kRendezvous) && size_bytes <= space.max_unexpected_bytes) {
    contests.push_back(
        {DecisionKind::kRendezvous, ways(benchmark::kEager), transfer(Method::kRendezvous)});
  }
  if (eager && 2 * size_bytes <= space.max_unexpected_bytes) {
    contests.push_back(
        {DecisionKind::kAggregation, ways(benchmark::kAggregate), ways(benchmark::kTwoPackets)});
  }
  return contests;
}

std::vector<Experiment> experiments_at(const MeasurementSpace& space, Regime regime,
                                       std::uint64_t size_bytes) {
  if (space.contended) return transfers_beside(space, regime, size_bytes);
  std::vector<Experiment> all;
  for (const Method method : space.methods) {
    std::ranges::move(transfers(space, method, regime, false, size_bytes), std::back_inserter(all));
  }
  if (size_bytes <= space.max_unexpected_bytes) {
    for (const auto& way : eager_ways(space, regime, benchmark::kEager, size_bytes)) {
      all.push_back(way);
    }
  }
  for (const DecisionSides& sides : decisions_at(space, regime, size_bytes)) {
    if (sides.kind != DecisionKind::kAggregation) continue;
    all.insert(all.end(), sides.below.begin(), sides.below.end());
    all.insert(all.end(), sides.above.begin(), sides.above.end());
  }
  all.push_back({traffic_index(benchmark::kMemcpy), Method::kCopy, 0, regime, false, size_bytes});
  return all;
}

}  // namespace nmt::sampler
