// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/size_requests.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/curve.h"

namespace nmt::sampler {
namespace {

// An experiment that is slower by this much, beyond its uncertainty, is not measured again.
constexpr double kClearLoss = 0.05;
// Sizes closer than this factor need no size between them.
constexpr double kGapMin = 1.06;
// Regret that an unknown position between two sizes may cost: the difference of the durations times
// the part of the logarithmic axis (in octaves) on which the choice would be wrong.
constexpr double kBracketRegret = 0.03;
// The better of two choices may be uncertain by about the equivalence zone.
constexpr double kDecisionDoubt = 0.015;
// With one round, the noise of a cell cannot be separated from that of the round.
constexpr double kOneRoundScore = 1.2;
// A cell with only disturbed repetitions has little information.
constexpr double kDisturbedScore = 4;
constexpr std::uint64_t kAnchorBytesMax = std::uint64_t{1} << 20;

std::uint64_t middle(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(
      std::llround(std::sqrt(static_cast<double>(a) * static_cast<double>(b))));
}

double gap(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(b) / static_cast<double>(std::max<std::uint64_t>(a, 1));
}

// Collects the best score of each size.
class SizeRequests {
 public:
  SizeRequests(Regime regime, const std::vector<std::uint64_t>& avoid)
      : regime_(regime), avoid_(avoid) {}

  void add(std::uint64_t size_bytes, double score) {
    if (std::find(avoid_.begin(), avoid_.end(), size_bytes) != avoid_.end()) return;
    double& best = scores_[size_bytes];
    best = std::max(best, score);
  }

  // Requests a new size between two measured ones, unless they are too close.
  void add_between(std::uint64_t a, std::uint64_t b, double score) {
    if (gap(a, b) <= kGapMin) return;
    std::uint64_t size_bytes = middle(a, b);
    while (size_bytes + 1 < b &&
           std::find(avoid_.begin(), avoid_.end(), size_bytes) != avoid_.end()) {
      ++size_bytes;
    }
    if (size_bytes > a && size_bytes < b) add(size_bytes, score);
  }

  std::vector<SizeRequest> sorted() const {
    std::vector<SizeRequest> size_requests;
    for (const auto& [size_bytes, score] : scores_) {
      if (score >= 1) size_requests.push_back({regime_, size_bytes, score});
    }
    std::stable_sort(size_requests.begin(), size_requests.end(),
                     [](const SizeRequest& a, const SizeRequest& b) { return a.score > b.score; });
    return size_requests;
  }

 private:
  Regime regime_;
  const std::vector<std::uint64_t>& avoid_;
  std::map<std::uint64_t, double> scores_;
};

struct Measured {
  std::uint64_t size_bytes;
  Estimate estimate;
};

// Estimates of one kind of experiment, by size.
struct Series {
  bool predicts = false;  // a transfer method: its curve is used for predictions
  std::vector<Measured> points;
};

std::vector<Series> series_of(const Evidence& evidence, Regime regime, bool contended) {
  std::map<std::tuple<std::uint8_t, Method, std::uint8_t>, Series> series;
  for (const auto& [experiment, estimate] : evidence.estimates()) {
    if (experiment.regime != regime || experiment.contended != contended) continue;
    if (clearly_loses(evidence, experiment)) continue;
    Series& of_kind = series[{experiment.traffic, experiment.method, experiment.variant}];
    of_kind.predicts = kTraffics[experiment.traffic].benchmark == benchmark::kTransfer;
    of_kind.points.push_back({experiment.size_bytes, estimate});
  }
  std::vector<Series> all;
  for (auto& [kind, of_kind] : series) all.push_back(std::move(of_kind));
  return all;
}

// If the straight line between two neighbours misses the size between them by more than the
// uncertainty, both gaps need another size. Leaving out a point doubles the gap, which overstates
// the error of a smooth curve in the remaining gaps by a factor of four.
void request_interpolation(const std::vector<Measured>& series, double precision,
                           SizeRequests* requests) {
  for (std::size_t i = 1; i + 1 < series.size(); ++i) {
    const Measured& left = series[i - 1];
    const Measured& here = series[i];
    const Measured& right = series[i + 1];
    const Curve line({{static_cast<double>(left.size_bytes), left.estimate.duration_ns},
                      {static_cast<double>(right.size_bytes), right.estimate.duration_ns}});
    const double predicted_ns = line.at(static_cast<double>(here.size_bytes));
    if (here.estimate.duration_ns <= 0) continue;
    const double relative_half_width =
        here.estimate.relative_half_width +
        (left.estimate.relative_half_width + right.estimate.relative_half_width) / 2;
    const double miss =
        std::abs(predicted_ns / here.estimate.duration_ns - 1) - relative_half_width;
    const double score = miss / 4 / (precision / 2);
    requests->add_between(left.size_bytes, here.size_bytes, score);
    requests->add_between(here.size_bytes, right.size_bytes, score);
  }
}

void request_precision(const std::vector<Measured>& series, double precision,
                       SizeRequests* requests) {
  for (const Measured& cell : series) {
    if (cell.estimate.disturbed) requests->add(cell.size_bytes, kDisturbedScore);
    if (cell.estimate.rounds < 2) requests->add(cell.size_bytes, kOneRoundScore);
    if (cell.estimate.state == StoppingRule::State::kNeedsMore) {
      requests->add(cell.size_bytes, cell.estimate.relative_half_width / precision);
    }
  }
}

// If the better choice changes between two sizes, the position between them is unknown, at the cost
// of the worse choice there. If a choice is uncertain, its cost is its uncertainty.
void request_decisions(const Evidence& evidence, const MeasurementSpace& space, Regime regime,
                       SizeRequests* requests) {
  std::map<DecisionKind, std::pair<std::uint64_t, LogRatio>> last;
  for (const std::uint64_t size_bytes : evidence.sizes_bytes(regime)) {
    for (const DecisionSides& sides : decisions_at(space, regime, size_bytes)) {
      LogRatio here;
      if (!ratio_of(evidence, sides, false, &here)) continue;
      const auto before = last.find(sides.kind);
      if (before != last.end()) {
        const auto& [left_bytes, left] = before->second;
        const bool changes = (left.log_ratio < 0) != (here.log_ratio < 0);
        const double loss = std::max(std::abs(left.log_ratio), std::abs(here.log_ratio));
        const double octaves = std::log2(gap(left_bytes, size_bytes));
        if (changes) requests->add_between(left_bytes, size_bytes, loss * octaves / kBracketRegret);
      }
      requests->add(size_bytes, uncertainty_score(here));
      last[sides.kind] = {size_bytes, here};
    }
  }
}

const Estimate* best_of(const Evidence& evidence, const std::vector<Experiment>& ways,
                        bool held_out) {
  const Estimate* best = nullptr;
  for (const Experiment& way : ways) {
    const Estimate* estimate = evidence.find(way, held_out);
    if (estimate == nullptr || estimate->duration_ns <= 0) continue;
    if (best == nullptr || estimate->duration_ns < best->duration_ns) best = estimate;
  }
  return best;
}

// How much slower `experiment` is at its size than the other eager method, minus the uncertainty.
double loss_at(const Evidence& evidence, Experiment experiment) {
  const Estimate* mine = evidence.find(experiment);
  experiment.method = experiment.method == Method::kCopy ? Method::kIovec : Method::kCopy;
  const Estimate* other = evidence.find(experiment);
  if (mine == nullptr || other == nullptr || other->duration_ns <= 0) return 0;
  return mine->duration_ns / other->duration_ns - 1 - mine->relative_half_width -
         other->relative_half_width;
}

}  // namespace

std::vector<std::uint64_t> first_grid(std::uint64_t size_bytes_max) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size < size_bytes_max; size *= 4) sizes.push_back(size);
  sizes.push_back(size_bytes_max);
  return sizes;
}

std::vector<std::uint64_t> anchors(std::uint64_t size_bytes_max) {
  std::vector<std::uint64_t> small;
  for (const std::uint64_t size : first_grid(size_bytes_max)) {
    if (size <= kAnchorBytesMax) small.push_back(size);
  }
  std::vector<std::uint64_t> chosen;
  constexpr std::size_t kAnchors = 4;
  for (std::size_t i = 0; i < kAnchors; ++i) {
    const std::uint64_t size = small[(small.size() - 1) * (i + 1) / kAnchors];
    if (chosen.empty() || chosen.back() != size) chosen.push_back(size);
  }
  return chosen;
}

double uncertainty_score(const LogRatio& ratio) {
  return std::abs(ratio.log_ratio) < ratio.relative_half_width
             ? ratio.relative_half_width / kDecisionDoubt
             : 0;
}

bool ratio_of(const Evidence& evidence, const DecisionSides& sides, bool held_out,
              LogRatio* ratio) {
  const Estimate* below = best_of(evidence, sides.below, held_out);
  const Estimate* above = best_of(evidence, sides.above, held_out);
  if (below == nullptr || above == nullptr) return false;
  ratio->log_ratio = std::log(below->duration_ns / above->duration_ns);
  ratio->relative_half_width = std::hypot(below->relative_half_width, above->relative_half_width);
  return true;
}

bool clearly_loses(const Evidence& evidence, const Experiment& experiment) {
  const Traffic& traffic = kTraffics[experiment.traffic];
  const bool transfer = traffic.benchmark == benchmark::kTransfer;
  if (transfer || traffic.local || experiment.method == Method::kRendezvous) return false;
  if (evidence.find(experiment) != nullptr) return loss_at(evidence, experiment) > kClearLoss;
  const std::vector<std::uint64_t>& sizes = evidence.sizes_bytes(experiment.regime);
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), experiment.size_bytes);
  if (above == sizes.begin() || above == sizes.end()) return false;
  Experiment neighbour = experiment;
  neighbour.size_bytes = *above;
  if (loss_at(evidence, neighbour) <= kClearLoss) return false;
  neighbour.size_bytes = *std::prev(above);
  return loss_at(evidence, neighbour) > kClearLoss;
}

std::vector<SizeRequest> size_requests(const Evidence& evidence, const MeasurementSpace& space,
                                       Regime regime, double precision,
                                       const std::vector<std::uint64_t>& avoid) {
  SizeRequests requests(regime, avoid);
  for (const Series& series : series_of(evidence, regime, space.contended)) {
    if (series.predicts) request_interpolation(series.points, precision, &requests);
    request_precision(series.points, precision, &requests);
  }
  request_decisions(evidence, space, regime, &requests);
  return requests.sorted();
}

}  // namespace nmt::sampler
