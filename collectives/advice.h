// SPDX-License-Identifier: BSD-3-Clause
//
// When to act in place of an MPI, and how: what the profile says, asked through the C ABI as any
// communication stack asks it.
//
// Rules are plain, so that one rank reads the profile and all of the job have the same: ranks that
// decided differently would wait for each other for ever.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::collectives {

enum class Operation : std::uint32_t { kBcast, kReduce, kAllreduce, kAllgather };
inline constexpr std::array kOperations = {Operation::kBcast, Operation::kReduce,
                                           Operation::kAllreduce, Operation::kAllgather};
std::string_view to_string(Operation operation);

// For `from_bytes` up to below `to_bytes`; sizes are of a message, of Allgather what one rank has.
struct Rule {
  Operation operation = Operation::kBcast;
  std::int32_t nodes = 0;  // 0: any
  std::int32_t ranks_per_node = 0;
  std::int32_t leaders = 1;  // of a node
  char algorithm[20] = {};   // a TreeShape or an AllgatherAlgorithm; never the library's own
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;
  std::uint64_t segment_bytes = 0;
};

struct Advice {
  std::vector<Rule> rules;
  std::string warning;  // why there is none, or what to doubt; empty: nothing

  // The least size for which any rule acts; below, nobody has to look further.
  std::uint64_t least_bytes(Operation operation) const;
};

Advice advice_from_profile();
// Acts wherever it can, by segments of the paper's size: to try it, not to be fast.
Advice advice_to_act_always();

// Of rules for one shape; null: leave the call alone.
const Rule* find_rule(const std::vector<Rule>& rules, Operation operation, std::uint64_t bytes);
// Whether any could be for so many ranks: more than all its nodes have is the shape of none.
bool has_rules_for(const Advice& advice, int ranks);
std::vector<Rule> rules_for(const Advice& advice, int nodes, int ranks_per_node);

}  // namespace nmt::collectives
