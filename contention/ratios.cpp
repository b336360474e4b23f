// SPDX-License-Identifier: BSD-3-Clause
#include "contention/ratios.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "contention/resampling.h"
#include "core/alltoall.h"
#include "core/statistics.h"

namespace nmt::contention {
namespace {

// Departures from a signature that are smaller count as none, as gammas that differ by less count
// as one (contention/growth.cpp).
constexpr double kSameRatio = 0.05;

// The network's part of a duration. The limit applies if processor time took too much.
double network_ns(const AlltoallCell& cell, double duration_ns, double processor_ns) {
  return std::max(duration_ns - cell.processors * processor_ns, duration_ns / 100);
}

double log_ratio(const AlltoallCell& cell, double duration_ns, double processor_ns) {
  return std::log(network_ns(cell, duration_ns, processor_ns) / cell.bound_ns);
}

double log_rise(const Growth& growth, std::int64_t ranks) {
  return std::log(rise_at(growth.rises, growth.exponent, growth.saturates, ranks));
}

struct WeightedMean {
  double weights = 0;
  double mean = 0;
  void add(double value, double weight) {
    weights += weight;
    mean += (value - mean) * weight / weights;
  }
};

// The measured ratio of a cell.
struct Measured {
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;
  double log = 0;
  double error = 0;  // standard error of `log`, by the replicates
};

// The logarithms of ratios as sums: what a size brings, and what a number of ranks does.
struct TwoWay {
  std::map<std::uint64_t, WeightedMean> of_sizes;
  std::map<std::int64_t, WeightedMean> of_ranks;
  std::vector<double> weights;  // of the cells: 1 / variance, less for those far from the sum
};

// Sets the means by turns. One sweep is enough if all numbers of ranks have all sizes.
void settle_means(std::span<const Measured> measured, TwoWay* sums) {
  constexpr int kSweeps = 10;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    std::map<std::uint64_t, WeightedMean> of_sizes;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const Measured& one = measured[i];
      of_sizes[one.size_bytes].add(one.log - sums->of_ranks[one.ranks].mean, sums->weights[i]);
    }
    sums->of_sizes = std::move(of_sizes);
    std::map<std::int64_t, WeightedMean> of_ranks;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const Measured& one = measured[i];
      of_ranks[one.ranks].add(one.log - sums->of_sizes[one.size_bytes].mean, sums->weights[i]);
    }
    sums->of_ranks = std::move(of_ranks);
  }
}

// As spreads_of() and settle_trust() do it for a signature.
void settle_weights(std::span<const Measured> measured, TwoWay* sums) {
  std::vector<double> distances;
  std::vector<double> own;
  for (const Measured& one : measured) {
    distances.push_back(
        std::abs(one.log - sums->of_sizes[one.size_bytes].mean - sums->of_ranks[one.ranks].mean));
    own.push_back(one.error * one.error);
  }
  const double count = static_cast<double>(measured.size());
  const double free = count + 1 - static_cast<double>(sums->of_sizes.size()) -
                      static_cast<double>(sums->of_ranks.size());
  const double misfit = misfit_variance(distances, own, free);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double error = std::sqrt(own[i] + misfit);
    sums->weights[i] = trust_of(distances[i], error) / (error * error);
  }
}

TwoWay two_way(std::span<const Measured> measured) {
  constexpr int kPasses = 3;
  TwoWay sums{.weights = std::vector<double>(measured.size(), 1)};
  for (int pass = 0; pass < kPasses; ++pass) {
    settle_means(measured, &sums);
    settle_weights(measured, &sums);
  }
  settle_means(measured, &sums);
  return sums;
}

// Logarithms of one size's ratio at the largest number of ranks.
struct SizeRatio {
  WeightedMean own;
  WeightedMean signature;  // of the signature's durations at the same numbers of ranks

  double departure() const { return own.mean - signature.mean; }
  double weighed(double weight) const { return signature.mean + weight * departure(); }
};

struct Ratios {
  Growth growth;
  double processor_ns = 0;
  std::map<std::uint64_t, SizeRatio> by_size;
};

double duration_ns(const Ratios& ratios, double weight, const AlltoallCell& cell) {
  const double log = ratios.by_size.at(cell.size_bytes).weighed(weight);
  return cell.bound_ns * std::exp(log + log_rise(ratios.growth, cell.ranks)) +
         cell.processors * ratios.processor_ns;
}

Ratios ratios_of(GrowthShape shape, const Model& signature, std::span<const AlltoallCell> cells) {
  const double processor_ns = signature.processor_ns();
  std::vector<Measured> measured;
  for (const AlltoallCell& cell : cells) {
    const double share = network_ns(cell, cell.duration_ns, processor_ns) / cell.duration_ns;
    measured.push_back({cell.ranks, cell.size_bytes,
                        log_ratio(cell, cell.duration_ns, processor_ns), cell.spread / share});
  }
  const TwoWay sums = two_way(measured);
  std::vector<GammaOf> gammas;
  for (const auto& [ranks, each] : sums.of_ranks) {
    gammas.push_back({ranks, std::exp(each.mean), 1 / std::sqrt(each.weights)});
  }
  Ratios ratios{.growth = growth_of(shape, gammas), .processor_ns = processor_ns};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double rise = log_rise(ratios.growth, cells[i].ranks);
    const double signature_ns = expected_ns(signature, cells[i]);
    SizeRatio& ratio = ratios.by_size[cells[i].size_bytes];
    ratio.own.add(measured[i].log - rise, sums.weights[i]);
    ratio.signature.add(log_ratio(cells[i], signature_ns, processor_ns) - rise, sums.weights[i]);
  }
  return ratios;
}

// Some numbers of ranks, what was fitted to them, and another one that was left out.
struct Split {
  Model signature;
  std::vector<AlltoallCell> known;
  std::vector<AlltoallCell> left_out;  // whose sizes are known
};

template <class Known>
Split split(const Shape& shape, std::span<const AlltoallCell> cells,
            std::span<const std::uint64_t> delta_sizes, std::int64_t ranks, const Known& is_known) {
  Split split;
  std::set<std::uint64_t> sizes;
  for (const AlltoallCell& cell : cells) {
    if (!is_known(cell.ranks)) continue;
    split.known.push_back(cell);
    sizes.insert(cell.size_bytes);
  }
  for (const AlltoallCell& cell : cells) {
    if (cell.ranks == ranks && sizes.contains(cell.size_bytes)) split.left_out.push_back(cell);
  }
  split.signature = fitted(shape, split.known, delta_sizes).model;
  return split;
}

// Numbers of ranks that are predicted from all smaller ones: from two, where there are three.
std::vector<Split> upward_splits(const Shape& shape, std::span<const AlltoallCell> cells,
                                 std::span<const std::uint64_t> delta_sizes,
                                 const std::set<std::int64_t>& ranks) {
  std::vector<Split> splits;
  if (ranks.size() < 2) return splits;
  for (auto n = std::next(ranks.begin(), ranks.size() > 2 ? 2 : 1); n != ranks.end(); ++n) {
    splits.push_back(split(shape, cells, delta_sizes, *n,
                           [largest = *n](std::int64_t other) { return other < largest; }));
  }
  return splits;
}

// Numbers of ranks that are predicted from all others. Of the largest, that is one of `upward`.
std::vector<Split> splits_of(const Shape& shape, std::span<const AlltoallCell> cells,
                             std::span<const std::uint64_t> delta_sizes,
                             const std::set<std::int64_t>& ranks,
                             const std::vector<Split>& upward) {
  std::vector<Split> splits;
  if (upward.empty()) return splits;
  for (const std::int64_t n : ranks) {
    if (n == *ranks.rbegin()) break;
    splits.push_back(
        split(shape, cells, delta_sizes, n, [n](std::int64_t other) { return other != n; }));
  }
  splits.push_back(upward.back());
  return splits;
}

// Of what each split knows.
std::vector<Ratios> ratios_of(GrowthShape shape, std::span<const Split> splits) {
  std::vector<Ratios> all;
  for (const Split& split : splits) all.push_back(ratios_of(shape, split.signature, split.known));
  return all;
}

// ln(measured / predicted) by ratios.
double log_error(const Ratios& ratios, double weight, const AlltoallCell& cell) {
  return std::log(cell.duration_ns / duration_ns(ratios, weight, cell));
}

// The slope of what was measured, from the signature, by the departure of ratios from it. What
// both miss of all sizes alike does not count. 0: it may be chance.
double weight_of(std::span<const Split> splits, std::span<const Ratios> ratios) {
  double free = -1;
  double count = 0;
  double own = 0;  // of the measurements
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::vector<AlltoallCell>& left_out = splits[i].left_out;
    std::vector<std::pair<double, double>> points;
    double x_mean = 0, y_mean = 0;
    const double all = static_cast<double>(left_out.size());
    for (const AlltoallCell& cell : left_out) {
      const double from_signature = log_error(ratios[i], 0, cell);
      points.push_back({from_signature - log_error(ratios[i], 1, cell), from_signature});
      x_mean += points.back().first / all;
      y_mean += points.back().second / all;
      own += cell.spread * cell.spread;
    }
    for (const auto& [x, y] : points) {
      xx += (x - x_mean) * (x - x_mean);
      xy += (x - x_mean) * (y - y_mean);
      yy += (y - y_mean) * (y - y_mean);
    }
    count += all;
    free += all - 1;
  }
  if (free < 1 || xy <= 0) return 0;
  const double slope = xy / xx;
  const double variance = std::max((yy - slope * xy) / free, own / count);
  const double chance =
      student_upper_quantile(static_cast<std::size_t>(free)) * std::sqrt(variance / xx);
  return slope > chance ? std::min(slope, 1.0) : 0;
}

// By size, at the numbers of ranks that were left out: ln(measured / predicted).
using Errors = std::map<std::uint64_t, std::vector<double>>;

Errors errors_of(double weight, std::span<const Split> splits, std::span<const Ratios> ratios) {
  Errors errors;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (const AlltoallCell& cell : splits[i].left_out) {
      errors[cell.size_bytes].push_back(log_error(ratios[i], weight, cell));
    }
  }
  return errors;
}

double root_mean_square(const Errors& errors) {
  WeightedMean mean;
  for (const auto& [size_bytes, each] : errors) {
    for (const double error : each) mean.add(error * error, 1);
  }
  return std::sqrt(mean.mean);
}

double mean_error(const Errors& errors) {
  WeightedMean mean;
  for (const auto& [size_bytes, each] : errors) {
    for (const double error : each) mean.add(std::abs(error), 1);
  }
  return mean.mean;
}

double mean_error_of_signature(std::span<const Split> splits) {
  WeightedMean mean;
  for (const Split& split : splits) {
    for (const AlltoallCell& cell : split.left_out) {
      mean.add(std::abs(log_error(split.signature, cell)), 1);
    }
  }
  return mean.mean;
}

bool departs(const Ratios& ratios, double weight, std::span<const AlltoallCell> cells) {
  double squares = 0;
  for (const AlltoallCell& cell : cells) {
    squares += std::pow(log_error(ratios, weight, cell) - log_error(ratios, 0, cell), 2) /
               static_cast<double>(cells.size());
  }
  return std::sqrt(squares) >= kSameRatio;
}

// Of all sizes. A size's own errors are few, so they are averaged with those of all sizes.
std::vector<SmallRatio> with_spreads(const Ratios& ratios, double weight, const Errors& errors,
                                     std::span<const AlltoallCell> cells) {
  std::map<std::uint64_t, double> squares;
  std::vector<double> all_squares;
  for (const auto& [size_bytes, each] : errors) {
    WeightedMean mean;
    for (const double error : each) mean.add(error * error, 1);
    squares[size_bytes] = mean.mean;
    all_squares.push_back(mean.mean);
  }
  const double common = all_squares.empty() ? 0 : median(all_squares);
  std::set<std::uint64_t> sizes;
  for (const AlltoallCell& cell : cells) sizes.insert(cell.size_bytes);
  std::vector<SmallRatio> by_size;
  for (const std::uint64_t size_bytes : sizes) {
    const auto ratio = ratios.by_size.find(size_bytes);
    if (ratio == ratios.by_size.end()) {  // the signature does not describe it
      by_size.push_back(ratio_at(size_bytes, ratios.processor_ns, ratios.growth, cells));
      by_size.back().spread = std::hypot(by_size.back().spread, std::sqrt(common));
      continue;
    }
    const auto own = squares.find(size_bytes);
    const double left_out = own == squares.end() ? common : (own->second + common) / 2;
    by_size.push_back({size_bytes, std::exp(ratio->second.weighed(weight)),
                       std::sqrt(1 / ratio->second.own.weights + left_out)});
  }
  return by_size;
}

}  // namespace

SmallRatio ratio_at(std::uint64_t size_bytes, double processor_ns, const Growth& growth,
                    std::span<const AlltoallCell> cells) {
  std::vector<double> logs;
  double noise = 0;
  for (const AlltoallCell& cell : cells) {
    if (cell.size_bytes != size_bytes) continue;
    logs.push_back(log_ratio(cell, cell.duration_ns, processor_ns) - log_rise(growth, cell.ranks));
    noise = std::max(noise, cell.spread);
  }
  double mean = 0;
  for (const double log : logs) mean += log / static_cast<double>(logs.size());
  double variance = 0;
  for (const double log : logs) variance += (log - mean) * (log - mean);
  if (logs.size() > 1) variance /= static_cast<double>(logs.size() - 1);
  return {size_bytes, std::exp(mean), std::hypot(std::sqrt(variance), noise)};
}

std::optional<RatioForm> ratio_form(const Shape& shape, const Model& fit,
                                    std::span<const AlltoallCell> cells,
                                    std::span<const std::uint64_t> delta_sizes,
                                    std::span<const AlltoallCell> all, bool demanded) {
  std::set<std::int64_t> ranks;
  for (const AlltoallCell& cell : cells) ranks.insert(cell.ranks);
  const std::vector<Split> upward = upward_splits(shape, cells, delta_sizes, ranks);
  const double of_signature = mean_error_of_signature(upward);
  std::vector<Split> each;  // only where ratios may predict: they take as long as the fit
  std::optional<RatioForm> best;
  for (const GrowthShape growth : {GrowthShape::kMeasured, GrowthShape::kSaturating}) {
    // As of a signature: where one number holds for all numbers of ranks, no curve is tried.
    const bool curved = growth == GrowthShape::kSaturating;
    if (curved && (!best || ranks.size() < 3 || best->growth.rises.empty())) continue;
    const std::vector<Ratios> known = ratios_of(growth, upward);
    const double weight = demanded ? 1 : weight_of(upward, known);
    const double error_upward = mean_error(errors_of(weight, upward, known));
    if (!demanded && (weight <= 0 || error_upward >= of_signature)) continue;
    const Ratios ratios = ratios_of(growth, fit, cells);
    if (!demanded && !departs(ratios, weight, cells)) continue;
    if (each.empty()) each = splits_of(shape, cells, delta_sizes, ranks, upward);
    const Errors errors = errors_of(weight, each, ratios_of(growth, each));
    const double error = root_mean_square(errors);
    if (best && error >= best->error_left_out) continue;
    best = RatioForm{.growth = ratios.growth,
                     .by_size = with_spreads(ratios, weight, errors, all),
                     .weight = weight,
                     .error_upward = error_upward,
                     .signature_error_upward = of_signature,
                     .error_left_out = error};
  }
  return best;
}

}  // namespace nmt::contention
