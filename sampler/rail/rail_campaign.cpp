// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/rail_campaign.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/statistics.h"

namespace nmt::sampler {
namespace {

constexpr double kVisitsPerBudget = 600;  // experiments' visits that fit a budget
// Long enough that an interrupt is a small part of it, shorter than a scheduler's time slice. Fewer
// and longer repetitions give as much: noise is averaged inside, and rounds differ by more.
constexpr double kRepetitionNsMin = 500e3;
constexpr std::uint32_t kWarmUpBatchMax = 10000;
constexpr double kWarmUpNsMax = 100e6;
constexpr double kWarmUpAgreement = 0.02;
constexpr std::uint64_t kWarmUpSizeBytes = 1024;
// Large enough to show the distance of the two cores, small enough to be cheap.
constexpr std::uint64_t kSentinelSizeBytes = 16384;
constexpr std::uint32_t kSentinelRepetitions = 3;
// Waits for other work that starts and stops, such as a cron job or another test. One wait takes at
// most this share of the budget; after a wait in vain there are no more.
constexpr double kWaitShareMax = 0.2;
constexpr int kQuietProbes = 3;  // in a row, each some milliseconds long
constexpr std::uint64_t kLandmarkBytesAlways = kLandmarksBytes[1];
constexpr double kLandmarkShareMax = 0.1;  // of the budget, for one that is larger
constexpr int kLandmarkTries = 3;          // where nothing else is measured, if disturbed

}  // namespace

RailCampaign::RailCampaign(Benchmark& benchmark, const SamplingOptions& options, Setting setting,
                           Hooks hooks, double budget_ns)
    : benchmark_(benchmark),
      options_(options),
      space_(std::move(setting.space)),
      real_(setting.real),
      hooks_(std::move(hooks)),
      start_ns_(now_ns()),
      deadline_ns_(start_ns_ + budget_ns),
      evidence_(std::move(setting.prototype), options.precision, std::move(setting.earlier),
                setting.session, space_.variants),
      journal_(evidence_),
      pacing_(evidence_, {.timer_cost_ns = benchmark.clock().cost_ns(),
                          .repetition_ns_min = setting.real ? kRepetitionNsMin : 0,
                          .visit_ns_max = budget_ns / kVisitsPerBudget}),
      random_(options.seed),
      schedule_(evidence_, pacing_, space_,
                {.precision = options.precision, .verify = options.verify && !space_.contended},
                random_),
      round_(evidence_.next_round()) {
  const auto size = std::min(kSentinelSizeBytes, space_.size_bytes_max);
  MeasurementSpace alone = space_;
  alone.contended = false;
  const std::vector<Experiment> all = experiments_at(alone, Regime::kHot, size);
  sentinels_ = {all.front(), all.back()};  // the first transfer method, and memcpy
  NMT_CHECK(sentinels_.size() == kSentinels);
}

RailReport RailCampaign::run() {
  hooks_.progress("warming up");
  warm_up();
  const std::vector<Block> first = schedule_.first_round();
  if (options_.landmarks != Landmarks::kNone && !space_.contended) measure_landmarks();
  if (options_.landmarks == Landmarks::kOnly) {
    for (int i = 1; i < kLandmarkTries && !over() && !landmarks_known(); ++i) measure_landmarks();
  } else {
    measure_all(first);
  }
  RailReport result = report();
  result.elapsed_ns = now_ns() - start_ns_;
  return result;
}

void RailCampaign::measure_all(const std::vector<Block>& first) {
  probe_all();
  run_round(first);
  while (!over()) {
    const std::vector<Block> blocks = schedule_.next_round({.spent_ns = now_ns() - start_ns_,
                                                            .verifying_ns = verifying_ns_,
                                                            .left_ns = deadline_ns_ - now_ns()});
    if (blocks.empty()) return;
    run_round(blocks);
  }
}

// Doubles batches of one exchange until two successive medians agree: then caches, pages, frequency
// and the partner's process have settled.
void RailCampaign::warm_up() {
  const auto size = std::min(kWarmUpSizeBytes, space_.size_bytes_max);
  const Experiment experiment = experiments_at(space_, Regime::kHot, size).front();
  double last_ns = 0;
  for (std::uint32_t batch = 1; now_ns() - start_ns_ < kWarmUpNsMax; batch *= 2) {
    const Step step{experiment, 0, 5, std::min(batch, kWarmUpBatchMax)};
    const BlockResult result = benchmark_.run({&step, 1});
    const std::vector<double> totals(result.totals_ns[0].begin(), result.totals_ns[0].end());
    const double each_ns = median(totals) / step.batch;
    if (std::abs(each_ns - last_ns) <= kWarmUpAgreement * last_ns) return;
    last_ns = each_ns;
  }
}

// In one round; a large size only where it takes little of the time.
void RailCampaign::measure_landmarks() {
  std::vector<Block> blocks;
  const auto fits = [&](const Block& block, double share) {
    return schedule_.cost_ns(block) <= share * (deadline_ns_ - start_ns_) &&
           now_ns() + schedule_.cost_ns(block) <= deadline_ns_;
  };
  for (const std::uint64_t size : kLandmarksBytes) {
    const Block block{.size_bytes = std::min(size, space_.size_bytes_max), .landmark = true};
    if (size == kLandmarkBytesAlways) {  // of one byte, nothing can be guessed of large messages
      const std::uint64_t between = std::max<std::uint64_t>(block.size_bytes / 16, 1);
      probe(schedule_.experiments({.size_bytes = between, .landmark = true}));
    }
    const double share = size <= kLandmarkBytesAlways ? 1 : kLandmarkShareMax;
    if (hooks_.interrupted() || !fits(block, share)) break;
    probe(schedule_.experiments(block));
    if (fits(block, 1)) blocks.push_back(block);
    if (size >= space_.size_bytes_max) break;
  }
  if (!blocks.empty()) run_round(blocks);
  out_of_time_ = false;  // for smaller ones
}

// Whether each cell was measured undisturbed.
bool RailCampaign::landmarks_known() const {
  return std::ranges::none_of(evidence_.estimates(),
                              [](const auto& entry) { return entry.second.disturbed; });
}

// Measures the sizes of the grid once, in order, to plan batches and rounds: part of the warm-up,
// not stored. Ends when one visit would exceed the deadline.
void RailCampaign::probe_all() {
  if (space_.contended) {  // experiments that are measured alone also here
    std::vector<Experiment> alone = sentinels_;
    for (const std::uint64_t size : anchors(space_.size_bytes_max)) {
      std::ranges::move(schedule_.experiments({.size_bytes = size, .anchor = true}),
                        std::back_inserter(alone));
    }
    probe(alone);
  }
  for (const std::uint64_t size : first_grid(space_.size_bytes_max)) {
    if (now_ns() + schedule_.cost_ns({Regime::kHot, size, false}) > deadline_ns_) return;
    probe(experiments_at(space_, Regime::kHot, size));
  }
}

void RailCampaign::probe(const std::vector<Experiment>& experiments) {
  std::vector<Step> steps;
  for (const Experiment& experiment : experiments) steps.push_back({experiment, 1, 1, 1});
  const BlockResult result = benchmark_.run(steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Experiment experiment = steps[i].experiment;
    const double total_ns = static_cast<double>(result.totals_ns[i].front());
    for (const Regime regime : {Regime::kHot, Regime::kCold}) {
      experiment.regime = regime;
      evidence_.note_guess(experiment, std::max(1.0, total_ns / operations(experiment)));
    }
  }
}

void RailCampaign::run_round(std::vector<Block> blocks) {
  const double start_ns = now_ns();
  const bool verifying =
      std::any_of(blocks.begin(), blocks.end(), [](const Block& block) { return block.held_out; });
  hooks_.progress(verifying ? "verifying" : "sampling");
  std::shuffle(blocks.begin(), blocks.end(), random_);
  const std::vector<Block> disturbed = run_blocks(blocks);
  run_blocks(disturbed);
  ++round_;
  evidence_.refresh();
  if (verifying) verifying_ns_ += now_ns() - start_ns;
}

std::vector<Block> RailCampaign::run_blocks(const std::vector<Block>& blocks) {
  const std::size_t first = journal_.blocks();
  std::vector<Block> done;
  for (const Block& block : blocks) {
    if (hooks_.interrupted()) break;
    if (now_ns() + schedule_.cost_ns(block) > deadline_ns_) {
      out_of_time_ = true;  // a smaller one may still fit
      continue;
    }
    run_block(block);
    done.push_back(block);
  }
  const std::vector<Sample> changed = journal_.judge();
  if (!changed.empty()) hooks_.measured(changed);
  std::vector<Block> disturbed;
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (journal_.disturbed(first + i)) disturbed.push_back(done[i]);
  }
  return disturbed;
}

void RailCampaign::run_block(const Block& block) {
  hooks_.progress(block.held_out ? "verifying" : "sampling");
  std::vector<Step> steps =
      pacing_.interleave(schedule_.experiments(block), Schedule::passes(block), random_);
  if (!real_) {
    hooks_.measured(journal_.add(round_, block.held_out, steps, benchmark_.run(steps), {}));
    return;
  }
  const std::vector<Step> watch = pacing_.glance(sentinels_, kSentinelRepetitions);
  std::vector<Step> watched = watch;
  watched.insert(watched.end(), steps.begin(), steps.end());
  watched.insert(watched.end(), watch.begin(), watch.end());
  BlockResult result = benchmark_.run(watched);
  const SentinelTimes sentinels = sentinel_times(result, watched);
  watch_repetitions_ += 2 * kSentinels * kSentinelRepetitions;
  result.totals_ns.erase(result.totals_ns.begin(), result.totals_ns.begin() + kSentinels);
  result.totals_ns.resize(steps.size());
  hooks_.measured(journal_.add(round_, block.held_out, steps, result, sentinels));
  if (patient_ && journal_.disturbed(journal_.blocks() - 1)) wait_for_quiet();
}

// Waits until only this campaign runs on the two cores. Disturbed measurements are marked and not
// used, so measuring on would only fill the profile.
void RailCampaign::wait_for_quiet() {
  const double start_ns = now_ns();
  const double end_ns = start_ns + kWaitShareMax * (deadline_ns_ - start_ns_);
  const std::vector<Step> probe = pacing_.glance(sentinels_, kSentinelRepetitions);
  hooks_.progress("waiting for quiet");
  for (int quiet = 0; quiet < kQuietProbes && !hooks_.interrupted();) {
    const BlockResult result = benchmark_.run(probe);
    quiet = is_disturbed(result.interference, result.elapsed_ns) ? 0 : quiet + 1;
    if (quiet < kQuietProbes && now_ns() >= end_ns) {
      patient_ = false;
      break;
    }
  }
  waited_ns_ += now_ns() - start_ns;
}

// The sentinels are the first and the last steps.
SentinelTimes RailCampaign::sentinel_times(const BlockResult& result,
                                           std::span<const Step> steps) const {
  SentinelTimes sentinels;
  for (std::size_t i = 0; i < sentinels.size(); ++i) {
    const std::size_t step = i < kSentinels ? i : steps.size() - 2 * kSentinels + i;
    const auto& totals_ns = result.totals_ns[step];
    const std::vector<double> values(totals_ns.begin(), totals_ns.end());
    sentinels[i] = std::log(std::max(1.0, median(values)) / steps[step].batch);
  }
  return sentinels;
}

RailReport RailCampaign::report() const {
  RailReport report;
  report.complete = !hooks_.interrupted();
  report.cells = static_cast<std::size_t>(
      std::ranges::count_if(evidence_.session_samples(), [&](const Sample& sample) {
        return sample.condition.busy_rails.empty() != space_.contended;
      }));
  report.repetitions = journal_.repetitions();
  report.watch_repetitions = watch_repetitions_;
  report.disturbed = journal_.disturbed_repetitions();
  report.waited_ns = waited_ns_;
  report.drift = evidence_.drift();
  std::vector<double> half_widths;
  for (const auto& [experiment, estimate] : evidence_.estimates()) {
    if (experiment.contended != space_.contended || clearly_loses(evidence_, experiment)) continue;
    half_widths.push_back(estimate.relative_half_width);
    if (estimate.disturbed) ++report.untrusted_cells;
  }
  if (!half_widths.empty()) report.precision = quantile(half_widths, 0.9);
  return report;
}

}  // namespace nmt::sampler
