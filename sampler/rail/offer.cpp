// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/offer.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"

namespace nmt {
namespace {

std::uint8_t traffic_index(std::string_view benchmark) {
  const auto found = std::find_if(std::begin(kTraffics), std::end(kTraffics),
                                  [&](const Traffic& t) { return t.benchmark == benchmark; });
  NMT_CHECK(found != std::end(kTraffics));
  return static_cast<std::uint8_t>(found - std::begin(kTraffics));
}

bool has(const Offer& offer, Method method) {
  return std::find(offer.methods.begin(), offer.methods.end(), method) != offer.methods.end();
}

// `benchmark` by each way of sending eagerly that the rail has.
std::vector<Experiment> eager_ways(const Offer& offer, Regime regime, std::string_view benchmark,
                                   std::uint64_t size_bytes) {
  std::vector<Experiment> ways;
  for (const Method method : {Method::kCopy, Method::kIovec}) {
    if (!has(offer, method)) continue;
    ways.push_back({traffic_index(benchmark), method, 0, regime, false, size_bytes});
  }
  return ways;
}

// A transfer by each variant of a method.
std::vector<Experiment> transfers(const Offer& offer, Method method, Regime regime, bool beside,
                                  std::uint64_t size_bytes) {
  const auto variants = offer.variants.find(method);
  const std::size_t count = variants == offer.variants.end() ? 1 : variants->second.size();
  std::vector<Experiment> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back({traffic_index(benchmark::kTransfer), method, static_cast<std::uint8_t>(i),
                   regime, beside, size_bytes});
  }
  return all;
}

// A message that no receiver accepts unexpected goes by rendezvous.
std::vector<Experiment> transfers_beside(const Offer& offer, Regime regime,
                                         std::uint64_t size_bytes) {
  std::vector<Experiment> all;
  const bool eager = size_bytes <= offer.max_unexpected_bytes || !has(offer, Method::kRendezvous);
  for (const Method method : offer.methods) {
    if (method != Method::kRendezvous && !eager) continue;
    std::ranges::move(transfers(offer, method, regime, true, size_bytes), std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::vector<Contest> contests_at(const Offer& offer, Regime regime, std::uint64_t size_bytes) {
  const auto transfer = [&](Method method) {
    return transfers(offer, method, regime, false, size_bytes);
  };
  const auto ways = [&](std::string_view name) {
    return eager_ways(offer, regime, name, size_bytes);
  };
  const bool eager = has(offer, Method::kCopy) || has(offer, Method::kIovec);
  std::vector<Contest> contests;
  if (offer.beside) return contests;
  if (has(offer, Method::kCopy) && has(offer, Method::kIovec)) {
    contests.push_back({DecisionKind::kIovec, transfer(Method::kCopy), transfer(Method::kIovec)});
  }
  if (eager && has(offer, Method::kRendezvous) && size_bytes <= offer.max_unexpected_bytes) {
    contests.push_back(
        {DecisionKind::kRendezvous, ways(benchmark::kEager), transfer(Method::kRendezvous)});
  }
  if (eager && 2 * size_bytes <= offer.max_unexpected_bytes) {
    contests.push_back(
        {DecisionKind::kAggregation, ways(benchmark::kAggregate), ways(benchmark::kTwoPackets)});
  }
  return contests;
}

std::vector<Experiment> experiments_at(const Offer& offer, Regime regime,
                                       std::uint64_t size_bytes) {
  if (offer.beside) return transfers_beside(offer, regime, size_bytes);
  std::vector<Experiment> all;
  for (const Method method : offer.methods) {
    std::ranges::move(transfers(offer, method, regime, false, size_bytes), std::back_inserter(all));
  }
  if (size_bytes <= offer.max_unexpected_bytes) {
    for (const auto& way : eager_ways(offer, regime, benchmark::kEager, size_bytes)) {
      all.push_back(way);
    }
  }
  for (const Contest& contest : contests_at(offer, regime, size_bytes)) {
    if (contest.kind != DecisionKind::kAggregation) continue;
    all.insert(all.end(), contest.below.begin(), contest.below.end());
    all.insert(all.end(), contest.above.begin(), contest.above.end());
  }
  all.push_back({traffic_index(benchmark::kMemcpy), Method::kCopy, 0, regime, false, size_bytes});
  return all;
}

}  // namespace nmt
