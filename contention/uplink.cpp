// SPDX-License-Identifier: BSD-3-Clause
#include "contention/uplink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "contention/bound.h"
#include "core/statistics.h"

namespace nmt::contention {
namespace {

// One session's alltoalls of one number of ranks and one size.
struct Place {
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;
  std::span<const std::string> nodes;
  double duration_ns = 0;  // median
};

std::vector<Place> places_of(const AlltoallTimes& measured) {
  std::map<std::tuple<std::uint32_t, std::int64_t, std::uint64_t>, std::vector<double>> times;
  std::vector<double> sizes;
  for (const AlltoallTime& time : measured.times) {
    times[{time.session, time.ranks, time.size_bytes}].push_back(time.duration_ns);
    sizes.push_back(static_cast<double>(time.size_bytes));
  }
  std::vector<Place> places;
  if (sizes.empty()) return places;
  const double least_bytes = median(sizes);
  for (const auto& [key, durations_ns] : times) {
    const auto& [session, ranks, size_bytes] = key;
    if (static_cast<double>(size_bytes) < least_bytes) continue;
    const auto hosts = measured.hosts.find(session);
    const std::vector<std::string>& named =
        hosts == measured.hosts.end() ? measured.topology->nodes() : hosts->second;
    places.push_back(
        {ranks, size_bytes, nodes_of(named, ranks, measured.ranks_per_node), median(durations_ns)});
  }
  return places;
}

// Sum, over all places, of the squares by which ln(duration / bound) differs from its size's mean.
double squares_of(const Topology& topology, const Curve& message, std::int64_t ranks_per_node,
                  std::span<const Place> places) {
  std::map<std::uint64_t, std::vector<double>> logs;
  for (const Place& place : places) {
    const double bound_ns = lower_bound_ns(message, place.ranks, ranks_per_node, place.size_bytes,
                                           topology, place.nodes);
    logs[place.size_bytes].push_back(std::log(place.duration_ns / bound_ns));
  }
  double squares = 0;
  for (const auto& [size_bytes, values] : logs) {
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
  }
  return squares;
}

}  // namespace

UplinkSearch with_uplinks(const AlltoallTimes& measured) {
  constexpr double kStep = 0.03;         // of the speed: half of what a fit can distinguish
  constexpr double kSlowest = 1.0 / 16;  // of one NIC
  constexpr double kBeyondChance = 4;    // of twice the logarithm of the likelihoods' ratio
  UplinkSearch search{.times = measured, .found = {}, .remark = {}};
  if (!measured.topology || measured.message.empty()) return search;
  const std::vector<Place> places = places_of(measured);
  const bool crossed = std::ranges::any_of(
      places, [&](const Place& place) { return measured.topology->needs_uplink(place.nodes); });
  if (!crossed) {
    if (measured.topology->needs_uplink(measured.topology->nodes())) {
      search.remark =
          "all measured ranks were below one switch: nothing is known of the switches' uplinks";
    }
    return search;
  }
  const Curve message = measured.message.monotone();
  const auto squares_with = [&](double uplink) {
    return squares_of(measured.topology->with_uplink(uplink), message, measured.ranks_per_node,
                      places);
  };
  // As fast as all nodes together never bounds.
  const double fastest = static_cast<double>(measured.topology->nodes().size());
  const double unbounded = squares_with(fastest);
  double best = fastest;
  double least = unbounded;
  for (double uplink = fastest; uplink > kSlowest; uplink /= 1 + kStep) {
    const double squares = squares_with(uplink);
    if (squares >= least) continue;
    least = squares;
    best = uplink;
  }
  const double count = static_cast<double>(places.size());
  const double improvement =
      least > 0 ? count * std::log(unbounded / least) : (unbounded > 0 ? kBeyondChance + 1 : 0);
  if (improvement < kBeyondChance) best = fastest;
  search.found = best;
  search.times.topology = measured.topology->with_uplink(best);
  search.remark = best == fastest
                      ? "no uplink of a switch limited what was measured; more ranks may reach one"
                      : "";
  return search;
}

}  // namespace nmt::contention
