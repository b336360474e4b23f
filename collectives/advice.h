// SPDX-License-Identifier: BSD-3-Clause
//
// When to replace an MPI's collective, and how: the advice of the profile, asked through the C ABI
// as any communication stack would ask.
//
// Rules are plain data, so that one rank reads the profile and sends the same rules to the whole
// job: ranks that decided differently would wait for each other for ever.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/merged_ranges.h"
#include "core/shape_index.h"

namespace nmt::collectives {

enum class Operation : std::uint32_t {
  kBcast,
  kReduce,
  kAllreduce,
  kAllgather,
  kAlltoall,
  kAlltoallv,
  kBarrier,
  kGather,
  kScatter,
  kReduceScatterBlock,
  kReduceScatter,
  kAllgatherv
};
inline constexpr std::array kOperations = {
    Operation::kBcast,         Operation::kReduce,
    Operation::kAllreduce,     Operation::kAllgather,
    Operation::kAlltoall,      Operation::kAlltoallv,
    Operation::kBarrier,       Operation::kGather,
    Operation::kScatter,       Operation::kReduceScatterBlock,
    Operation::kReduceScatter, Operation::kAllgatherv};
std::string_view to_string(Operation operation);

// Applies from `from_bytes` to below `to_bytes`. The size is that of the message; of Allgather,
// Gather, Scatter and Reduce_scatter_block, that of one rank's block; of Alltoall, that of one
// rank's data for another rank; of Alltoallv, Allgatherv and Reduce_scatter, the mean of the
// blocks; of Barrier, 0.
struct Rule {
  Operation operation = Operation::kBcast;
  std::int32_t nodes = 0;  // 0: any
  std::int32_t ranks_per_node = 0;
  std::int32_t leaders = 1;    // per node
  std::int32_t nodes_max = 0;  // the last, if it was predicted for ranges; 0: for `nodes` only
  std::int32_t ranks_per_node_max = 0;
  // If `algorithm` is one of the MPI's (mpi/library/library_algorithms.h): its number in the job.
  static constexpr std::int32_t kOurs = -1;
  std::int32_t library = kOurs;
  bool is_ours() const { return library == kOurs; }
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;
  std::uint64_t segment_bytes = 0;
  // Of mpi/algorithms, a TreeShape, or "library:NAME"; never what the MPI chooses itself.
  char algorithm[64] = {};
};

struct Advice {
  std::vector<Rule> rules;
  std::string warning;  // why there are no rules, or a reason for doubt; empty: none
};

// Only the rules that were sampled under this MPI, by name and version (core/mpi_name.h).
Advice advice_from_profile(std::string_view mpi);
// Replaces every call that it can, with the paper's segment size: to try it, not to be fast. No
// rules where the site has turned advice off; `root` as for is_switched_off().
Advice advice_to_act_always(const std::string& root = {});

// Among the rules for one shape, as rules_for() returns them; null: leave the call to the MPI.
const Rule* find_rule(std::span<const Rule> rules, Operation operation, std::uint64_t bytes);

// The rules of a job, indexed once: neither a call that is left alone nor the first call of a
// communicator looks at all of them.
class RulesByShape {
 public:
  RulesByShape() = default;
  explicit RulesByShape(std::vector<Rule> rules);

  bool empty() const { return rules_.empty(); }
  // The sizes at which some shape has a rule. At any other size a call needs no lookup.
  const MergedRanges& sizes(Operation operation) const {
    return sizes_[static_cast<std::size_t>(operation)];
  }
  // Whether a rule may apply to this many ranks; false if no shape with rules has this many.
  bool has_rules_for(int ranks) const;
  // For nodes of this number of ranks, operation after operation. If they have several numbers: the
  // rules for nodes that are all as full as the fullest one, at sizes at which there is a rule for
  // each of the numbers. On nodes as unequal as these nothing is sampled, and what the MPI's own
  // takes depends on all of its ranks, so ours is taken to gain only where it gains on all such
  // equal nodes.
  std::vector<Rule> rules_for(int nodes, const std::set<int>& ranks_per_node) const;

 private:
  std::vector<Rule> rules_for_equal(int nodes, int ranks_per_node) const;

  std::vector<Rule> rules_;
  ShapeIndex shapes_;
  MergedRanges ranks_;  // of the communicators that some shape with rules is of
  std::array<MergedRanges, kOperations.size()> sizes_;
};

}  // namespace nmt::collectives
