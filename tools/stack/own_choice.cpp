// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/own_choice.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "core/error.h"
#include "node/node.h"
#include "tools/command/write_file.h"
#include "tools/stack/collectives.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

}  // namespace

Fields recorded_rules() { return rules_settings("coll_tuned_rules.conf"); }

RulesFile::RulesFile(const TunedRules& rules, const std::string& profile) {
  if (rules.empty()) return;
  path_ = fmt::format("{}.{}.rules", fs::absolute(profile).string(), ::getpid());
  write_file(path_, write_tuned_rules(rules, "# of nmad-tune, while it compares\n"), true);
}

RulesFile::~RulesFile() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

Fields RulesFile::launchable(Fields settings) const {
  if (of_group(settings, kRulesGroup).empty()) return settings;
  settings = without_group(settings, kRulesGroup);
  settings.merge(rules_settings(path_));
  return settings;
}

void check_rules_are_here() {
  const char* file = std::getenv("OMPI_MCA_coll_tuned_dynamic_rules_filename");
  if (file == nullptr || ::access(file, R_OK) == 0) return;
  throw Error(
      Fault::kFailed,
      fmt::format("{} does not see {}: the profile lies where all nodes of a job see it, or "
                  "rules for collectives cannot be compared",
                  host_name(), file));
}

bool has_levels(const LaunchedTurn& first) {
  const auto nodes = static_cast<std::int64_t>(first.hosts.size());
  return nodes > 1 && first.ranks > nodes;
}

std::size_t launches_of(const OwnChoiceTurns& turns) {
  return turns.rounds * turns.operations.size() * turns.variants.size();
}

double expected_ns(const OwnChoiceTurns& turns, double launch_ns) {
  return static_cast<double>(launches_of(turns)) * (launch_ns + turns.budget_ns);
}

void take_turns(const StackJob& job, const OwnChoiceTurns& turns, const RulesFile& rules,
                Notebook* notebook) {
  std::mt19937 random(std::random_device{}());  // of seeds that an order can carry, below 2^63
  std::vector<Fields> variants = turns.variants;
  for (std::uint32_t round = 0; round < turns.rounds; ++round) {
    for (const CollectivesOrder& each : collectives_orders(turns.budget_ns, random())) {
      if (std::ranges::find(turns.operations, each.operation) == turns.operations.end()) continue;
      const CollectivesOrder order = own_choice_only(each);
      std::shuffle(variants.begin(), variants.end(), random);
      for (const Fields& settings : variants) {
        const LaunchedCollectives launched =
            launch_collectives(job, rules.launchable(settings), order);
        std::vector<Sample> samples = samples_of(launched, order, settings, round);
        for (Sample& sample : samples) {
          for (Repetition& repetition : sample.repetitions) repetition.round = round;
        }
        notebook->add(std::string(kOwnChoiceRail), samples);
      }
    }
  }
}

}  // namespace nmt
