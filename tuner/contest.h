// SPDX-License-Identifier: BSD-3-Clause
//
// One decision over all sampled sizes: which side is chosen where, with as few changes as the
// measurements ask for.
//
// For each number of changes, the choices of least total slowdown (dynamic programming over the
// sizes); among these, the fewest changes that leave no evidence of regret worth another one.
// docs/method.md, "How many changes, and where".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/duel.h"

namespace nmt {

struct Bout {
  Duel duel;
  double share = 0;  // what this size stands for (shares_of)
  double doubt = 0;  // of duel.log_ratio, in the light of the other sizes'
};
using Contest = std::vector<Bout>;  // in order of sizes

// The part of the logarithmic axis that is nearest to each of these ascending sizes; together 1.
std::vector<double> shares_of(std::span<const std::uint64_t> sizes_bytes);

Contest make_contest(std::vector<Duel> duels);  // in order of sizes

// Per bout: true where the upper side is chosen.
using Verdict = std::vector<bool>;

// The verdict that the measurements justify.
Verdict judge(const Contest& contest);

// The least total slowdown with at most `changes` changes, were the log ratios these.
Verdict best_verdict(const Contest& contest, std::span<const double> log_ratios,
                     std::size_t changes);

std::size_t count_changes(const Verdict& verdict);

}  // namespace nmt
