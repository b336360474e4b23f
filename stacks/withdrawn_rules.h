// SPDX-License-Identifier: BSD-3-Clause
//
// Which rules are left out since nmad-tune ab found them slower, and why: that of a size that
// seemed slower; all of an operation where coll/han, asked first, lost; all rules where a program
// was slower. A segment of coll/han that lost goes alone.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "stacks/collective_winners.h"
#include "stacks/times.h"

namespace nmt::stacks {

// Launches without the rules and with them, in turns.
struct Compared {
  const StackTimes* without;
  const StackTimes* with;
  std::string started_utc;
};
struct Comparisons {
  std::map<RuledOperation, std::vector<Compared>> all;  // newest first
  std::string against_all;  // a program was slower with all rules of that time, with certainty
  std::set<RuledOperation> since_program;  // sampled after that
};

// Those of a campaign, of which the newest are added first. `sampled` are the operations that were
// sampled since then, so they have other rules now.
void add_comparisons(const StackSamples& samples, const std::map<RuledOperation, Winners>& sampled,
                     Comparisons* comparisons);

// Leaves to the library what lost, of all winners, and returns why, a line each. Where what acts on
// all sizes lost, and coll/han has a segment of its own, that is the segment: it leaves `segments`,
// and the best without it are the rules. `sources`: the samples of the winners.
std::map<RuledOperation, std::vector<std::string>> withdraw(
    const Comparisons& comparisons, const std::map<RuledOperation, const StackSamples*>& sources,
    Segments* segments, std::map<RuledOperation, Winners>* all);

}  // namespace nmt::stacks
