// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/collective_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/collective_sample.h"

namespace nmt::tuner {
namespace {

constexpr std::size_t kShapesMin = 3;  // with fewer, none can be left out
constexpr double kDeviations = 2;      // half of a 95 % interval
constexpr double kNearOctaves = 1;     // of sizes whose errors are taken for alike
constexpr std::size_t kErrorsMin = 4;  // with fewer near a size, those of all sizes count
constexpr double kLost = 0.02;         // slower by more than this, ours should not have been chosen
constexpr double kDoubt = 0.25;        // least gain to believe in, in logarithms
constexpr double kHopeless = 0.5;  // in logarithms: so much slower than the fastest, none is chosen

CollectiveShape shape_of(const CollectiveCell& cell) { return {cell.nodes, cell.ranks_per_node}; }

CollectiveChoice choice_of(const CollectiveTime& time) {
  return {time.algorithm, time.segment_bytes, time.leaders};
}

bool is_library(const CollectiveChoice& choice) { return choice.algorithm == kLibraryAlgorithm; }

// How far a number lies outside the range of others, in octaves; infinite if all others are equal
// and it is not one of them.
double octaves_outside(std::int64_t value, const std::set<std::int64_t>& others) {
  if (others.contains(value)) return 0;
  if (others.size() < 2) return std::numeric_limits<double>::infinity();
  const auto ratio = [](std::int64_t large, std::int64_t small) {
    return std::log2(static_cast<double>(large) / static_cast<double>(small));
  };
  return std::max({0.0, ratio(value, *others.rbegin()), ratio(*others.begin(), value)});
}

// Sizes may be 0: a barrier's.
bool are_near(std::uint64_t one, std::uint64_t other) {
  const double ratio = static_cast<double>(one) / static_cast<double>(other);
  return one == other || std::abs(std::log2(ratio)) <= kNearOctaves;
}

// Of errors in logarithms, at this distance. A duration that was taken to grow by a wrong power of
// the nodes, or by a cost that it does not have, is wrong by as much again after each octave.
double growth(double distance) { return 1 + distance; }

// Twice the standard error of a prediction, by how it changes when each shape is left out.
double jackknife(const std::vector<double>& without) {
  double mean = 0, squares = 0;
  for (const double each : without) mean += each / static_cast<double>(without.size());
  for (const double each : without) squares += (each - mean) * (each - mean);
  const auto n = static_cast<double>(without.size());
  return kDeviations * std::sqrt(squares * (n - 1) / n);
}

std::vector<CollectiveObservation> observations_of(std::span<const CollectiveCell> cells,
                                                   std::optional<CollectiveShape> without) {
  std::vector<CollectiveObservation> observations;
  for (const CollectiveCell& cell : cells) {
    if (shape_of(cell) == without) continue;
    for (const CollectiveTime& time : cell.times) {
      observations.push_back({shape_of(cell), choice_of(time), cell.size_bytes, time.median_ns});
    }
  }
  return observations;
}

// What was measured anywhere, at sizes that were measured on two shapes at least.
std::vector<ChoiceAtSize> choices_in(std::span<const CollectiveCell> cells) {
  std::map<std::uint64_t, int> shapes;
  for (const CollectiveCell& cell : cells) ++shapes[cell.size_bytes];
  std::set<ChoiceAtSize> choices;
  for (const CollectiveCell& cell : cells) {
    if (shapes[cell.size_bytes] < 2) continue;
    for (const CollectiveTime& time : cell.times) {
      choices.insert({choice_of(time), cell.size_bytes});
    }
  }
  std::vector<ChoiceAtSize> sorted(choices.begin(), choices.end());
  std::ranges::stable_sort(sorted, {}, &ChoiceAtSize::size_bytes);
  return sorted;
}

}  // namespace

CollectiveModel::CollectiveModel(std::span<const CollectiveCell> cells)
    : cells_(cells.begin(), cells.end()) {
  std::set<CollectiveShape> shapes;
  for (const CollectiveCell& cell : cells_) shapes.insert(shape_of(cell));
  shapes_.assign(shapes.begin(), shapes.end());
  if (shapes_.size() < kShapesMin) return;
  choices_ = choices_in(cells_);
  for (const ChoiceAtSize& each : choices_) sampled_.push_back(sampled(each));
  fits_.emplace(operation(), observations_of(cells_, {}), choices_);
  for (std::size_t i = 0; i < shapes_.size(); ++i) leave_out(i);
}

CollectiveModel::Sampled CollectiveModel::sampled(const ChoiceAtSize& at,
                                                  std::optional<CollectiveShape> but) const {
  Sampled found;
  for (const CollectiveCell& cell : cells_) {
    if (!are_near(cell.size_bytes, at.size_bytes) || found.shapes.contains(shape_of(cell)))
      continue;
    const auto is_like_it = [&](const CollectiveTime& time) {
      return time.algorithm == at.choice.algorithm && time.leaders == at.choice.leaders &&
             are_near(ChoiceAtSize{choice_of(time), cell.size_bytes}.message_bytes(),
                      at.message_bytes());
    };
    if (std::ranges::any_of(cell.times, is_like_it)) found.shapes.insert(shape_of(cell));
  }
  if (found.shapes.size() < kShapesMin) return {};
  if (but) found.shapes.erase(*but);
  for (const CollectiveShape& shape : found.shapes) {
    found.nodes.insert(shape.nodes);
    found.ranks_per_node.insert(shape.ranks_per_node);
  }
  return found;
}

double CollectiveModel::Sampled::distance_to(const CollectiveShape& shape) const {
  return octaves_outside(shape.nodes, nodes) +
         octaves_outside(shape.ranks_per_node, ranks_per_node);
}

void CollectiveModel::leave_out(std::size_t index) {
  const CollectiveShape& shape = shapes_[index];
  const CollectiveFits& fits =
      fits_without_.emplace_back(operation(), observations_of(cells_, shape), choices_);
  for (const CollectiveCell& cell : cells_) {
    if (shape_of(cell) != shape) continue;
    std::optional<double> library_error, best_error;
    double library = 0, best = std::numeric_limits<double>::infinity();
    double library_distance = 0, best_distance = 0;
    for (const CollectiveTime& time : cell.times) {
      const ChoiceAtSize at{choice_of(time), cell.size_bytes};
      const double distance = sampled(at, shape).distance_to(shape);
      const auto predicted = fits.log_duration(at, shape);
      if (!predicted || !std::isfinite(distance)) continue;
      const double error = *predicted - std::log(time.median_ns);
      if (is_library(choice_of(time))) {
        library = *predicted;
        library_error = error;
        library_distance = distance;
      } else if (*predicted < best) {
        best = *predicted;
        best_error = error;
        best_distance = distance;
      }
    }
    if (!library_error || !best_error) continue;
    left_out_.push_back({.shape = shape,
                         .size_bytes = cell.size_bytes,
                         .distance = std::max(library_distance, best_distance),
                         .time_error = *best_error,
                         .gain = library - best,
                         .library_error = *library_error,
                         .gain_error = *library_error - *best_error});
  }
}

// Half of a 95 % interval, at this distance from the sampled shapes.
double CollectiveModel::error_of(std::uint64_t size_bytes, double distance,
                                 double LeftOut::*error) const {
  double squares = 0, all_squares = 0;
  std::size_t count = 0;
  for (const LeftOut& each : left_out_) {
    const double scaled = each.*error / growth(each.distance);
    all_squares += scaled * scaled;
    if (!are_near(each.size_bytes, size_bytes)) continue;
    squares += scaled * scaled;
    ++count;
  }
  if (count < kErrorsMin) {
    squares = all_squares;
    count = left_out_.size();
  }
  return kDeviations * growth(distance) * std::sqrt(squares / static_cast<double>(count));
}

// The largest gain that was predicted at such sizes where ours was slower, at distance 0; infinite
// if too few shapes tell.
double CollectiveModel::false_gain(std::uint64_t size_bytes) const {
  double largest = 0;
  std::set<CollectiveShape> telling;
  for (const LeftOut& each : left_out_) {
    if (!are_near(each.size_bytes, size_bytes)) continue;
    telling.insert(each.shape);
    const double true_gain = each.gain - each.gain_error;
    if (true_gain < -std::log1p(kLost)) {
      largest = std::max(largest, each.gain / growth(each.distance));
    }
  }
  return telling.size() < kShapesMin ? std::numeric_limits<double>::infinity() : largest;
}

double CollectiveModel::gain_needed(const ChoiceAtSize& library, const ChoiceAtSize& ours,
                                    const CollectiveShape& shape, double distance) const {
  const auto gain_by = [&](const CollectiveFits& fits) -> std::optional<double> {
    const auto theirs = fits.log_duration(library, shape);
    const auto own = fits.log_duration(ours, shape);
    if (!theirs || !own) return std::nullopt;
    return *theirs - *own;
  };
  std::vector<double> gains;  // each without one shape
  for (const CollectiveFits& fits : fits_without_) {
    if (const auto gain = gain_by(fits)) gains.push_back(*gain);
  }
  if (gains.size() < 2) return std::numeric_limits<double>::infinity();
  const double error =
      std::hypot(error_of(ours.size_bytes, distance, &LeftOut::gain_error), jackknife(gains));
  const double rests_on_one_shape =
      std::max(0.0, gain_by(*fits_).value() - std::ranges::min(gains));
  const double doubt = growth(distance) * std::hypot(false_gain(ours.size_bytes), kDoubt);
  return std::min(error, doubt + rests_on_one_shape);
}

std::optional<CollectiveCell> CollectiveModel::predict(const CollectiveShape& shape,
                                                       std::size_t begin, std::size_t end) const {
  const std::uint64_t size_bytes = choices_[begin].size_bytes;
  CollectiveCell cell{.mpi = cells_.front().mpi,
                      .operation = cells_.front().operation,
                      .nodes = shape.nodes,
                      .ranks_per_node = shape.ranks_per_node,
                      .size_bytes = size_bytes};
  const ChoiceAtSize* library = nullptr;
  double library_distance = 0;
  double best = std::numeric_limits<double>::infinity();  // of ours
  struct Predicted {
    const ChoiceAtSize* at;
    double distance;
    double log_duration;
  };
  std::vector<Predicted> predicted;
  for (std::size_t i = begin; i < end; ++i) {
    const ChoiceAtSize& each = choices_[i];
    if (each.choice.leaders > shape.ranks_per_node) continue;  // fewer would lead
    const double distance = sampled_[i].distance_to(shape);
    const std::optional<double> duration = fits_->log_duration(each, shape);
    if (!duration || !std::isfinite(distance)) continue;
    predicted.push_back({&each, distance, *duration});
    if (is_library(each.choice)) {
      library = &each;
      library_distance = distance;
    } else {
      best = std::min(best, *duration);
    }
  }
  if (library == nullptr || !std::isfinite(best)) return std::nullopt;
  for (const auto& [at, distance, log_duration] : predicted) {
    const bool is_own = at == library;
    const double error =
        error_of(size_bytes, distance, is_own ? &LeftOut::library_error : &LeftOut::time_error);
    CollectiveTime& time = cell.times.emplace_back();
    time.algorithm = at->choice.algorithm;
    time.segment_bytes = at->choice.segment_bytes;
    time.leaders = at->choice.leaders;
    time.median_ns = std::exp(log_duration);
    time.below = time.above = error;
    if (is_own) continue;
    time.gain_error = log_duration > best + kHopeless
                          ? std::numeric_limits<double>::infinity()
                          : gain_needed(*library, *at, shape, std::max(library_distance, distance));
    if (log_duration == best) cell.gain_error = time.gain_error;
  }
  if (!std::isfinite(*cell.gain_error)) return std::nullopt;
  std::ranges::stable_sort(cell.times, {}, &CollectiveTime::median_ns);
  return cell;
}

std::vector<CollectiveCell> CollectiveModel::predict(const CollectiveShape& shape) const {
  if (left_out_.empty()) return {};
  if ((shape.nodes == 1) != (shapes_.front().nodes == 1)) return {};
  std::vector<CollectiveCell> cells;
  for (std::size_t begin = 0, end = 0; begin < choices_.size(); begin = end) {
    while (end < choices_.size() && choices_[end].size_bytes == choices_[begin].size_bytes) ++end;
    auto cell = predict(shape, begin, end);
    if (cell) cells.push_back(std::move(*cell));
  }
  return cells;
}

std::vector<CollectiveModel> collective_models(std::span<const CollectiveCell> cells) {
  const auto alike = [](const CollectiveCell& one, const CollectiveCell& other) {
    return one.mpi == other.mpi && one.operation == other.operation &&
           (one.nodes == 1) == (other.nodes == 1);
  };
  std::vector<CollectiveModel> models;
  for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    while (end < cells.size() && alike(cells[begin], cells[end])) ++end;
    models.emplace_back(cells.subspan(begin, end - begin));
  }
  return models;
}

}  // namespace nmt::tuner
