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

double distance_between(const CollectiveShape& shape, std::span<const CollectiveShape> others) {
  std::set<std::int64_t> nodes, ranks_per_node;
  for (const CollectiveShape& other : others) {
    nodes.insert(other.nodes);
    ranks_per_node.insert(other.ranks_per_node);
  }
  return octaves_outside(shape.nodes, nodes) +
         octaves_outside(shape.ranks_per_node, ranks_per_node);
}

// Sizes may be 0: a barrier's.
bool are_near(std::uint64_t one, std::uint64_t other) {
  const double ratio = static_cast<double>(one) / static_cast<double>(other);
  return one == other || std::abs(std::log2(ratio)) <= kNearOctaves;
}

// Of an error. A cost that is wrong and grows with the nodes, or was taken for one that does not,
// is wrong by twice as much after an octave.
double growth(double distance) { return std::exp2(distance); }

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
  fits_.emplace(operation(), observations_of(cells_, {}), choices_);
  for (std::size_t i = 0; i < shapes_.size(); ++i) leave_out(i);
}

void CollectiveModel::leave_out(std::size_t index) {
  const CollectiveShape& shape = shapes_[index];
  const CollectiveFits& fits =
      fits_without_.emplace_back(operation(), observations_of(cells_, shape), choices_);
  std::vector<CollectiveShape> others = shapes_;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
  const double distance = distance_between(shape, others);
  if (!std::isfinite(distance)) return;
  for (const CollectiveCell& cell : cells_) {
    if (shape_of(cell) != shape) continue;
    std::optional<double> library_error, best_error;
    double best = std::numeric_limits<double>::infinity();
    for (const CollectiveTime& time : cell.times) {
      const auto predicted = fits.log_duration({choice_of(time), cell.size_bytes}, shape);
      if (!predicted) continue;
      const double error = *predicted - std::log(time.median_ns);
      if (is_library(choice_of(time))) {
        library_error = error;
      } else if (*predicted < best) {
        best = *predicted;
        best_error = error;
      }
    }
    if (!library_error || !best_error) continue;
    left_out_.push_back({.shape = shape,
                         .size_bytes = cell.size_bytes,
                         .distance = distance,
                         .time_error = *best_error,
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

std::optional<CollectiveCell> CollectiveModel::predict(
    const CollectiveShape& shape, double distance,
    std::span<const ChoiceAtSize> of_one_size) const {
  const std::uint64_t size_bytes = of_one_size.front().size_bytes;
  CollectiveCell cell{.mpi = cells_.front().mpi,
                      .operation = cells_.front().operation,
                      .nodes = shape.nodes,
                      .ranks_per_node = shape.ranks_per_node,
                      .size_bytes = size_bytes};
  const ChoiceAtSize* library = nullptr;
  const ChoiceAtSize* ours = nullptr;
  double best = std::numeric_limits<double>::infinity();
  const double our_error = error_of(size_bytes, distance, &LeftOut::time_error);
  const double library_error = error_of(size_bytes, distance, &LeftOut::library_error);
  for (const ChoiceAtSize& each : of_one_size) {
    const std::optional<double> duration = fits_->log_duration(each, shape);
    if (!duration) continue;
    const double error = is_library(each.choice) ? library_error : our_error;
    if (is_library(each.choice)) {
      library = &each;
    } else if (*duration < best) {
      best = *duration;
      ours = &each;
    }
    cell.times.push_back({.algorithm = each.choice.algorithm,
                          .segment_bytes = each.choice.segment_bytes,
                          .leaders = each.choice.leaders,
                          .median_ns = std::exp(*duration),
                          .below = error,
                          .above = error});
  }
  if (library == nullptr || ours == nullptr) return std::nullopt;
  std::vector<double> gains;
  for (const CollectiveFits& fits : fits_without_) {
    const auto theirs = fits.log_duration(*library, shape);
    const auto own = fits.log_duration(*ours, shape);
    if (theirs && own) gains.push_back(*theirs - *own);
  }
  if (gains.size() < 2) return std::nullopt;
  cell.gain_error =
      std::hypot(error_of(size_bytes, distance, &LeftOut::gain_error), jackknife(gains));
  std::ranges::stable_sort(cell.times, {}, &CollectiveTime::median_ns);
  return cell;
}

std::vector<CollectiveCell> CollectiveModel::predict(const CollectiveShape& shape) const {
  const double distance = distance_between(shape, shapes_);
  if (left_out_.empty() || !std::isfinite(distance)) return {};
  if ((shape.nodes == 1) != (shapes_.front().nodes == 1)) return {};
  std::vector<CollectiveCell> cells;
  for (std::size_t begin = 0, end = 0; begin < choices_.size(); begin = end) {
    while (end < choices_.size() && choices_[end].size_bytes == choices_[begin].size_bytes) ++end;
    auto cell = predict(shape, distance, std::span(choices_).subspan(begin, end - begin));
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
