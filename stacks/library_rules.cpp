// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/library_rules.h"

#include <cmath>
#include <string_view>
#include <tuple>

#include "stacks/collective_rules.h"
#include "stacks/times.h"

namespace nmt::stacks {
namespace {

LibraryRule rule_of(const RuledCell& cell) {
  const bool own = cell.algorithm == kOwnChoice;
  return {.mpi = cell.mpi,
          .operation = cell.operation,
          .algorithm = own ? "" : cell.algorithm,
          .ranks = cell.ranks,
          .ranks_per_node = cell.ranks_per_node,
          .from_bytes = cell.size_bytes,
          .to_bytes = cell.size_bytes + 1,
          .segment_bytes = own ? 0 : static_cast<std::uint64_t>(cell.segment_bytes),
          .gain = own ? 1 : cell.gain.value,
          .low = own ? 1 : cell.gain.low,
          .high = own ? 1 : cell.gain.high};
}

bool is_same_place(const LibraryRule& one, const LibraryRule& other) {
  return std::tie(one.mpi, one.operation, one.ranks) ==
         std::tie(other.mpi, other.operation, other.ranks);
}

}  // namespace

std::vector<LibraryRule> library_rules(std::span<const SampleSet> sets) {
  std::vector<LibraryRule> rules;
  for (const std::string_view stack : {"openmpi", "mpich"}) {
    double last_bytes = 0;
    for (const RuledCell& cell : choose_rules(stack_samples(stack, sets)).cells) {
      LibraryRule rule = rule_of(cell);
      const auto here_bytes = static_cast<double>(cell.size_bytes);
      if (!rules.empty() && is_same_place(rules.back(), rule)) {
        rule.from_bytes = static_cast<std::uint64_t>(std::ceil(std::sqrt(last_bytes * here_bytes)));
        rules.back().to_bytes = rule.from_bytes;
      }
      rules.push_back(std::move(rule));
      last_bytes = here_bytes;
    }
  }
  return rules;
}

}  // namespace nmt::stacks
