// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives as an MPI chooses them, in launches under several settings that take turns: what
// files of rules and settings of the whole job are worth.
//
// A launch has a speed of its own and counts as one round, however often it repeats an operation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "sampler/sampler.h"
#include "tools/stack/stack_recorder.h"
#include "tuner/tuner.h"

namespace nmt {

// The rail that they are recorded on.
inline constexpr std::string_view kOwnChoiceRail = "own_choice";

// Settings that name a stack's files of rules, as a profile keeps them: wherever they were.
Fields recorded_rules(std::string_view stack);

// Rules as files beside the profile, as long as this is; none where there are no rules. Ranks on a
// node that does not see them end their job.
class RulesFiles {
 public:
  RulesFiles(std::string_view stack, const std::vector<ExportedFile>& files,
             const std::string& profile);
  ~RulesFiles();
  RulesFiles(const RulesFiles&) = delete;
  RulesFiles& operator=(const RulesFiles&) = delete;

  // With these files where recorded rules are named.
  Fields launchable(Fields settings) const;

 private:
  std::string stack_;
  std::string prefix_;
  std::vector<std::string> paths_;
};
// By ranks before they join their job: Error(kFailed) where this node does not see a file.
void check_rules_are_here();

// Several nodes of several ranks, for which hierarchical collectives are.
bool has_levels(const LaunchedRound& first);

struct OwnChoiceRounds {
  std::vector<std::string> operations;
  std::vector<Fields> variants;
  std::uint64_t rounds = 0;
  double budget_ns = 2e9;  // of one launch; at least two repetitions of each size
};
std::size_t launches_of(const OwnChoiceRounds& plan);
// How long they take, about, where a launch that times next to nothing takes `launch_ns`.
double expected_ns(const OwnChoiceRounds& plan, double launch_ns);
void run_rounds(const StackJob& job, const OwnChoiceRounds& plan, const RulesFiles& rules,
                StackRecorder* recorder);

}  // namespace nmt
