// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/schedule.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nmt::sampler {
namespace {

constexpr std::size_t kWishesPerRound = 24;
constexpr double kRoundShare = 0.2;   // of the time left, for one round
constexpr double kColdWeight = 0.5;   // a cold size counts half as much as a hot one
constexpr double kVerifyShare = 0.3;  // of the time spent
constexpr std::size_t kHeldOutSizes = 44;
constexpr std::size_t kHeldOutPerRound = 15;
constexpr std::size_t kHeldOutRounds = 4;
constexpr std::size_t kHeldOutRoundsMax = 24;

}  // namespace

Schedule::Schedule(const Evidence& evidence, const Pacing& pacing, const MeasurementSpace& space,
                   const Aims& aims, std::mt19937_64& random)
    : evidence_(evidence), pacing_(pacing), space_(space), aims_(aims), random_(random) {
  if (aims_.verify) held_out_ = choose_held_out();
}

// The sizes of the grid that no session has measured yet.
std::vector<Block> Schedule::first_round() const {
  std::vector<Block> blocks;
  for (const Regime regime : {Regime::kHot, Regime::kCold}) {
    if (space_.contended && regime == Regime::kCold) continue;
    const std::vector<std::uint64_t>& known = evidence_.sizes_bytes(regime, space_.contended);
    for (const std::uint64_t size : first_grid(space_.size_bytes_max)) {
      if (std::find(known.begin(), known.end(), size) == known.end()) {
        blocks.push_back({regime, size, false});
      }
    }
  }
  if (space_.contended && !blocks.empty()) add_anchors(&blocks);
  return blocks;
}

// Alternates sampling and verifying by the share of time for verifying; empty if neither has
// requests.
std::vector<Block> Schedule::next_round(const Time& time) {
  const bool verify_now = time.verifying_ns < kVerifyShare * time.spent_ns;
  std::vector<Block> blocks;
  if (verify_now) blocks = verifying_round();
  if (blocks.empty()) blocks = sampling_round(time.left_ns);
  return blocks.empty() ? verifying_round() : blocks;
}

// The most urgent requests that fit a share of the time left, and the anchors.
std::vector<Block> Schedule::sampling_round(double left_ns) const {
  std::vector<SizeRequest> requested =
      size_requests(evidence_, space_, Regime::kHot, aims_.precision, held_out_);
  for (SizeRequest request : size_requests(evidence_, space_, Regime::kCold, aims_.precision, {})) {
    request.score *= kColdWeight;
    if (request.score >= 1) requested.push_back(request);
  }
  if (requested.empty()) return {};
  std::stable_sort(requested.begin(), requested.end(),
                   [](const SizeRequest& a, const SizeRequest& b) { return a.score > b.score; });
  std::vector<Block> blocks;
  double planned_ns = 0;
  for (const SizeRequest& request : requested) {
    if (blocks.size() == kWishesPerRound) break;
    const Block block{request.regime, request.size_bytes, false};
    const double block_ns = cost_ns(block);
    if (!blocks.empty() && planned_ns + block_ns > kRoundShare * left_ns) continue;
    planned_ns += block_ns;
    blocks.push_back(block);
  }
  add_anchors(&blocks);
  return blocks;
}

// The held-out sizes that need it most, and the anchors.
std::vector<Block> Schedule::verifying_round() const {
  std::vector<std::pair<double, std::uint64_t>> requested;
  for (const std::uint64_t size : held_out_) {
    const double score = held_out_score(size);
    if (score >= 1) requested.push_back({score, size});
  }
  if (requested.empty()) return {};
  std::shuffle(requested.begin(), requested.end(), random_);
  std::stable_sort(requested.begin(), requested.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Block> blocks;
  for (const auto& [score, size] : requested) {
    if (blocks.size() < kHeldOutPerRound) blocks.push_back({Regime::kHot, size, true});
  }
  add_anchors(&blocks);
  return blocks;
}

// First some rounds for every size, those with the fewest before the others. Then sizes where the
// better choice is uncertain, because a regret cannot be distinguished from noise there.
double Schedule::held_out_score(std::uint64_t size_bytes) const {
  const Experiment first = experiments_at(space_, Regime::kHot, size_bytes).front();
  const Estimate* estimate = evidence_.find(first, true);
  const std::size_t rounds = estimate == nullptr || estimate->disturbed ? 0 : estimate->rounds;
  if (rounds < kHeldOutRounds) return 1000 - static_cast<double>(rounds);
  if (rounds >= kHeldOutRoundsMax) return 0;
  double score = 0;
  for (const DecisionSides& sides : decisions_at(space_, Regime::kHot, size_bytes)) {
    LogRatio ratio;
    if (ratio_of(evidence_, sides, true, &ratio)) score = std::max(score, uncertainty_score(ratio));
  }
  return score;
}

void Schedule::add_anchors(std::vector<Block>* blocks) const {
  for (const std::uint64_t size : anchors(space_.size_bytes_max)) {
    const auto same = [&](const Block& block) {
      return block.regime == Regime::kHot && block.size_bytes == size && !space_.contended;
    };
    if (std::none_of(blocks->begin(), blocks->end(), same)) {
      blocks->push_back({Regime::kHot, size, false, true});
    }
  }
}

// Log-uniform over all sizes: one from each stratum, none from the first grid.
std::vector<std::uint64_t> Schedule::choose_held_out() const {
  std::set<std::uint64_t> taken;
  for (const std::uint64_t size : first_grid(space_.size_bytes_max)) taken.insert(size);
  for (const std::uint64_t size : evidence_.sizes_bytes(Regime::kHot)) taken.insert(size);
  std::vector<std::uint64_t> chosen;
  const double octaves = std::log2(static_cast<double>(space_.size_bytes_max));
  for (std::size_t i = 0; i < kHeldOutSizes; ++i) {
    const double from = octaves * static_cast<double>(i) / kHeldOutSizes;
    const double to = octaves * static_cast<double>(i + 1) / kHeldOutSizes;
    auto size = static_cast<std::uint64_t>(
        std::llround(std::exp2(std::uniform_real_distribution<>(from, to)(random_))));
    while (taken.contains(size)) ++size;
    if (size > space_.size_bytes_max) continue;
    taken.insert(size);
    chosen.push_back(size);
  }
  return chosen;
}

std::vector<Experiment> Schedule::experiments(const Block& block) const {
  std::vector<Experiment> all = experiments_at(space_, block.regime, block.size_bytes);
  std::erase_if(all, [&](const Experiment& e) {
    const Traffic& traffic = kTraffics[e.traffic];
    return clearly_loses(evidence_, e) || (block.held_out && traffic.local) ||
           ((block.anchor || block.landmark) && traffic.benchmark != benchmark::kTransfer);
  });
  if (block.anchor) {
    for (Experiment& e : all) e.contended = false;
  }
  return all;
}

}  // namespace nmt::sampler
