// SPDX-License-Identifier: BSD-3-Clause
//
// Rules for a library's collectives from what each of its algorithms took against its own choice:
// the fastest where one is measurably faster, its own choice elsewhere. Open MPI's come as its file
// has them (stacks/openmpi_tuned_rules.h), MPICH's are made of the cells (stacks/mpich_tables.h).
//
// Between two sizes that were measured the rule changes at their geometric mean; communicators
// smaller than those measured, or twice as large as the largest, are left to the library. An
// operation whose rules lost an A/B since then is left to it altogether.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stacks/openmpi_tuned_rules.h"
#include "stacks/times.h"

namespace nmt {

// One size that was measured.
struct RuledCell {
  std::string operation;
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;  // of one rank
  std::string algorithm;         // by the rules; kOwnChoice where none is measurably faster
  Ratio gain;                    // of it, against the library's own choice
  double best_gain = 1;          // of the fastest of all algorithms, be it by chance
  std::int64_t ranks_per_node = 0;
};

struct RuleChoice {
  TunedRules rules;                // of Open MPI
  std::vector<RuledCell> cells;    // in order of operation, ranks and size
  std::vector<std::string> notes;  // a line on each operation and number of ranks
};
// Of the newest campaign that measured algorithms, and the A/Bs since then.
RuleChoice choose_rules(std::span<const StackSamples> samples);

// Whether a communicator of so many ranks takes any algorithm by them; what takes any at all.
bool has_rules_for(std::span<const RuledCell> cells, std::string_view operation,
                   std::int64_t ranks);
std::set<std::string> ruled_operations(std::span<const RuledCell> cells);

}  // namespace nmt
