// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/terms.h"

#include "tools/peer/meeting.h"

namespace nmt {
namespace {

constexpr std::uint64_t kSizeBytesMax = std::uint64_t{64} << 20;
constexpr std::uint64_t kSeedMax = std::uint64_t{1} << 53;

}  // namespace

json::Value to_json(const SamplingTerms& terms) {
  return json::Value::object()
      .set("budget_ns", terms.sampling.budget_ns)
      .set("precision", terms.sampling.precision)
      .set("max_size_bytes", terms.sampling.size_bytes_max)
      .set("max_unexpected_bytes", terms.sampling.max_unexpected_bytes)
      .set("verify", terms.sampling.verify)
      .set("rails_together", terms.sampling.pairs)
      .set("seed", terms.session.seed)
      .set("clock", terms.session.clock)
      .set("clock_cost_ns", terms.session.clock_cost_ns)
      .set("clock_resolution_ns", terms.session.clock_resolution_ns);
}

SamplingTerms sampling_terms_from(const std::string& text) {
  return read_theirs(text, "terms", [](const json::Reader& reader) {
    SamplingTerms terms{
        .sampling = {.budget_ns = reader["budget_ns"].number(1),
                     .precision = reader["precision"].number(1e-6, 1),
                     .size_bytes_max = reader["max_size_bytes"].unsigned_integer(kSizeBytesMax),
                     .max_unexpected_bytes =
                         reader["max_unexpected_bytes"].unsigned_integer(kSizeBytesMax),
                     .verify = reader["verify"].boolean(),
                     .pairs = reader["rails_together"].boolean()},
        .session = {.clock = name_from(reader["clock"]),
                    .clock_cost_ns = reader["clock_cost_ns"].number(0),
                    .clock_resolution_ns = reader["clock_resolution_ns"].number(0),
                    .seed = reader["seed"].unsigned_integer(kSeedMax)}};
    if (terms.sampling.size_bytes_max == 0) reader["max_size_bytes"].fail("is 0");
    return terms;
  });
}

}  // namespace nmt
