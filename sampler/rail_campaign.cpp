// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail_campaign.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/statistics.h"

namespace nmt {
namespace {

constexpr double kVisitsPerBudget = 600;  // experiments' visits that a budget should hold
// Longer than what an interrupt takes, shorter than a scheduler's slice.
constexpr double kRepetitionNsMin = 200e3;
constexpr std::uint32_t kWarmUpBatchMax = 10000;
constexpr double kWarmUpNsMax = 100e6;
constexpr double kWarmUpAgreement = 0.02;
constexpr std::uint64_t kWarmUpSizeBytes = 1024;
// Large enough to feel how near the two cores are, small enough to cost little.
constexpr std::uint64_t kSentinelSizeBytes = 16384;
constexpr std::uint32_t kSentinelRepetitions = 3;
constexpr std::size_t kWishesPerRound = 24;
constexpr double kRoundShare = 0.2;   // of the time left that one round may take
constexpr double kColdWeight = 0.5;   // a cold size is wanted half as much as a hot one
constexpr double kVerifyShare = 0.3;  // of the time spent
constexpr std::size_t kHeldOutSizes = 44;
constexpr std::size_t kHeldOutPerRound = 15;
constexpr std::size_t kHeldOutRounds = 4;
constexpr std::size_t kHeldOutRoundsMax = 24;

}  // namespace

RailCampaign::RailCampaign(Benchmark& benchmark, const SamplingOptions& options, Setting setting,
                           Hooks hooks, double budget_ns)
    : benchmark_(benchmark),
      options_(options),
      offer_(std::move(setting.offer)),
      real_(setting.real),
      hooks_(std::move(hooks)),
      start_ns_(now_ns()),
      deadline_ns_(start_ns_ + budget_ns),
      evidence_(std::move(setting.prototype), options.precision, std::move(setting.earlier)),
      journal_(evidence_),
      pacing_(evidence_, {.timer_cost_ns = benchmark.clock().cost_ns(),
                          .repetition_ns_min = setting.real ? kRepetitionNsMin : 0,
                          .visit_ns_max = budget_ns / kVisitsPerBudget}),
      random_(options.seed),
      round_(evidence_.next_round()) {
  const auto size = std::min(kSentinelSizeBytes, offer_.size_bytes_max);
  const std::vector<Experiment> all = experiments_at(offer_, Regime::kHot, size);
  sentinels_ = {all.front(), all.back()};  // the first transfer method, and memcpy
  NMT_CHECK(sentinels_.size() == kSentinels);
  if (options_.verify) held_out_ = choose_held_out();
}

RailReport RailCampaign::run() {
  hooks_.progress("warming up");
  warm_up();
  scout();
  run_round(first_round());
  while (!over()) {
    const std::vector<Block> blocks = next_round();
    if (blocks.empty()) break;
    run_round(blocks);
  }
  RailReport result = report();
  result.elapsed_ns = now_ns() - start_ns_;
  return result;
}

// Doubling batches of one exchange until two successive medians agree: caches, pages, frequency
// and the partner's process have then settled.
void RailCampaign::warm_up() {
  const auto size = std::min(kWarmUpSizeBytes, offer_.size_bytes_max);
  const Experiment experiment = experiments_at(offer_, Regime::kHot, size).front();
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

// A first look at the sizes of the grid, in order, to plan batches and rounds: part of the warm-up,
// not stored. Ends where one visit would already break the deadline.
void RailCampaign::scout() {
  for (const std::uint64_t size : first_grid(offer_.size_bytes_max)) {
    if (now_ns() + cost_ns({Regime::kHot, size, false}) > deadline_ns_) return;
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

// Sampling and verifying in turn, by the share of time that verifying may take; empty where neither
// wants anything.
std::vector<RailCampaign::Block> RailCampaign::next_round() {
  const bool verify_now = verifying_ns_ < kVerifyShare * (now_ns() - start_ns_);
  std::vector<Block> blocks;
  if (verify_now) blocks = verifying_round();
  if (blocks.empty() && !satisfied_) {
    blocks = sampling_round();
    satisfied_ = blocks.empty();
  }
  return blocks.empty() ? verifying_round() : blocks;
}

// What is wanted most, as far as a share of the time left goes, and the anchors.
std::vector<RailCampaign::Block> RailCampaign::sampling_round() {
  std::vector<Wish> wanted = wishes(evidence_, offer_, Regime::kHot, options_.precision, held_out_);
  for (Wish wish : wishes(evidence_, offer_, Regime::kCold, options_.precision, {})) {
    wish.score *= kColdWeight;
    if (wish.score >= 1) wanted.push_back(wish);
  }
  if (wanted.empty()) return {};
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Wish& a, const Wish& b) { return a.score > b.score; });
  const double time_ns = deadline_ns_ - now_ns();
  std::vector<Block> blocks;
  double planned_ns = 0;
  for (const Wish& wish : wanted) {
    if (blocks.size() == kWishesPerRound) break;
    const Block block{wish.regime, wish.size_bytes, false};
    const double block_ns = cost_ns(block);
    if (!blocks.empty() && planned_ns + block_ns > kRoundShare * time_ns) continue;
    planned_ns += block_ns;
    blocks.push_back(block);
  }
  add_anchors(&blocks);
  return blocks;
}

// The held-out sizes that need it most, and the anchors.
std::vector<RailCampaign::Block> RailCampaign::verifying_round() {
  std::vector<std::pair<double, std::uint64_t>> wanted;
  for (const std::uint64_t size : held_out_) {
    const double score = held_out_score(size);
    if (score >= 1) wanted.push_back({score, size});
  }
  if (wanted.empty()) return {};
  std::shuffle(wanted.begin(), wanted.end(), random_);
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Block> blocks;
  for (const auto& [score, size] : wanted) {
    if (blocks.size() < kHeldOutPerRound) blocks.push_back({Regime::kHot, size, true});
  }
  add_anchors(&blocks);
  return blocks;
}

void RailCampaign::add_anchors(std::vector<Block>* blocks) const {
  for (const std::uint64_t size : anchors(offer_.size_bytes_max)) {
    const auto same = [&](const Block& block) {
      return block.regime == Regime::kHot && block.size_bytes == size;
    };
    if (std::none_of(blocks->begin(), blocks->end(), same)) {
      blocks->push_back({Regime::kHot, size, false, true});
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

std::vector<RailCampaign::Block> RailCampaign::run_blocks(const std::vector<Block>& blocks) {
  const std::size_t first = journal_.blocks();
  std::vector<Block> done;
  for (const Block& block : blocks) {
    if (hooks_.interrupted()) break;
    if (now_ns() + cost_ns(block) > deadline_ns_) {
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
  std::vector<Step> steps = pacing_.interleave(experiments(block), passes(block), random_);
  if (!real_) {
    hooks_.measured(journal_.add(round_, block.held_out, steps, benchmark_.run(steps), {}));
    return;
  }
  const std::vector<Step> watch = pacing_.glance(sentinels_, kSentinelRepetitions);
  std::vector<Step> watched = watch;
  watched.insert(watched.end(), steps.begin(), steps.end());
  watched.insert(watched.end(), watch.begin(), watch.end());
  BlockResult result = benchmark_.run(watched);
  const Signature signature = signature_of(result, watched);
  watch_repetitions_ += 2 * kSentinels * kSentinelRepetitions;
  result.totals_ns.erase(result.totals_ns.begin(), result.totals_ns.begin() + kSentinels);
  result.totals_ns.resize(steps.size());
  hooks_.measured(journal_.add(round_, block.held_out, steps, result, signature));
}

// The sentinels are the first and the last steps.
Signature RailCampaign::signature_of(const BlockResult& result, std::span<const Step> steps) const {
  Signature signature;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const std::size_t step = i < kSentinels ? i : steps.size() - 2 * kSentinels + i;
    const auto& totals_ns = result.totals_ns[step];
    const std::vector<double> values(totals_ns.begin(), totals_ns.end());
    signature[i] = std::log(std::max(1.0, median(values)) / steps[step].batch);
  }
  return signature;
}

std::vector<Experiment> RailCampaign::experiments(const Block& block) const {
  std::vector<Experiment> all = experiments_at(offer_, block.regime, block.size_bytes);
  std::erase_if(all, [&](const Experiment& e) {
    const Traffic& traffic = kTraffics[e.traffic];
    return clearly_loses(evidence_, e) || (block.held_out && traffic.local) ||
           (block.anchor && traffic.benchmark != benchmark::kTransfer);
  });
  return all;
}

// Some rounds everywhere first, the sizes with the fewest before the others; then where the better
// choice is in doubt, since a regret cannot be told apart from noise there.
double RailCampaign::held_out_score(std::uint64_t size_bytes) const {
  const Experiment first = experiments_at(offer_, Regime::kHot, size_bytes).front();
  const Estimate* estimate = evidence_.find(first, true);
  const std::size_t rounds = estimate == nullptr || estimate->disturbed ? 0 : estimate->rounds;
  if (rounds < kHeldOutRounds) return 1000 - static_cast<double>(rounds);
  if (rounds >= kHeldOutRoundsMax) return 0;
  double score = 0;
  for (const Contest& contest : contests_at(offer_, Regime::kHot, size_bytes)) {
    Ratio ratio;
    if (ratio_of(evidence_, contest, true, &ratio)) score = std::max(score, doubt_score(ratio));
  }
  return score;
}

RailReport RailCampaign::report() const {
  RailReport report;
  report.complete = !hooks_.interrupted();
  report.cells = evidence_.session_samples().size();
  report.repetitions = journal_.repetitions();
  report.watch_repetitions = watch_repetitions_;
  report.disturbed = journal_.disturbed_repetitions();
  report.drift = evidence_.drift();
  std::vector<double> doubts;
  for (const auto& [experiment, estimate] : evidence_.estimates()) {
    if (clearly_loses(evidence_, experiment)) continue;
    doubts.push_back(estimate.doubt);
    if (estimate.disturbed) ++report.untrusted_cells;
  }
  if (!doubts.empty()) report.precision = quantile(doubts, 0.9);
  return report;
}

}  // namespace nmt
