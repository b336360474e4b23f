// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tuner/planted.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/error.h"
#include "core/statistics.h"

namespace nmt::planted {
namespace {

Id id_of(std::uint64_t number, std::uint8_t kind) {
  Id id;
  id.bytes[0] = kind;
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[8 + i] = static_cast<std::uint8_t>(number >> (8 * (7 - i)));
  }
  return id;
}

struct Cell {
  std::string benchmark;
  Method method;
  std::uint64_t size_bytes;
  bool held_out;
};

std::vector<Cell> cells_at(std::uint64_t size, bool held_out, std::uint64_t max_unexpected_bytes) {
  std::vector<Cell> cells;
  const auto add = [&](std::string_view benchmark, Method method) {
    cells.push_back({std::string(benchmark), method, size, held_out});
  };
  for (const Method method : kMethods) add(benchmark::kTransfer, method);
  for (const Method method : {Method::kCopy, Method::kIovec}) {
    if (size <= max_unexpected_bytes) add(benchmark::kEager, method);
    if (2 * size <= max_unexpected_bytes) add(benchmark::kTwoPackets, method);
    if (2 * size <= max_unexpected_bytes) add(benchmark::kAggregate, method);
  }
  return cells;
}

Sample measure_cell(const Rail& rail, const Cell& cell, const Campaigning& campaigning,
                    const std::vector<double>& speeds, std::mt19937_64& random) {
  const Noise& noise = campaigning.noise;
  std::lognormal_distribution<double> jitter(0, std::sqrt(std::log1p(noise.cv * noise.cv)));
  std::bernoulli_distribution outlier(noise.outlier_rate);
  Sample sample{.condition = {.benchmark = cell.benchmark,
                              .method = std::string(to_string(cell.method)),
                              .placement = "distinct-cores",
                              .header_bytes = 64},
                .size_bytes = cell.size_bytes,
                .held_out = cell.held_out};
  const double truth_ns =
      rail.duration_ns(cell.benchmark, cell.method, static_cast<double>(cell.size_bytes));
  constexpr std::uint32_t kBatch = 1000;  // so that whole nanoseconds do not round the truth
  for (std::uint32_t round = 0; round < campaigning.rounds; ++round) {
    for (std::uint32_t i = 0; i < campaigning.repetitions; ++i) {
      double duration_ns = truth_ns * speeds[round] * (noise.cv > 0 ? jitter(random) : 1);
      if (outlier(random)) duration_ns *= noise.outlier_factor;
      sample.repetitions.push_back(
          {.total_ns = static_cast<std::uint64_t>(std::llround(duration_ns * kBatch)),
           .batch = kBatch,
           .round = round});
    }
  }
  return sample;
}

Curve line(double start_ns, double ns_per_byte) {
  constexpr double kFar = 1 << 20;
  return Curve({{0, start_ns}, {kFar, start_ns + kFar * ns_per_byte}});
}

}  // namespace

double Rail::transfer_ns(Method method, double size_bytes) const {
  switch (method) {
    case Method::kCopy:
      return copy.at(size_bytes);
    case Method::kIovec:
      return iovec.at(size_bytes);
    case Method::kRendezvous:
      return rendezvous.at(size_bytes);
  }
  NMT_CHECK(!"method");
  return 0;
}

double Rail::duration_ns(const std::string& benchmark, Method method, double size_bytes) const {
  const double transfer = transfer_ns(method, size_bytes);
  if (benchmark == benchmark::kEager) return transfer + memcpy.at(size_bytes);
  if (benchmark == benchmark::kTwoPackets) return transfer * (1 + second_packet);
  if (benchmark == benchmark::kAggregate) return transfer_ns(method, 2 * size_bytes);
  return transfer;
}

double Rail::log_ratio(DecisionKind kind, double size_bytes) const {
  const auto best = [&](std::string_view benchmark) {
    return std::min(duration_ns(std::string(benchmark), Method::kCopy, size_bytes),
                    duration_ns(std::string(benchmark), Method::kIovec, size_bytes));
  };
  switch (kind) {
    case DecisionKind::kIovec:
      return std::log(iovec.at(size_bytes) / copy.at(size_bytes));
    case DecisionKind::kRendezvous:
      return std::log(rendezvous.at(size_bytes) / best(benchmark::kEager));
    case DecisionKind::kAggregation:
      return std::log(best(benchmark::kTwoPackets) / best(benchmark::kAggregate));
  }
  NMT_CHECK(!"decision kind");
  return 0;
}

Launch measure(const Rail& rail, const Campaigning& campaigning, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Noise& noise = campaigning.noise;
  const double band = noise.session_drift;
  const double session = std::uniform_real_distribution<double>(1 - band, 1 + band)(random);
  const double phase = std::uniform_real_distribution<double>(0, 6)(random);
  std::vector<double> speeds;
  for (std::uint32_t round = 0; round < campaigning.rounds; ++round) {
    speeds.push_back(session * (1 + noise.round_drift * std::sin(phase + 0.5 * round)));
  }
  Launch launch{.factor = median(speeds)};
  SampleSet& set = launch.set;
  set.campaign = {.id = id_of(seed, 1), .complete = true};
  set.campaign.options["max_unexpected_bytes"] = std::to_string(campaigning.max_unexpected_bytes);
  set.session = {.id = id_of(seed, 2), .seed = seed};
  set.path = {.id = id_of(std::hash<std::string>()(rail.name), 3),
              .from = {.driver = "fake", .name = rail.name},
              .to = {.driver = "fake", .name = rail.name}};
  for (const bool held_out : {false, true}) {
    for (const std::uint64_t size :
         held_out ? campaigning.held_out_bytes : campaigning.sizes_bytes) {
      for (const Cell& cell : cells_at(size, held_out, campaigning.max_unexpected_bytes)) {
        set.samples.push_back(measure_cell(rail, cell, campaigning, speeds, random));
      }
    }
  }
  return launch;
}

std::vector<std::uint64_t> grid(std::uint64_t size_bytes_max, bool halves) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size <= size_bytes_max; size *= 2) {
    sizes.push_back(size);
    if (halves && size > 1 && size + size / 2 < size_bytes_max) sizes.push_back(size + size / 2);
  }
  return sizes;
}

std::vector<std::uint64_t> log_uniform(std::uint64_t from, std::uint64_t to, std::size_t count) {
  std::vector<std::uint64_t> sizes;
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    sizes.push_back(static_cast<std::uint64_t>(static_cast<double>(from) * std::pow(ratio, part)));
  }
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

Rail jack() {
  return {.name = "jack",
          .copy = Curve({{0, 1600}, {8, 1660}, {64, 1760}, {16384, 9000}, {1048576, 420000}}),
          .iovec = Curve({{0, 1660}, {8, 1660}, {64, 1690}, {16384, 8000}, {1048576, 370000}}),
          .rendezvous = line(6000, 0.33),
          .memcpy = line(40, 0.25)};
}

Rail joe() {
  return {
      .name = "joe",
      .copy = Curve({{0, 2200}, {49, 2300}, {256, 2560}, {16384, 17000}, {1048576, 900000}}),
      .iovec = Curve(
          {{0, 2300}, {49, 2300}, {256, 2450}, {16384, 15500}, {32768, 26684}, {1048576, 720000}}),
      .rendezvous = Curve({{0, 7000}, {32768, 20000}, {1048576, 440000}}),
      // Eager, at 32 KB, is 1.84 times the rendezvous: 26684 + 10116 = 1.84 * 20000.
      .memcpy = Curve({{0, 30}, {32768, 10116}, {1048576, 323000}})};
}

Rail genepi() {
  return {.name = "genepi",
          .copy = Curve(
              {{0, 1900}, {4096, 6000}, {16384, 1.17 * 15600}, {65536, 62000}, {1048576, 960000}}),
          .iovec = Curve({{0, 2500},
                          {4096, 6000},
                          {16384, 15600},
                          {17408, 16400},
                          {65536, 52000},
                          {1048576, 780000}}),
          .rendezvous =
              Curve({{0, 9000}, {17408, 1.21 * (16400 + 1400)}, {65536, 58500}, {1048576, 770000}}),
          .memcpy = Curve({{0, 10}, {17408, 1400}, {65536, 5300}, {1048576, 85000}})};
}

Rail infini() {
  constexpr double kThreshold = 17408;
  constexpr double kEagerNs = 4400 + 1.3 * kThreshold + 400 + 1.0 * kThreshold;
  return {.name = "infini",
          .copy = line(4000, 1.7),
          .iovec = line(4400, 1.3),
          .rendezvous = line(kEagerNs - 1.6 * kThreshold, 1.6),
          .memcpy = line(400, 1.0)};
}

}  // namespace nmt::planted
