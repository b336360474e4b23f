// SPDX-License-Identifier: BSD-3-Clause
//
// The configuration that the two ends of a benchmark agree on, and their messages during it, over
// their connection (tools/peer/rail_negotiation.h), as JSON read without trust.
//
//   near                              far
//   kExchange  addresses        <->        while both open their engines
//   kPlay      cell              ->        runs its part
//                               <-   kPlayed   its resource usage
//   kEnd                         ->
//
// The far end may send kFailure, with the cause, instead of anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "tools/bench/traffic_pattern.h"

namespace nmt::tools::bench {

enum Kind : std::uint16_t { kExchange = 96, kPlay, kPlayed, kEnd, kFailure };

inline constexpr std::uint64_t kSizeBytesMax = std::uint64_t{1} << 30;  // of a message
inline constexpr std::uint32_t kAtOnceMax = 4096;
inline constexpr std::uint32_t kSegmentsMax = 1024;
inline constexpr std::uint32_t kCountMax = 100000;  // of a repetition

// A strategy to measure. A single rail is given by its index, because each end has its own name for
// it.
struct Contender {
  std::string strategy;
  std::optional<std::size_t> only;
};

struct MeasurementConfig {
  std::vector<Contender> contenders;
  std::uint64_t size_bytes_max = 0;
  std::uint32_t at_once_max = 1;
  bool no_profile = false;  // neither end uses one
};

// Resource usage of a cell, at one end or at both.
struct ResourceUsage {
  double processor_ns = 0;
  std::vector<engine::LinkState> links;  // traffic of each rail
  engine::GateState gate;
};
ResourceUsage& operator+=(ResourceUsage& usage, const ResourceUsage& other);
ResourceUsage operator-(ResourceUsage after, const ResourceUsage& before);  // with the same links

json::Value to_json(const MeasurementConfig& config);
json::Value to_json(const BenchCell& cell);
json::Value to_json(const ResourceUsage& usage);

// Error(kPeer) for an invalid text.
MeasurementConfig measurement_config_from(const std::string& text, std::size_t rails);
BenchCell cell_from(const std::string& text, const MeasurementConfig& config);
ResourceUsage usage_from(const std::string& text, std::size_t rails);

}  // namespace nmt::tools::bench
