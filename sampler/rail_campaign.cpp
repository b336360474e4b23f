// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail_campaign.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/statistics.h"

namespace nmt {
namespace {

constexpr double kDisturbedShare = 0.03;
constexpr double kTimerShare = 0.005;  // of a repetition that the timer may cost
constexpr std::uint32_t kBatchMax = 10000;
constexpr std::uint32_t kPasses = 3;  // over a block's experiments, each in its own order
constexpr std::uint32_t kRepetitionsPerPassMax = 4;
constexpr double kVisitsPerBudget = 600;  // experiments' visits that a budget should hold
constexpr double kWarmUpNsMax = 100e6;
constexpr double kWarmUpAgreement = 0.02;
constexpr std::size_t kWishesPerRound = 12;
constexpr double kRoundShare = 0.2;   // of the time left that one round may take
constexpr double kColdWeight = 0.5;   // a cold size is wanted half as much as a hot one
constexpr double kVerifyShare = 0.3;  // of the budget
constexpr std::size_t kHeldOutSizes = 44;
constexpr int kVerifyRounds = 3;
constexpr double kWarmUpSizeBytes = 1024;

bool is_local(const Experiment& experiment) { return kTraffics[experiment.traffic].local; }

}  // namespace

bool is_disturbed(const Interference& interference, std::uint64_t elapsed_ns) {
  const double lost_ns =
      static_cast<double>(interference.run_delay_ns) + static_cast<double>(interference.steal_ns);
  return lost_ns > kDisturbedShare * static_cast<double>(elapsed_ns);
}

RailCampaign::RailCampaign(Benchmark& benchmark, const Offer& offer, const SamplingOptions& options,
                           Sample prototype, std::vector<Sample> earlier, Hooks hooks)
    : benchmark_(benchmark),
      offer_(offer),
      options_(options),
      evidence_(std::move(prototype), options.precision, std::move(earlier)),
      hooks_(std::move(hooks)),
      random_(options.seed),
      round_(evidence_.next_round()) {}

RailReport RailCampaign::run(double budget_ns) {
  const double start_ns = now_ns();
  const double end_ns = start_ns + budget_ns;
  visit_ns_max_ = budget_ns / kVisitsPerBudget;
  if (options_.verify) held_out_ = choose_held_out();
  hooks_.progress("warming up");
  warm_up();
  scout(end_ns);
  sample(options_.verify ? end_ns - kVerifyShare * budget_ns : end_ns);
  if (options_.verify && !hooks_.interrupted()) verify(end_ns);
  evidence_.refresh();
  RailReport result = report();
  result.elapsed_ns = now_ns() - start_ns;
  return result;
}

// Doubling batches of one exchange until two successive medians agree: caches, pages, frequency
// and the partner's process have then settled.
void RailCampaign::warm_up() {
  const auto size_bytes =
      std::min<std::uint64_t>(offer_.size_bytes_max, static_cast<std::uint64_t>(kWarmUpSizeBytes));
  const Experiment experiment = experiments_at(offer_, Regime::kHot, size_bytes).front();
  const double start_ns = now_ns();
  double last_ns = 0;
  for (std::uint32_t batch = 1; now_ns() - start_ns < kWarmUpNsMax; batch *= 2) {
    const Step step{experiment, 0, 5, std::min(batch, kBatchMax)};
    const BlockResult result = benchmark_.run({&step, 1});
    const std::vector<double> totals(result.totals_ns[0].begin(), result.totals_ns[0].end());
    const double each_ns = median(totals) / step.batch;
    if (std::abs(each_ns - last_ns) <= kWarmUpAgreement * last_ns) return;
    last_ns = each_ns;
  }
}

// A first look at the sizes of the grid, in order, to plan batches and rounds: part of the warm-up,
// not stored. Ends where one visit would already break the deadline.
void RailCampaign::scout(double deadline_ns) {
  for (const std::uint64_t size : first_grid(offer_.size_bytes_max)) {
    if (now_ns() + cost_ns({Regime::kHot, size, false}) > deadline_ns) return;
    std::vector<Step> steps;
    for (const Experiment& experiment : experiments_at(offer_, Regime::kHot, size)) {
      steps.push_back({experiment, 1, 1, 1});
    }
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
}

void RailCampaign::sample(double deadline_ns) {
  bool going = run_round(first_round(), deadline_ns, "sampling");
  while (going) {
    const std::vector<Block> blocks = next_round(deadline_ns - now_ns());
    if (blocks.empty()) {
      satisfied_ = true;
      return;
    }
    going = run_round(blocks, deadline_ns, "sampling");
  }
}

// Held-out sizes in several rounds, the anchors among them, so that the speed of these rounds is
// tied to that of the sampling before.
void RailCampaign::verify(double deadline_ns) {
  std::vector<Block> blocks;
  for (const std::uint64_t size : anchors(offer_.size_bytes_max)) {
    blocks.push_back({Regime::kHot, size, false});
  }
  double cost = 0;
  for (const std::uint64_t size : held_out_) {
    blocks.push_back({Regime::kHot, size, true});
    cost += cost_ns(blocks.back());
  }
  // All rounds must fit: a shorter visit everywhere rather than the large sizes nowhere.
  const double share_ns = (deadline_ns - now_ns()) / kVerifyRounds;
  if (cost > share_ns) visit_ns_max_ *= share_ns / cost;
  for (int i = 0; i < kVerifyRounds; ++i) {
    if (!run_round(blocks, deadline_ns, "verifying")) return;
  }
}

// Log-uniform over all sizes, one from each stratum, none of the first grid's.
std::vector<std::uint64_t> RailCampaign::choose_held_out() {
  std::set<std::uint64_t> taken;
  for (const std::uint64_t size : first_grid(offer_.size_bytes_max)) taken.insert(size);
  for (const std::uint64_t size : evidence_.sizes_bytes(Regime::kHot)) taken.insert(size);
  std::vector<std::uint64_t> chosen;
  const double octaves = std::log2(static_cast<double>(offer_.size_bytes_max));
  for (std::size_t i = 0; i < kHeldOutSizes; ++i) {
    const double from = octaves * static_cast<double>(i) / kHeldOutSizes;
    const double to = octaves * static_cast<double>(i + 1) / kHeldOutSizes;
    auto size = static_cast<std::uint64_t>(
        std::llround(std::exp2(std::uniform_real_distribution<>(from, to)(random_))));
    while (taken.contains(size)) ++size;
    if (size > offer_.size_bytes_max) continue;
    taken.insert(size);
    chosen.push_back(size);
  }
  return chosen;
}

// Sizes of the grid that no session has measured yet.
std::vector<RailCampaign::Block> RailCampaign::first_round() const {
  std::vector<Block> blocks;
  for (const Regime regime : {Regime::kHot, Regime::kCold}) {
    const std::vector<std::uint64_t>& known = evidence_.sizes_bytes(regime);
    for (const std::uint64_t size : first_grid(offer_.size_bytes_max)) {
      if (std::find(known.begin(), known.end(), size) == known.end()) {
        blocks.push_back({regime, size, false});
      }
    }
  }
  return blocks;
}

// The anchors, and what is wanted most, as far as a share of the time left goes. Empty where
// nothing is wanted.
std::vector<RailCampaign::Block> RailCampaign::next_round(double time_ns) {
  std::vector<Wish> wanted = wishes(evidence_, offer_, Regime::kHot, options_.precision, held_out_);
  for (Wish wish : wishes(evidence_, offer_, Regime::kCold, options_.precision, {})) {
    wish.score *= kColdWeight;
    if (wish.score >= 1) wanted.push_back(wish);
  }
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Wish& a, const Wish& b) { return a.score > b.score; });
  if (wanted.empty()) return {};

  std::vector<Block> blocks;
  double cost = 0;
  for (const Wish& wish : wanted) {
    if (blocks.size() == kWishesPerRound) break;
    const Block block{wish.regime, wish.size_bytes, false};
    const double block_ns = cost_ns(block);
    if (!blocks.empty() && cost + block_ns > kRoundShare * time_ns) continue;
    cost += block_ns;
    blocks.push_back(block);
  }
  for (const std::uint64_t size : anchors(offer_.size_bytes_max)) {
    const auto same = [&](const Block& block) {
      return block.regime == Regime::kHot && block.size_bytes == size;
    };
    if (std::none_of(blocks.begin(), blocks.end(), same)) {
      blocks.push_back({Regime::kHot, size, false});
    }
  }
  return blocks;
}

// False where the campaign must end: interrupted, or out of time.
bool RailCampaign::run_round(std::vector<Block> blocks, double deadline_ns,
                             std::string_view phase) {
  std::shuffle(blocks.begin(), blocks.end(), random_);
  const std::size_t planned = blocks.size();
  bool in_time = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (hooks_.interrupted()) return false;
    hooks_.progress(phase);
    const Block block = blocks[i];
    if (now_ns() + cost_ns(block) > deadline_ns) {
      in_time = false;  // a smaller one may still fit
      continue;
    }
    const bool again = !run_block(block) && i < planned;
    if (again) blocks.push_back(block);
  }
  ++round_;
  evidence_.refresh();
  return in_time;
}

std::vector<Experiment> RailCampaign::experiments(const Block& block) const {
  std::vector<Experiment> all = experiments_at(offer_, block.regime, block.size_bytes);
  std::erase_if(all, [&](const Experiment& e) { return clearly_loses(evidence_, e); });
  if (block.held_out) std::erase_if(all, is_local);
  return all;
}

bool RailCampaign::run_block(const Block& block) {
  std::vector<Experiment> todo = experiments(block);
  std::vector<Step> steps;
  for (std::uint32_t pass = 0; pass < kPasses; ++pass) {
    std::shuffle(todo.begin(), todo.end(), random_);
    for (const Experiment& experiment : todo) {
      steps.push_back({experiment, warm_ups_of(experiment), repetitions_of(experiment) / kPasses,
                       batch_of(experiment)});
    }
  }
  const BlockResult result = benchmark_.run(steps);
  const bool disturbed = is_disturbed(result.interference, result.elapsed_ns);

  std::map<Experiment, std::vector<Repetition>> cells;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint32_t batch = steps[i].batch * operations(steps[i].experiment);
    for (const std::uint64_t total_ns : result.totals_ns[i]) {
      cells[steps[i].experiment].push_back({total_ns, batch, round_, disturbed});
      ++repetitions_;
      if (disturbed) ++disturbed_;
    }
  }
  const double delay_ns =
      static_cast<double>(result.interference.run_delay_ns) / static_cast<double>(cells.size());
  std::vector<Sample> measured;
  for (const auto& [experiment, repetitions] : cells) {
    measured.push_back(evidence_.add(experiment, block.held_out, repetitions, delay_ns));
    evidence_.note_guess(experiment, repetitions.back().each_ns());
  }
  hooks_.measured(measured);
  return !disturbed;
}

std::uint32_t RailCampaign::batch_of(const Experiment& experiment) const {
  const double exchange_ns = std::max(1.0, evidence_.guess_ns(experiment) * operations(experiment));
  const double needed_ns = benchmark_.clock().cost_ns() / kTimerShare;
  return static_cast<std::uint32_t>(
      std::clamp(std::ceil(needed_ns / exchange_ns), 1.0, static_cast<double>(kBatchMax)));
}

// A multiple of kPasses.
std::uint32_t RailCampaign::repetitions_of(const Experiment& experiment) const {
  const double each_ns =
      evidence_.guess_ns(experiment) * operations(experiment) * batch_of(experiment);
  const double per_pass = std::clamp(visit_ns_max_ / each_ns / kPasses, 1.0,
                                     static_cast<double>(kRepetitionsPerPassMax));
  return kPasses * static_cast<std::uint32_t>(per_pass);
}

// One exchange brings the buffers into the caches; where a few repetitions fill the visit, the
// messages are larger than any cache.
std::uint32_t RailCampaign::warm_ups_of(const Experiment& experiment) const {
  return repetitions_of(experiment) == kPasses ? 0 : 1;
}

double RailCampaign::cost_ns(const Block& block) const {
  double cost = 0;
  for (const Experiment& experiment : experiments(block)) {
    const double exchanges =
        repetitions_of(experiment) * batch_of(experiment) + kPasses * warm_ups_of(experiment);
    cost += exchanges * evidence_.guess_ns(experiment) * operations(experiment);
  }
  return cost;
}

RailReport RailCampaign::report() const {
  RailReport report;
  report.complete = satisfied_ || !hooks_.interrupted();
  report.cells = evidence_.session_samples().size();
  report.repetitions = repetitions_;
  report.disturbed = disturbed_;
  report.drift = evidence_.drift();
  std::vector<double> doubts;
  for (const auto& [experiment, estimate] : evidence_.estimates()) {
    if (!clearly_loses(evidence_, experiment)) doubts.push_back(estimate.doubt);
  }
  if (!doubts.empty()) report.precision = quantile(doubts, 0.9);
  return report;
}

}  // namespace nmt
