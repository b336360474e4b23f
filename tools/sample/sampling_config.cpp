// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/sampling_config.h"

#include "tools/peer/rail_negotiation.h"

namespace nmt::tools {
namespace {

constexpr std::uint64_t kSizeBytesMax = std::uint64_t{64} << 20;
constexpr std::uint64_t kRanksMax = 1 << 20;
constexpr std::uint64_t kSeedMax = std::uint64_t{1} << 53;

}  // namespace

json::Value to_json(const SamplingConfig& config) {
  return json::Value::object()
      .set("budget_ns", config.sampling.budget_ns)
      .set("precision", config.sampling.precision)
      .set("max_size_bytes", config.sampling.size_bytes_max)
      .set("max_unexpected_bytes", config.sampling.max_unexpected_bytes)
      .set("verify", config.sampling.verify)
      .set("rails_together", config.sampling.pairs)
      .set("confirm", config.sampling.confirm)
      .set("ranks_per_node", config.sampling.ranks_per_node)
      .set("rank", config.sampling.rank)
      .set("seed", config.session.seed)
      .set("clock", config.session.clock)
      .set("clock_cost_ns", config.session.clock_cost_ns)
      .set("clock_resolution_ns", config.session.clock_resolution_ns);
}

SamplingConfig sampling_config_from(const std::string& text) {
  return read_theirs(text, "terms", [](const json::Reader& reader) {
    SamplingConfig config{
        .sampling = {.budget_ns = reader["budget_ns"].number(1),
                     .precision = reader["precision"].number(1e-6, 1),
                     .size_bytes_max = reader["max_size_bytes"].unsigned_integer(kSizeBytesMax),
                     .max_unexpected_bytes =
                         reader["max_unexpected_bytes"].unsigned_integer(kSizeBytesMax),
                     .verify = reader["verify"].boolean(),
                     .pairs = reader["rails_together"].boolean(),
                     .confirm = reader["confirm"].boolean(),
                     .ranks_per_node = static_cast<std::uint32_t>(
                         reader["ranks_per_node"].unsigned_integer(kRanksMax)),
                     .rank =
                         static_cast<std::uint32_t>(reader["rank"].unsigned_integer(kRanksMax))},
        .session = {.clock = name_from(reader["clock"]),
                    .clock_cost_ns = reader["clock_cost_ns"].number(0),
                    .clock_resolution_ns = reader["clock_resolution_ns"].number(0),
                    .seed = reader["seed"].unsigned_integer(kSeedMax)}};
    if (config.sampling.size_bytes_max == 0) reader["max_size_bytes"].fail("is 0");
    if (config.sampling.ranks_per_node == 0) reader["ranks_per_node"].fail("is 0");
    return config;
  });
}

}  // namespace nmt::tools
