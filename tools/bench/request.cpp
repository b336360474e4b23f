// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"

namespace nmt::tools {
namespace {

constexpr std::uint64_t kSizesBytes[] = {1,     64,     512,     4096,    16384,
                                         65536, 262144, 1048576, 4194304, 16777216};
constexpr std::uint32_t kRounds = 15;
constexpr std::uint32_t kRoundsMax = 10000;
constexpr std::uint32_t kStreamAtOnce = 16;
constexpr std::uint32_t kRateAtOnce = 64;
constexpr std::string_view kSingle = "single:";

std::uint32_t limited(std::string_view option, std::uint64_t count, std::uint32_t high) {
  if (count >= 1 && count <= high) return static_cast<std::uint32_t>(count);
  throw Error(Fault::kUsage, fmt::format("{}: 1 to {}, not {}", option, high, count));
}

std::uint64_t at_once_of(const std::string& pattern, std::size_t sizes) {
  if (pattern == "stream") return kStreamAtOnce;
  if (pattern == "rate") return kRateAtOnce;
  return pattern == "flows" ? sizes : 1;
}

// The rail of "single:NAME": by its full name, or by the rest of the name if only one rail has it.
std::size_t rail_of(std::string_view name, const std::vector<bench::RailInUse>& rails) {
  std::vector<std::string> names;
  std::vector<std::size_t> short_for;
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const Rail& rail = rails[i].rail;
    if (rail.full_name() == name) return i;
    if (rail.name == name) short_for.push_back(i);
    names.push_back(rail.full_name());
  }
  if (short_for.size() == 1) return short_for.front();
  if (short_for.size() > 1) {
    throw Error(Fault::kUsage, fmt::format("{}{}: several rails have this name; write one of: {}",
                                           kSingle, name, fmt::join(names, ", ")));
  }
  throw Error(Fault::kUsage, fmt::format("{}{}: no such rail among the rails in use{}", kSingle,
                                         name, suggestion(name, names)));
}

}  // namespace

BenchRequest request_of(const BenchOptions& options) {
  BenchRequest request{.pattern = options.pattern, .strategies = split_list(options.compare)};
  if (request.strategies.empty()) request.strategies = {options.strategy};
  request.rounds = limited("--rounds", options.rounds.value_or(kRounds), kRoundsMax);
  std::vector<std::uint64_t> sizes_bytes = options.sizes_bytes;
  if (sizes_bytes.empty()) sizes_bytes.assign(std::begin(kSizesBytes), std::end(kSizesBytes));
  if (std::ranges::max(sizes_bytes) > bench::kSizeBytesMax) {
    throw Error(Fault::kUsage, "--sizes: at most " + format_bytes(bench::kSizeBytesMax));
  }
  const std::uint64_t at_once = at_once_of(options.pattern, sizes_bytes.size());
  BenchCell cell{
      .segments = limited("--segments", options.segments.value_or(1), bench::kSegmentsMax),
      .at_once = limited("--at-once", options.at_once.value_or(at_once), bench::kAtOnceMax)};
  if (options.pattern == "stream") cell.pattern = TrafficPattern::kStream;
  if (options.pattern == "rate") cell.pattern = TrafficPattern::kRate;
  if (options.pattern == "flows") {
    cell.sizes_bytes = sizes_bytes;
    request.cells = {cell};
    return request;
  }
  for (const std::uint64_t size_bytes : sizes_bytes) {
    cell.sizes_bytes = {size_bytes};
    request.cells.push_back(cell);
  }
  return request;
}

std::vector<bench::RailInUse> choose_rails_in_use(
    const std::string& wanted, const std::vector<std::unique_ptr<drivers::Driver>>& drivers) {
  std::vector<bench::RailInUse> usable;
  std::vector<std::string> names;
  for (const std::unique_ptr<drivers::Driver>& driver : drivers) {
    for (const Rail& rail : driver->detect().rails) {
      names.push_back(rail.full_name());
      usable.push_back({driver.get(), rail});
    }
  }
  if (usable.empty()) throw Error(Fault::kNoRail, "no usable rail; see nmad-sample --list");
  if (wanted.empty()) return usable;
  std::vector<bench::RailInUse> chosen;
  for (const std::string& name : split_list(wanted)) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) {
      throw Error(Fault::kUsage,
                  fmt::format("--rails: no rail {}{}", name, suggestion(name, names)));
    }
    chosen.push_back(usable[static_cast<std::size_t>(at - names.begin())]);
  }
  return chosen;
}

bench::MeasurementConfig config_of(const BenchRequest& request,
                                   const std::vector<bench::RailInUse>& rails, bool no_profile) {
  bench::MeasurementConfig config{.no_profile = no_profile};
  for (const std::string& strategy : request.strategies) {
    bench::Contender contender{.strategy = strategy};
    if (strategy.starts_with(kSingle)) {
      contender.strategy = "single";
      contender.only = rail_of(std::string_view(strategy).substr(kSingle.size()), rails);
    }
    config.contenders.push_back(std::move(contender));
  }
  for (const BenchCell& cell : request.cells) {
    config.size_bytes_max = std::max(config.size_bytes_max, std::ranges::max(cell.sizes_bytes));
    config.at_once_max = std::max(config.at_once_max, cell.at_once);
  }
  return config;
}

}  // namespace nmt::tools
