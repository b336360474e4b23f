// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/stack_collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "tools/sample/interruption.h"
#include "tools/stack/collectives.h"
#include "tools/stack/look.h"
#include "tools/stack/notebook.h"
#include "tools/stack/own_choice.h"
#include "tools/stack/verdicts.h"

namespace nmt {
namespace {

constexpr double kAllNs = 780e9;  // unless told: a quarter of an hour with what takes longer
constexpr double kLeastNs = 30e9;
constexpr std::uint64_t kHanRounds = 5;
constexpr double kHanLaunchNs = 1e9;
constexpr std::uint64_t kHanSegments[] = {16 << 10, 64 << 10, 256 << 10};

// What is not known before the rules are: with them or without, launches are as many.
OwnChoiceTurns han_turns(const LaunchedTurn& first, const TunedRules& rules) {
  OwnChoiceTurns turns{.rounds = kHanRounds, .budget_ns = kHanLaunchNs};
  if (!has_levels(first)) return turns;
  for (const std::string_view operation : han_operations())
    turns.operations.emplace_back(operation);
  const Fields base = rules.empty() ? Fields{} : recorded_rules();
  turns.variants = {base};
  for (const std::uint64_t segment_bytes : kHanSegments) {
    turns.variants.push_back(base);
    turns.variants.back().merge(han_settings(segment_bytes));
  }
  return turns;
}

void announce(const Invocation& invocation, const LaunchedTurn& first, std::size_t operations,
              double budget_ns, const OwnChoiceTurns& han) {
  const double rules_ns = static_cast<double>(operations) * (budget_ns + first.elapsed_ns);
  const double han_ns = expected_ns(han, first.elapsed_ns);
  std::string also;
  if (launches_of(han) > 0) {
    also = fmt::format(", {} launches with and without its hierarchical ones of {} together",
                       launches_of(han), format_duration(han_ns));
  }
  invocation.notice(
      fmt::format("{}, {} ranks on {}: {} collectives of {} each (--budget){}, {} in all",
                  first.library, first.ranks, fmt::join(first.hosts, ", "), operations,
                  format_duration(budget_ns), also, format_duration(rules_ns + han_ns)));
}

// On top of the rules, which they would replace. Where they do not run, nothing follows of them.
void try_han(const StackJob& job, const LaunchedTurn& first, const std::string& profile,
             const Invocation& invocation, Notebook* notebook) {
  const TunedRules rules = choose_rules(notebook->samples()).rules;
  const RulesFile file(rules, profile);
  try {
    take_turns(job, han_turns(first, rules), file, notebook);
  } catch (const Error& error) {
    if (job.interrupted()) throw;
    invocation.notice(fmt::format("coll/han is left out: {}", error.what()));
  }
}

Report report_of(const StackJob& job, const Notebook& notebook, std::size_t operations,
                 const std::string& library, const std::string& profile) {
  const std::vector<StackSamples> samples = notebook.samples();
  const RuleChoice choice = choose_rules(samples);
  Report report;
  json::Value notes = json::Value::array();
  report.text.heading(fmt::format("Sampled collectives of {}", library));
  for (const std::string& note : choice.notes) {
    report.text.line(note);
    notes.push_back(note);
  }
  json::Value cells = json::Value::array();
  for (const RuledCell& cell : choice.cells) {
    cells.push_back(json::Value::object()
                        .set("operation", cell.operation)
                        .set("ranks", cell.ranks)
                        .set("size_bytes", cell.size_bytes)
                        .set("algorithm", cell.algorithm)
                        .set("gain", cell.gain.value)
                        .set("best_gain", cell.best_gain));
  }
  report.payload.set("collectives", std::move(notes)).set("cells", std::move(cells));
  add_verdicts(judge_groups(samples), &report);
  report.summary = {{"stack", std::string(job.stack.name)},
                    {"operations", std::to_string(operations)},
                    {"repetitions", std::to_string(notebook.repetitions())},
                    {"campaign", notebook.campaign().id.hex()},
                    {"profile", profile}};
  return report;
}

}  // namespace

Report sample_stack_collectives(const SampleOptions& options, const Invocation& invocation,
                                const Location& profile, ProfileDb& db) {
  const Interruption interruption;
  StackJob job = stack_job(find_stack(options.stack), options.peer.launcher);
  job.interrupted = [&] { return interruption.signal() != 0; };
  if (job.stack.name != "openmpi") {
    throw Error(Fault::kUsage, "--parts collectives: of openmpi only; others take no rules");
  }
  StackTurnOrder look{.sizes_bytes = {1}};
  for (const auto& [name, value] : han_settings(0)) look.variables.push_back(name);
  const LaunchedTurn first = launch_turn(job, {}, look);
  const OwnChoiceTurns han = han_turns(first, {});
  const auto operations = static_cast<double>(tuned_operations().size());
  const double left_ns = kAllNs - expected_ns(han, first.elapsed_ns);
  const double budget_ns = options.budget_ns > 0
                               ? options.budget_ns
                               : std::max(kLeastNs, left_ns / operations - first.elapsed_ns);
  const std::vector<CollectivesOrder> orders =
      collectives_orders(budget_ns, options.seed.value_or(random_seed()));
  announce(invocation, first, orders.size(), budget_ns, han);
  Fields facts = facts_of(job.stack, first);
  facts["part"] = "collectives";
  Notebook notebook(db, job, first, facts, invocation);
  try {
    for (const CollectivesOrder& order : orders) {
      const Fields told = {{"coll_tuned_use_dynamic_rules", "1"}};
      const LaunchedCollectives launched = launch_collectives(job, told, order);
      notebook.add("collectives", samples_of(launched, order, {}, 0));
    }
    try_han(job, first, profile.file, invocation, &notebook);
  } catch (const Error& error) {
    notebook.finish(false, error.what());
    throw;
  }
  notebook.finish(true, "");
  return report_of(job, notebook, orders.size(), first.library, profile.file);
}

}  // namespace nmt
