// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/compare_rules.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "core/error.h"
#include "node/node.h"
#include "sampler/sampler.h"
#include "tools/command/write_file.h"

namespace nmt::tools {
namespace {

namespace fs = std::filesystem;

}  // namespace

Fields recorded_rules(std::string_view stack) { return stacks::rules_settings(stack, ""); }

RulesFiles::RulesFiles(std::string_view stack, const std::vector<stacks::ExportedFile>& files,
                       const Fields& beside, const std::string& profile)
    : stack_(stack),
      beside_(beside),
      prefix_(fmt::format("{}.{}.rules.", fs::absolute(profile).string(), ::getpid())) {
  for (const stacks::ExportedFile& file : files) {
    write_file(paths_.emplace_back(prefix_ + file.name), file.content, true);
    if (file.name == stacks::kHanRulesFile) han_chooses_ = true;
  }
}

RulesFiles::~RulesFiles() {
  std::error_code ignored;
  for (const std::string& path : paths_) fs::remove(path, ignored);
}

Fields RulesFiles::launchable(Fields settings) const {
  if (stacks::of_group(settings, stacks::kRulesGroup).empty()) return settings;
  settings = stacks::without_group(settings, stacks::kRulesGroup);
  settings.merge(stacks::rules_settings(stack_, prefix_, han_chooses_));
  settings.insert(beside_.begin(), beside_.end());
  return settings;
}

void check_rules_are_here() {
  for (const stacks::Stack& stack : stacks::all_stacks()) {
    for (const auto& [name, recorded] : stacks::rules_settings(stack.name, "", true)) {
      const char* file = std::getenv((std::string(stack.environment_prefix) + name).c_str());
      if (file == nullptr || recorded == "1") continue;
      if (::access(file, R_OK) == 0) continue;
      throw Error(Fault::kFailed, fmt::format("{} cannot read {}: to compare rules for "
                                              "collectives, put the profile on a file system "
                                              "that all nodes of the job share",
                                              node::host_name(), file));
    }
  }
}

std::size_t launches_of(const OwnChoiceRounds& plan) {
  return plan.rounds * plan.operations.size() * plan.variants.size();
}

double expected_ns(const OwnChoiceRounds& plan, double launch_ns) {
  return static_cast<double>(launches_of(plan)) * (launch_ns + plan.budget_ns);
}

void run_rounds(const sampler::StackJob& job, const OwnChoiceRounds& plan, const RulesFiles& rules,
                StackRecorder* recorder) {
  std::mt19937 random(std::random_device{}());  // for seeds that an order can carry, below 2^63
  std::vector<Fields> variants = plan.variants;
  for (std::uint32_t round = 0; round < plan.rounds; ++round) {
    for (const sampler::CollectivesOrder& each :
         sampler::collectives_orders(job.stack.name, plan.budget_ns, random())) {
      const auto sizes_bytes = plan.operations.find(each.operation);
      if (sizes_bytes == plan.operations.end()) continue;
      sampler::CollectivesOrder order = sampler::own_choice_only(each);
      order.sizes_bytes.assign(sizes_bytes->second.begin(), sizes_bytes->second.end());
      std::shuffle(variants.begin(), variants.end(), random);
      for (const Fields& settings : variants) {
        const sampler::LaunchedCollectives launched =
            sampler::launch_collectives(job, rules.launchable(settings), order);
        std::vector<Sample> samples =
            sampler::samples_of(job.stack.name, launched, order, settings, round);
        for (Sample& sample : samples) {
          for (Repetition& repetition : sample.repetitions) repetition.round = round;
        }
        recorder->add(std::string(kOwnChoiceRail), samples);
      }
    }
  }
}

}  // namespace nmt::tools
