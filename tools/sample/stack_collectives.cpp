// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/stack_collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/units.h"
#include "tools/sample/interruption.h"
#include "tools/stack/collectives.h"
#include "tools/stack/notebook.h"

namespace nmt {

Report sample_stack_collectives(const SampleOptions& options, const Invocation& invocation,
                                const Location& profile, ProfileDb& db) {
  const Interruption interruption;
  StackJob job = stack_job(find_stack(options.stack), options.peer.launcher);
  job.interrupted = [&] { return interruption.signal() != 0; };
  if (job.stack.name != "openmpi") {
    throw Error(Fault::kUsage, "--parts collectives: of openmpi only; others take no rules");
  }
  const LaunchedTurn first = launch_turn(job, {}, {.sizes_bytes = {1}});
  constexpr double kBudgetNs = 150e9;
  const double budget_ns = options.budget_ns > 0 ? options.budget_ns : kBudgetNs;
  const std::vector<CollectivesOrder> orders =
      collectives_orders(budget_ns, options.seed.value_or(random_seed()));
  invocation.notice(fmt::format(
      "{}, {} ranks on {}: {} collectives of {} each (--budget), {} in all", first.library,
      first.ranks, fmt::join(first.hosts, ", "), orders.size(), format_duration(budget_ns),
      format_duration(static_cast<double>(orders.size()) * (budget_ns + first.elapsed_ns))));
  const Fields told = {{"coll_tuned_use_dynamic_rules", "1"}};
  Notebook notebook(db, job, first, {{"part", "collectives"}}, invocation);
  try {
    for (const CollectivesOrder& order : orders) {
      const LaunchedCollectives launched = launch_collectives(job, told, order);
      notebook.add("collectives", samples_of(launched, order, {}, 0));
    }
  } catch (const Error& error) {
    notebook.finish(false, error.what());
    throw;
  }
  notebook.finish(true, "");
  const RuleChoice choice = choose_rules(notebook.samples());
  Report report;
  json::Value notes = json::Value::array();
  report.text.heading(fmt::format("Sampled collectives of {}", first.library));
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
  report.summary = {{"stack", std::string(job.stack.name)},
                    {"operations", std::to_string(orders.size())},
                    {"repetitions", std::to_string(notebook.repetitions())},
                    {"campaign", notebook.campaign().id.hex()},
                    {"profile", profile.file}};
  return report;
}

}  // namespace nmt
