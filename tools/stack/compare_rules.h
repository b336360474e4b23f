// SPDX-License-Identifier: BSD-3-Clause
//
// Compares an MPI's collectives with its own choice of algorithms, in launches with rules files and
// without in turns.
//
// Each launch has its own speed, so it counts as one round, however often it repeats an operation.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "sampler/sampler.h"
#include "tools/stack/stack_recorder.h"
#include "tuner/tuner.h"

namespace nmt::tools {

// The rail of their samples.
inline constexpr std::string_view kOwnChoiceRail = "own_choice";

// Settings that name a stack's rules files, as stored in a profile: without the folder.
Fields recorded_rules(std::string_view stack);

// Rules as files beside the profile, while this object lives; no files if there are no rules. A
// rank on a node that cannot read them ends its job.
class RulesFiles {
 public:
  // `beside`: settings that are in force with the rules, and not recorded.
  RulesFiles(std::string_view stack, const std::vector<stacks::ExportedFile>& files,
             const Fields& beside, const std::string& profile);
  ~RulesFiles();
  RulesFiles(const RulesFiles&) = delete;
  RulesFiles& operator=(const RulesFiles&) = delete;

  // The settings, with the names of these files in place of recorded rules.
  Fields launchable(Fields settings) const;

 private:
  std::string stack_;
  Fields beside_;
  std::string prefix_;
  std::vector<std::string> paths_;
  bool han_chooses_ = false;
};
// Called by ranks before they join their job: Error(kFailed) if this node cannot read a file.
void check_rules_are_here();

struct OwnChoiceRounds {
  std::map<std::string, std::set<std::uint64_t>> operations;  // with their sizes
  std::vector<Fields> variants;
  std::uint64_t rounds = 0;
  double budget_ns = 2e9;  // per launch; at least two repetitions of each size
};
std::size_t launches_of(const OwnChoiceRounds& plan);
// Expected duration; `launch_ns` is that of a launch that times almost nothing.
double expected_ns(const OwnChoiceRounds& plan, double launch_ns);
void run_rounds(const sampler::StackJob& job, const OwnChoiceRounds& plan, const RulesFiles& rules,
                StackRecorder* recorder);

}  // namespace nmt::tools
