// SPDX-License-Identifier: BSD-3-Clause
//
// Rules for Open MPI's collectives (tuner/tuned_rules.h) from what each of its algorithms took
// against its own choice: the fastest where one is measurably faster, its own choice elsewhere.
//
// Between two sizes that were measured the rule changes at their geometric mean; communicators
// smaller than those measured, or twice as large as the largest, are left to Open MPI. An operation
// whose rules lost an A/B since then is left to it altogether.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tuner/stack_times.h"
#include "tuner/tuned_rules.h"

namespace nmt {

// One size that was measured.
struct RuledCell {
  std::string operation;
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;  // of one rank
  std::string algorithm;         // by the rules; kOwnChoice where none is measurably faster
  Ratio gain;                    // of it, against the library's own choice
  double best_gain = 1;          // of the fastest of all algorithms, be it by chance
};

struct RuleChoice {
  TunedRules rules;
  std::vector<RuledCell> cells;    // in order of operation, ranks and size
  std::vector<std::string> notes;  // a line on each operation and number of ranks
};
// Of the newest campaign that measured algorithms, and the A/Bs since then.
RuleChoice choose_rules(std::span<const StackSamples> samples);

}  // namespace nmt
