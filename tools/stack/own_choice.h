// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives as an MPI chooses them, in launches under several settings that take turns: what a
// rules file and settings of the whole job are worth.
//
// A launch has a speed of its own and counts as one round, however often it repeats an operation.
#pragma once

#include <string>
#include <vector>

#include "core/fields.h"
#include "tools/stack/notebook.h"
#include "tools/stack/turn.h"
#include "tuner/tuner.h"

namespace nmt {

// The rail that a notebook keeps them on.
inline constexpr std::string_view kOwnChoiceRail = "own_choice";

// Settings that name a rules file, as a profile keeps them: wherever it was.
Fields recorded_rules();

// Rules as a file beside the profile, as long as this is; no file where there are none. Ranks on a
// node that does not see it end their job.
class RulesFile {
 public:
  RulesFile(const TunedRules& rules, const std::string& profile);
  ~RulesFile();
  RulesFile(const RulesFile&) = delete;
  RulesFile& operator=(const RulesFile&) = delete;

  // With this file where recorded rules are named.
  Fields launchable(Fields settings) const;

 private:
  std::string path_;
};
// By ranks before they join their job: Error(kFailed) where this node does not see the file.
void check_rules_are_here();

// Several nodes of several ranks, for which hierarchical collectives are.
bool has_levels(const LaunchedTurn& first);

struct OwnChoiceTurns {
  std::vector<std::string> operations;
  std::vector<Fields> variants;
  std::uint64_t rounds = 0;
  double budget_ns = 2e9;  // of one launch; at least two repetitions of each size
};
std::size_t launches_of(const OwnChoiceTurns& turns);
// How long they take, about, where a launch that times next to nothing takes `launch_ns`.
double expected_ns(const OwnChoiceTurns& turns, double launch_ns);
void take_turns(const StackJob& job, const OwnChoiceTurns& turns, const RulesFile& rules,
                Notebook* notebook);

}  // namespace nmt
