// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/rounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "control/control.h"
#include "core/statistics.h"

namespace nmt::sampler {
namespace {

constexpr double kRoundsMin = 6;             // the budget should have time for this many
constexpr double kRoundsForMore = 12;        // the same, when cells are added
constexpr std::uint32_t kVisitsMin = 3;      // of each cell, if cells share the time
constexpr std::uint32_t kVisitsEnough = 30;  // more visits add no information
constexpr double kFirstIsEnoughNs = 50e6;    // warm enough, although connections were made
constexpr double kVisitNs = 2e6;             // short ones are repeated for this long,
constexpr std::uint32_t kVisitMax = 8;       // but at most this often
constexpr double kVisitCostNs = 1e6;         // besides the measurement
constexpr double kClockEveryNs = 5e9;        // because clocks drift
// Before a rank counts as hanging: for an order that never ran, and for one that did.
constexpr double kFirstPatienceNs = 120e9;
constexpr double kPatienceNs = 20e9;  // plus
constexpr double kPatience = 100;     // times the usual duration

std::uint32_t repetitions_of(const JobCell& cell) {
  const double fit = kVisitNs / std::max(1.0, cell.usual_ns);
  return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::min(fit, 1e6)), 1, kVisitMax);
}

double visit_ns(const JobCell& cell) { return cell.usual_ns * repetitions_of(cell) + kVisitCostNs; }

double round_ns(const std::vector<JobCell>& cells) {
  double sum_ns = 0;
  for (const JobCell& cell : cells) sum_ns += visit_ns(cell);
  return sum_ns;
}

double round_ns(const std::vector<JobCell*>& cells) {
  double sum_ns = 0;
  for (const JobCell* cell : cells) sum_ns += visit_ns(*cell);
  return sum_ns;
}

// Relative half-width of the interval of its median.
double precision_of(const Sample& sample) {
  const Summary summary = summarize(sample.repetitions);
  return summary.median_ns > 0 ? (summary.high_ns - summary.low_ns) / 2 / summary.median_ns : 1;
}

}  // namespace

JobRounds::JobRounds(const control::MpiJob& job, const JobShape& shape, JobExecutor& executor,
                     const Rail& rail, double budget_ns, std::uint64_t seed, Observer& observer)
    : job_(job),
      shape_(shape),
      executor_(executor),
      rail_(rail),
      budget_ns_(budget_ns),
      observer_(observer),
      random_(seed) {}

std::vector<double> JobRounds::run_on_all(Order order, double usual_ns) {
  // A message goes to each other node in turn.
  if (order.operation == JobOperation::kMessage) {
    order.subject = shape_.nodes[1 + partners_++ % (shape_.nodes.size() - 1)].front();
  }
  const control::HangAlarm alarm(
      usual_ns > 0 ? kPatienceNs + kPatience * usual_ns * order.repetitions : kFirstPatienceNs,
      job_.mpi().abort);
  job_.mpi().broadcast(&order, sizeof order);
  return executor_.run(order);
}

CampaignReport JobRounds::run(const Hooks& hooks) {
  try {
    CampaignReport report = measure(hooks);
    run_on_all({.operation = JobOperation::kEnd});
    return report;
  } catch (...) {
    run_on_all({.operation = JobOperation::kEnd});
    throw;
  }
}

CampaignReport JobRounds::measure(const Hooks& hooks) {
  const double start_ns = executor_.now_ns();
  compare_clocks();
  cells_ = hooks.prepare();
  for (JobCell& cell : cells_) warm_up(cell, hooks.even_time);
  const double end_ns = start_ns + budget_ns_;
  while (hooks.leave_out && executor_.now_ns() + kRoundsMin * round_ns(cells_) > end_ns) {
    if (!hooks.leave_out(cells_)) break;
  }
  CampaignReport report;
  for (std::uint32_t round = 0;
       round < 2 || executor_.now_ns() + round_ns(due_cells(hooks.even_time)) < end_ns; ++round) {
    if (hooks.more) add_cells(hooks, round, end_ns);
    std::shuffle(cells_.begin(), cells_.end(), random_);
    const std::vector<JobCell*> due = due_cells(hooks.even_time);
    for (JobCell* cell : due) {
      if ((report.interrupted = observer_.interrupted())) break;
      visit(*cell, round);
      report_progress(start_ns, hooks.subject, round);
    }
    if (report.interrupted || due.empty()) break;
    if (hooks.after_round) hooks.after_round(cells_);
  }
  report.elapsed_ns = executor_.now_ns() - start_ns;
  report.rails.push_back(rail_report(report));
  return report;
}

void JobRounds::compare_clocks() {
  const double start_ns = executor_.now_ns();
  run_on_all({.operation = JobOperation::kClock}, clock_usual_ns_);
  clock_ns_ = executor_.now_ns();
  clock_usual_ns_ = clock_ns_ - start_ns;
}

// The first use makes connections.
void JobRounds::warm_up(JobCell& cell, bool even_time) {
  cell.usual_ns = run_on_all(cell.order).front();
  const bool again = !even_time || cell.usual_ns < kFirstIsEnoughNs;
  if (again) cell.usual_ns = run_on_all(cell.order).front();
  cell.warm_up_ns = cell.usual_ns;
}

std::vector<JobCell*> JobRounds::due_cells(bool even_time) {
  double taken_ns = 0, open = 0;
  for (const JobCell& cell : cells_) {
    if (cell.visits >= kVisitsEnough) continue;
    taken_ns += cell.taken_ns;
    ++open;
  }
  std::vector<JobCell*> due;
  for (JobCell& cell : cells_) {
    const bool enough = cell.visits >= kVisitsEnough;
    const bool has_its_share = cell.visits >= kVisitsMin && cell.taken_ns * open > taken_ns;
    if (!even_time || (!enough && !has_its_share)) due.push_back(&cell);
  }
  return due;
}

void JobRounds::add_cells(const Hooks& hooks, std::uint32_t round, double end_ns) {
  if (hooks.even_time && round < kVisitsMin) return;
  const double rounds = hooks.even_time ? kVisitsMin : kRoundsForMore;
  const double left_ns =
      end_ns - executor_.now_ns() - rounds * round_ns(due_cells(hooks.even_time));
  if (left_ns < 0) return;
  for (Choice& choice : hooks.more(cells_)) {
    if (rounds * round_ns(choice) > left_ns) continue;
    for (JobCell& cell : choice) {
      warm_up(cell, hooks.even_time);
      cells_.push_back(std::move(cell));
    }
    return;
  }
}

void JobRounds::visit(JobCell& cell, std::uint32_t round) {
  const double start_ns = executor_.now_ns();
  if (executor_.now_ns() - clock_ns_ > kClockEveryNs) compare_clocks();
  Order order = cell.order;
  order.repetitions = repetitions_of(cell);
  order.rest_ns = rest_after(cell.usual_ns);
  const std::vector<double> durations_ns = run_on_all(order, cell.usual_ns);
  for (std::size_t i = 0; i < durations_ns.size(); ++i) {
    cell.samples[i % cell.samples.size()].repetitions.push_back(
        {.total_ns = static_cast<std::uint64_t>(std::max(1.0, durations_ns[i])), .round = round});
    cell.usual_ns = 0.5 * (cell.usual_ns + durations_ns[i]);
  }
  ++cell.visits;
  cell.taken_ns += executor_.now_ns() - start_ns;
  observer_.measured(rail_, cell.samples);
}

void JobRounds::report_progress(double start_ns, const std::string& subject, std::uint32_t round) {
  const double taken_ns = executor_.now_ns() - start_ns;
  observer_.progress(
      {.rail = rail_.full_name(),
       .phase = fmt::format("{}{}round {}", subject, subject.empty() ? "" : ", ", round + 1),
       .done = std::min(1.0, taken_ns / budget_ns_),
       .left_ns = std::max(0.0, budget_ns_ - taken_ns),
       .cells = cells_.size()});
}

RailReport JobRounds::rail_report(const CampaignReport& campaign) const {
  RailReport report{.rail = rail_.full_name(), .complete = !campaign.interrupted};
  std::vector<double> precisions;
  for (const JobCell& cell : cells_) {
    for (const Sample& sample : cell.samples) {
      ++report.cells;
      report.repetitions += sample.repetitions.size();
      precisions.push_back(precision_of(sample));
    }
  }
  report.precision = precisions.empty() ? 1 : quantile(precisions, 0.9);
  report.elapsed_ns = campaign.elapsed_ns;
  return report;
}

Sample mpi_sample(const control::MpiJob& job, std::string_view benchmark, int ranks,
                  std::uint64_t size_bytes) {
  Sample sample{.size_bytes = size_bytes};
  sample.condition.benchmark = benchmark;
  sample.condition.mpi = job.library();
  sample.condition.ranks = ranks;
  return sample;
}

}  // namespace nmt::sampler
