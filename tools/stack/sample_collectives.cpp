// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/sample_collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "core/version.h"
#include "sampler/sampler.h"
#include "tools/sample/interruption.h"
#include "tools/sample/oversubscription.h"
#include "tools/stack/compare_rules.h"
#include "tools/stack/installed_version.h"
#include "tools/stack/mpich_library.h"
#include "tools/stack/report_settings.h"
#include "tools/stack/stack_recorder.h"

namespace nmt::tools {
namespace {

constexpr double kAllNs = 780e9;  // default: a quarter of an hour, with some reserve
constexpr double kLeastNs = 30e9;

// Jobs differ in speed as a whole, so as many for each operation, where its budget has time.
constexpr std::uint64_t kLaunchesMax = 3;

void announce(const Invocation& invocation, const sampler::LaunchedRound& first,
              std::size_t operations, double budget_ns) {
  const double all_ns = static_cast<double>(operations) * (budget_ns + first.elapsed_ns);
  invocation.notice(
      fmt::format("{}, {} ranks on {}: {} collectives of {} each (--budget), {} in all",
                  first.library, first.ranks, fmt::join(first.hosts, ", "), operations,
                  format_duration(budget_ns), format_duration(all_ns)));
}

// Open MPI gets the algorithm by variables of its tuned component; MPICH by tables that it loads
// when its job starts.
struct RuleDelivery {
  std::vector<stacks::ExportedFile> files;
  Fields settings;
};
RuleDelivery rule_delivery_of(const sampler::StackJob& job, const sampler::LaunchedRound& first,
                              std::vector<sampler::CollectivesOrder>* orders) {
  if (job.stack.name == "openmpi") {
    sampler::leave_out_unknown(first, orders);
    sampler::sample_beside_han(first, orders);
    return {{}, {{"coll_tuned_use_dynamic_rules", "1"}}};
  }
  const auto nodes = static_cast<std::int64_t>(first.hosts.size());
  if (first.ranks % nodes != 0) {  // its tables distinguish communicators by this
    throw Error(Fault::kUsage, fmt::format("--launcher: MPICH needs the same number of ranks on "
                                           "each node; {} ranks are on {} nodes",
                                           first.ranks, nodes));
  }
  const stacks::MpichTables tables = read_mpich_tables(first.library_file);
  sampler::leave_out_impossible(tables.known, first.ranks, first.ranks / nodes, orders);
  std::vector<int> ranks = {static_cast<int>(first.ranks)};
  if (nodes > 3) {  // half of them
    ranks.insert(ranks.begin(), static_cast<int>(first.ranks / nodes * (nodes / 2)));
  }
  return {sampler::write_trials(tables, *orders, ranks), recorded_rules(job.stack.name)};
}

// Operations take turns, so that the jobs of one are some time apart.
void launch_in_turns(const sampler::StackJob& job, const Fields& settings,
                     const std::vector<sampler::CollectivesOrder>& orders,
                     const Invocation& invocation, StackRecorder* recorder) {
  struct Spent {
    double all_ns = 0, last_ns = 0;
    std::uint32_t rounds = 0;
  };
  std::vector<Spent> spent(orders.size());
  for (std::uint64_t launch = 0; launch < kLaunchesMax; ++launch) {
    for (std::size_t i = 0; i < orders.size(); ++i) {
      sampler::CollectivesOrder order = orders[i];
      order.budget_ns -= spent[i].all_ns;
      order.seed += launch;
      if (order.budget_ns < spent[i].last_ns) continue;
      sampler::LaunchedCollectives launched;
      try {
        launched = sampler::launch_collectives(job, settings, order);
      } catch (const Error& error) {
        if (launch == 0 || job.interrupted()) throw;
        invocation.notice(fmt::format("a repeated job failed, and none follows: {}", error.what()));
        return;
      }
      recorder->add("collectives",
                    sampler::samples_of(job.stack.name, launched, order, {}, spent[i].rounds));
      spent[i].last_ns = launched.elapsed_ns;
      spent[i].all_ns += launched.elapsed_ns;
      std::size_t rounds = 0;
      for (const sampler::StackCell& cell : launched.result.cells) {
        rounds = std::max(rounds, cell.rounds_ns.size());
      }
      spent[i].rounds += static_cast<std::uint32_t>(rounds);
    }
  }
}

Report report_of(const sampler::StackJob& job, const StackRecorder& recorder,
                 std::size_t operations, const std::string& library, const std::string& profile) {
  const std::vector<stacks::StackSamples> samples = recorder.samples();
  const stacks::RuleChoice choice = stacks::choose_rules(samples);
  Report report;
  json::Value notes = json::Value::array();
  report.text.heading(fmt::format("Sampled collectives of {}", library));
  for (const std::string& note : choice.notes) {
    report.text.line(note);
    notes.push_back(note);
  }
  json::Value cells = json::Value::array();
  for (const stacks::RuledCell& cell : choice.cells) {
    cells.push_back(json::Value::object()
                        .set("operation", cell.operation)
                        .set("ranks", cell.ranks)
                        .set("size_bytes", cell.size_bytes)
                        .set("algorithm", cell.algorithm)
                        .set("gain", cell.gain.value)
                        .set("best_gain", cell.best_gain)
                        .set("component_gain", cell.component_gain));
    report.records.rows.push_back({cell.operation, cell.ranks, cell.size_bytes, cell.algorithm,
                                   cell.gain.value, cell.best_gain});
  }
  report.records.header = {"operation", "ranks", "size_bytes", "algorithm", "gain", "best_gain"};
  report.payload.set("collectives", std::move(notes)).set("cells", std::move(cells));
  report.summary = {{"stack", std::string(job.stack.name)},
                    {"operations", std::to_string(operations)},
                    {"repetitions", std::to_string(recorder.repetitions())},
                    {"campaign", recorder.campaign().id.hex()},
                    {"profile", profile}};
  return report;
}

}  // namespace

Report sample_stack_collectives(const SampleOptions& options, const Invocation& invocation,
                                const profiledb::Location& profile, profiledb::ProfileDb& db) {
  const Interruption interruption;
  sampler::StackJob job =
      sampler::stack_job(stacks::find_stack(options.stack), options.peer.launcher);
  job.interrupted = [&] { return interruption.signal() != 0; };
  job.installed = [&] { return installed_version(job.stack.name); };
  if (recorded_rules(job.stack.name).empty()) {
    throw Error(Fault::kUsage,
                "--parts collectives: choose --stack openmpi or mpich; ucx has no collectives");
  }
  sampler::LaunchRoundOrder probe{.sizes_bytes = {1}};
  const bool openmpi = job.stack.name == "openmpi";
  if (openmpi) probe.variables = sampler::collective_variables();
  const sampler::LaunchedRound first = sampler::launch_round(job, {}, probe);
  if (openmpi) sampler::require_variables(job, first, "choose an algorithm");
  const auto operations = static_cast<double>(stacks::tuned_operations().size());
  const double budget_ns = options.budget_ns > 0
                               ? options.budget_ns
                               : std::max(kLeastNs, kAllNs / operations - first.elapsed_ns);
  std::vector<sampler::CollectivesOrder> orders =
      sampler::collectives_orders(job.stack.name, budget_ns, options.seed.value_or(random_seed()));
  const RuleDelivery delivery = rule_delivery_of(job, first, &orders);
  const RulesFiles files(job.stack.name, delivery.files, {}, profile.file);
  announce(invocation, first, orders.size(), budget_ns);
  Fields facts = sampler::facts_of(job.stack, first);
  facts["part"] = "collectives";
  if (sampler::han_role(first) == sampler::HanRole::kChooses) facts[kHanChooses] = "1";
  if (sampler::han_role(first) == sampler::HanRole::kCompetes) facts[kHanCompetes] = "1";
  StackRecorder recorder(db, job, first, facts, invocation);
  try {
    launch_in_turns(job, openmpi ? delivery.settings : files.launchable(delivery.settings), orders,
                    invocation, &recorder);
  } catch (const Error& error) {
    recorder.finish(false, error.what());
    throw;
  }
  recorder.finish(true, "");
  Report report = report_of(job, recorder, orders.size(), first.library, profile.file);
  warn_of_oversubscription(first.ranks, first.cores, &report);
  warn_of_untried(job.stack.name, version_in(first.library), &report);
  return report;
}

}  // namespace nmt::tools
