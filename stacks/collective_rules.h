// SPDX-License-Identifier: BSD-3-Clause
//
// Rules for a library's collectives, from the duration of each of its algorithms against the
// library's own choice: the fastest algorithm where it is measurably faster, the own choice
// elsewhere. Rules for Open MPI have the form of its file (stacks/openmpi_tuned_rules.h); those for
// MPICH are made from the cells (stacks/mpich_tables.h).
//
// Between two measured sizes the rule changes at their geometric mean. Communicators smaller than
// those measured, or at least twice as large as the largest, are left to the library. So is a size
// whose rule seemed slower in an A/B since then, and every size if a program was slower, or if
// coll/han, asked first, lost where there is no rule. A segment of coll/han that lost is no rule.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "stacks/openmpi_tuned_rules.h"
#include "stacks/times.h"

namespace nmt::stacks {

// One measured size.
struct RuledCell {
  std::string operation;
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;  // of one rank
  std::string algorithm;         // by the rules; kOwnChoice if none is measurably faster
  Ratio gain;                    // of the algorithm, against the library's own choice
  double best_gain = 1;          // of the fastest algorithm, even if by chance
  std::int64_t ranks_per_node = 0;
  std::int64_t segment_bytes = 0;
  std::string mpi;  // that it was measured under
  // Of the faster of coll/tuned and coll/han as they choose themselves, against the library's own
  // choice, which may be one of them.
  double component_gain = 1;
};

struct RuleChoice {
  TunedRules rules;                // for Open MPI
  Fields han_segments;             // of coll/han, where another one pays: coll_han_bcast_segsize
  std::vector<RuledCell> cells;    // ordered by operation, ranks and size
  std::vector<std::string> notes;  // one line per operation and number of ranks
};
// Uses the newest campaign that measured algorithms, and the A/Bs since then.
RuleChoice choose_rules(std::span<const StackSamples> samples);

// has_rules_for: whether a communicator of this size gets an algorithm from the rules.
// ruled_operations: the operations for which any communicator does.
bool has_rules_for(std::span<const RuledCell> cells, std::string_view operation,
                   std::int64_t ranks);
std::set<std::string> ruled_operations(std::span<const RuledCell> cells);

}  // namespace nmt::stacks
