// SPDX-License-Identifier: BSD-3-Clause
#include "contention/model.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace nmt::contention {

std::array<double, kTerms> terms_of(const Model& model, const AlltoallCell& cell) {
  const bool large = cell.size_bytes >= model.delta_from_bytes;
  const double delta = model.form == DeltaForm::kOnce ? 1 : cell.messages;
  return {cell.bound_ns * rise_at(model.rises, model.growth, model.growth_saturates, cell.ranks),
          large ? delta : 0, cell.processors};
}

double duration_ns(const std::array<double, kTerms>& terms, const Solution& estimate) {
  double duration_ns = 0;
  for (std::size_t i = 0; i < kTerms; ++i) duration_ns += terms[i] * estimate.value[i];
  return duration_ns;
}

double duration_ns(const Model& model, const AlltoallCell& cell) {
  return duration_ns(terms_of(model, cell), model.estimate);
}

double expected_ns(double model_ns, const AlltoallCell& cell) {
  constexpr double kLeast = 0.01;
  return std::max(model_ns, kLeast * cell.duration_ns);
}

double expected_ns(const Model& model, const AlltoallCell& cell) {
  return expected_ns(duration_ns(model, cell), cell);
}

double log_error(const Model& model, const AlltoallCell& cell) {
  return std::log(cell.duration_ns / expected_ns(model, cell));
}

double misfit_variance(std::span<const double> distances, std::span<const double> own,
                       double free) {
  constexpr double kNormalPerMedian = 1.4826;  // of absolute values
  const double count = static_cast<double>(distances.size());
  const double scale =
      kNormalPerMedian * median(distances) * std::sqrt(count / std::max(free, 1.0));
  return std::max(0.0, scale * scale - median(own));
}

double trust_of(double distance, double error) {
  constexpr double kFar = 3;  // bend of the loss, in standard errors
  return distance > kFar * error ? kFar * error / distance : 1;
}

Spreads spreads_of(const Model& model, std::span<const AlltoallCell> cells,
                   std::size_t parameters) {
  std::vector<double> distances;
  std::vector<double> own;
  for (const AlltoallCell& cell : cells) {
    distances.push_back(std::abs(log_error(model, cell)));
    own.push_back(cell.spread * cell.spread);
  }
  const double free = static_cast<double>(cells.size()) - static_cast<double>(parameters);
  Spreads spreads{.misfit = std::sqrt(misfit_variance(distances, own, free))};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    spreads.variances.push_back((own[i] + spreads.misfit * spreads.misfit) / cells[i].trust);
  }
  return spreads;
}

double chi_square(const Model& model, std::span<const AlltoallCell> cells,
                  std::span<const double> variances) {
  double sum = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double distance = log_error(model, cells[i]);
    sum += distance * distance / variances[i];
  }
  return sum;
}

}  // namespace nmt::contention
