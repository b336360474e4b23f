// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune ab: jobs of another stack with and without the exported settings, in turns.
//
// If there are settings of several groups, each group is also left out alone. So a loss can be
// assigned to one group, and the export leaves it out from then on, because the measurements are in
// the profile. Rules for collectives are judged by size.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

#include "core/error.h"
#include "core/method.h"
#include "core/statistics.h"
#include "core/units.h"
#include "sampler/sampler.h"
#include "tools/stack/stack.h"
#include "tools/tune/ab_collectives.h"
#include "tools/tune/ab_rows.h"
#include "tools/tune/open_profile.h"

namespace nmt::tools {
namespace {

constexpr std::uint64_t kRounds = 7;

struct AbOptions {
  std::string stack;
  std::string launcher;
  std::optional<std::uint64_t> rounds;
  std::uint64_t size_bytes_max = std::uint64_t{16} << 20;
  std::vector<std::string> program;

  std::uint64_t turns() const { return rounds.value_or(kRounds); }
};

// Everything that is exported, and which settings messages are compared with.
struct Exported {
  explicit Exported(stacks::StackFindings found) : findings(std::move(found)) {
    messages = all = stacks::kept_settings(findings);
    rules = stacks::write_rules(findings);
    if (!rules.empty()) all.merge(recorded_rules(findings.stack));
  }

  stacks::StackFindings findings;
  std::vector<stacks::ExportedFile> rules;
  Fields all, messages;
};

std::vector<StackVariant> variants_of(const Fields& settings) {
  std::vector<StackVariant> variants = {{}, {.settings = settings}};
  const std::vector<std::string> groups = stacks::groups_of(settings);
  if (groups.size() < 2) return variants;
  for (const std::string& group : groups) {
    variants.push_back({.settings = stacks::without_group(settings, group)});
  }
  return variants;
}

void run_program(const AbOptions& options, const sampler::StackJob& job,
                 const StackVariant& variant, const RulesFiles& rules, std::uint32_t round,
                 StackRecorder* recorder) {
  const Fields settings = rules.launchable(variant.settings);
  const sampler::Launched launched =
      sampler::launch({.launcher = job.launcher,
                       .program = options.program,
                       .environment = sampler::environment_of(job.stack, settings),
                       .timeout_ns = 3600e9});
  Sample sample;
  sample.condition = {.benchmark = std::string(benchmark::kStackMessage),
                      .variant = stacks::to_variant(variant.settings),
                      .operation = fmt::format("{}", fmt::join(options.program, " "))};
  sample.repetitions = {
      {.total_ns = static_cast<std::uint64_t>(launched.elapsed_ns), .round = round}};
  recorder->add("program", {sample});
}

// Runs everything that is compared once per round, each time in a new order. rounds_in_all() may
// grow with every launch.
template <class Launch, class RoundsInAll>
void in_rounds(const Fields& settings, const Launch& launch_once,
               const RoundsInAll& rounds_in_all) {
  std::vector<StackVariant> variants = variants_of(settings);
  std::mt19937_64 random(std::random_device{}());
  for (std::uint32_t round = 0; round < rounds_in_all(); ++round) {
    std::shuffle(variants.begin(), variants.end(), random);
    for (const StackVariant& variant : variants) launch_once(variant, round);
  }
}

void compare(const AbOptions& options, const sampler::StackJob& job,
             const sampler::LaunchedRound& first, const Exported& exported,
             const std::string& profile, const Invocation& invocation, StackRecorder* recorder) {
  OwnChoiceRounds turns = collective_rounds(exported.findings, first.ranks);
  turns.rounds = options.turns();
  const std::size_t messages =
      exported.messages.empty() ? 0 : variants_of(exported.messages).size() * options.turns();
  const double all_ns =
      static_cast<double>(messages) * first.elapsed_ns + expected_ns(turns, first.elapsed_ns);
  const std::size_t programs =
      options.program.empty() ? 0 : variants_of(exported.all).size() * options.turns();
  invocation.notice(
      fmt::format("{} launches of messages and {} of collectives, {} in all{}", messages,
                  launches_of(turns), format_duration(all_ns),
                  programs == 0 ? "" : fmt::format(", and {} of the program", programs)));
  if (!exported.rules.empty() && turns.operations.empty()) {
    invocation.notice(fmt::format("rules for collectives are not compared: no rule is for {} ranks",
                                  first.ranks));
  }
  const RulesFiles rules(options.stack, exported.rules, exported.findings.han_needs, profile);
  const sampler::LaunchRoundOrder order{.sizes_bytes = sampler::stack_grid(options.size_bytes_max)};
  if (messages > 0) {
    in_rounds(
        exported.messages,
        [&](const StackVariant& variant, std::uint32_t round) {
          recorder->add(sampler::launch_round(job, variant.settings, order), variant, round);
        },
        [&] { return recorder->rounds_in_all(0, options.turns()); });
  }
  run_rounds(job, turns, rules, recorder);
  if (programs > 0) {
    in_rounds(
        exported.all,
        [&](const StackVariant& variant, std::uint32_t round) {
          run_program(options, job, variant, rules, round, recorder);
        },
        [&] { return options.turns(); });
  }
}

// One row per size of each rail: the default, all settings, and their ratio.
void add_rows(const std::vector<stacks::StackSamples>& samples, const Fields& settings,
              Report* report) {
  json::Value cells = json::Value::array();
  for (const stacks::StackSamples& each : samples) {
    if (each.rail.ends_with(kOwnChoiceRail)) continue;
    Table table(ab_headings({">size"}));
    bool compared = false;  // else no setting is for this rail
    for (const auto& [key, times] : each.times) {
      if (!key.variant.empty()) continue;
      stacks::StackKey tuned = key;
      const bool program = !key.operation.empty();
      const Fields messages = stacks::without_group(settings, stacks::kRulesGroup);
      tuned.variant = stacks::to_variant(
          program ? settings : stacks::of_transport(transport_of(each), messages));
      const auto with = each.times.find(tuned);
      if (with == each.times.end()) continue;
      for (const AbRow& row : ab_rows(times, with->second)) {
        compared = compared || !tuned.variant.empty();
        table.add(ab_cells({program ? key.operation : format_bytes(row.size_bytes)}, row));
        cells.push_back(ab_json(
            json::Value::object().set("rail", each.rail).set("program", key.operation), row));
      }
    }
    report->text.heading(each.rail);
    if (compared) {
      report->text.table(std::move(table));
    } else {
      report->text.line("not compared: no setting concerns it");
    }
  }
  report->payload.set("cells", std::move(cells));
}

// Groups and rules that are no longer exported.
std::vector<std::string> withdrawn_since(const Exported& before, const stacks::StackFindings& now) {
  std::vector<std::string> withdrawn;
  for (const stacks::GroupVerdict& verdict : now.verdicts) {
    const bool was = !stacks::of_group(before.all, verdict.group).empty();
    if (was && !verdict.kept) withdrawn.push_back(verdict.group);
  }
  for (std::string& rules : withdrawn_rules(before.findings.cells, now.cells)) {
    withdrawn.push_back(std::move(rules));
  }
  return withdrawn;
}

Report ab(const AbOptions& options, const ProfileOptions& profile_options,
          const Invocation& invocation) {
  sampler::refuse_one_of_several();
  if (options.turns() < stacks::kRoundsMin) {
    throw Error(Fault::kUsage, fmt::format("--rounds: at least {}", stacks::kRoundsMin));
  }
  sampler::StackJob job = sampler::stack_job(stacks::find_stack(options.stack), options.launcher);
  job.installed = [&] { return installed_version(job.stack.name); };
  OpenProfile profile = open_to_write(profile_options, invocation);
  const auto find = [&] {
    return find_settings(profile.db, profile.platform.id, nullptr,
                         {.stack = options.stack, .profile = profile.location.file});
  };
  const Exported exported(find());
  Report report;
  report.payload.set("stack", options.stack).set("variant", stacks::to_variant(exported.all));
  std::vector<std::string> withdrawn;
  if (exported.all.empty()) {
    report.text.line("Nothing to compare: no setting is measurably faster here");
  } else {
    const sampler::LaunchedRound first = sampler::probe_stack(
        job, sampler::stack_grid(exported.messages.empty() ? 1 : options.size_bytes_max));
    if (const auto other =
            measured_under_another(exported.findings, profile.location.file,
                                   first.version_of(job.stack.name), "is what --launcher starts")) {
      throw Error(Fault::kStale, other->told);
    }
    Fields facts = sampler::facts_of(job.stack, first);
    facts["part"] = "ab";
    StackRecorder recorder(profile.db, job, first, facts, invocation);
    try {
      compare(options, job, first, exported, profile.location.file, invocation, &recorder);
    } catch (const Error& error) {
      recorder.finish(false, error.what());
      throw;
    }
    recorder.finish(true, "");
    const std::vector<stacks::StackSamples> samples = recorder.samples();
    add_rows(samples, exported.all, &report);
    add_collective_rows(samples, exported.findings, &report);
    const stacks::StackFindings now = find();
    withdrawn = withdrawn_since(exported, now);
    report.text.heading("Settings from now on");
    add_verdicts(now.verdicts, &report);
    for (const std::string& note : now.notes) report.text.line(note);
  }
  json::Value lost = json::Value::array();
  for (const std::string& group : withdrawn) lost.push_back(group);
  report.payload.set("withdrawn", std::move(lost));
  report.summary = {
      {"stack", options.stack},
      {"settings", std::to_string(exported.all.size())},
      {"withdrawn", withdrawn.empty() ? "none" : fmt::format("{}", fmt::join(withdrawn, ","))}};
  return report;
}

}  // namespace

Work declare_ab(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<AbOptions>();
  options
      .text("STACK", own->stack, "STACK",
            "stack: openmpi, mpich, ucx or libfabric\n"
            "Rules for collectives are compared too, if the launcher starts as many ranks as they "
            "are for.")
      .required();
  options.text("--launcher", own->launcher, "COMMAND",
               "command that launches a job (default: two ranks on this node)");
  options.count("--rounds", own->rounds, "launches of each setting, at least 5 (default: 7)");
  options.bytes("--max-size", own->size_bytes_max, {.low = 1024, .high = std::uint64_t{64} << 20},
                "largest message, at most 64M (default: 16M)");
  options.texts("PROGRAM", own->program,
                "after --: your own program and its arguments\n"
                "It is launched in the same way, and its run time is compared.");
  options.example("nmad-tune ab openmpi --launcher 'mpirun -n 2 --host a,b' -- ./solver");
  return [own, &profile](const Invocation& invocation) { return ab(*own, profile, invocation); };
}

}  // namespace nmt::tools
