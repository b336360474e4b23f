// SPDX-License-Identifier: BSD-3-Clause
#include "contention/resampling.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace nmt::contention {
namespace {

// The indices in `all` of `cells`: the fit may have left sizes out.
std::vector<std::size_t> places_of(std::span<const AlltoallCell> cells,
                                   std::span<const AlltoallCell> all) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto same = [&](const AlltoallCell& cell) {
      return cell.ranks == all[i].ranks && cell.size_bytes == all[i].size_bytes;
    };
    if (std::ranges::any_of(cells, same)) places.push_back(i);
  }
  return places;
}

Interval around(double value, double half) { return {std::max(0.0, value - half), value + half}; }

// Variances over draws of sessions, with M searched again in each. They are widened for the small
// number of sessions: a draw repeats sessions, so it varies less than new sessions would.
void from_sessions(const Fitted& fit, const AlltoallTable& table,
                   std::span<const AlltoallCell> cells, std::span<const std::uint64_t> sizes_bytes,
                   std::size_t resamples, std::mt19937_64& random, Intervals* result) {
  const std::vector<std::size_t> places = places_of(cells, table.cells());
  std::vector<AlltoallCell> drawn(cells.begin(), cells.end());
  std::vector<double> gammas;
  std::vector<double> deltas;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < resamples; ++i) {
    const std::vector<double> durations_ns = table.resampled(random);
    for (std::size_t c = 0; c < drawn.size(); ++c) drawn[c].duration_ns = durations_ns[places[c]];
    const Model model = with_best_size(fit.model, drawn, sizes_bytes, fit.spreads.variances);
    gammas.push_back(model.gamma());
    deltas.push_back(model.delta_ns());
    if (model.delta_from_bytes != kNoDelta) sizes.push_back(double(model.delta_from_bytes));
  }
  const double draws = static_cast<double>(resamples);
  double gamma_mean = 0;
  double delta_mean = 0;
  for (std::size_t i = 0; i < resamples; ++i) {
    gamma_mean += gammas[i] / draws;
    delta_mean += deltas[i] / draws;
  }
  const double sessions = static_cast<double>(table.sessions());
  const double scale = sessions / (sessions - 1) / (draws - 1);
  Uncertainty& uncertainty = result->uncertainty;
  for (std::size_t i = 0; i < resamples; ++i) {
    const double gamma = gammas[i] - gamma_mean;
    const double delta = deltas[i] - delta_mean;
    uncertainty.gamma_variance += scale * gamma * gamma;
    uncertainty.delta_variance += scale * delta * delta;
    uncertainty.covariance += scale * gamma * delta;
  }
  uncertainty.quantile = student_quantile(table.sessions() - 1);
  if (!sizes.empty()) {
    constexpr double kTail = 0.025;
    result->delta_from_bytes = {quantile(sizes, kTail), quantile(sizes, 1 - kTail)};
  }
}

void from_covariance(const Fitted& fit, const AlltoallTable& table,
                     std::span<const AlltoallCell> cells, Intervals* result) {
  const double shared = table.session_spread() / std::sqrt(static_cast<double>(table.sessions()));
  const auto& covariance =
      with_terms(fit.model, cells, fit.spreads.variances, shared).estimate.covariance;
  Uncertainty& uncertainty = result->uncertainty;
  uncertainty.gamma_variance = covariance[0][0];
  uncertainty.delta_variance = covariance[1][1];
  uncertainty.covariance = covariance[0][1];
  uncertainty.quantile = student_quantile(cells.size() > kTerms ? cells.size() - kTerms : 1);
  const auto size = fit.model.delta_from_bytes;
  if (size != kNoDelta) result->delta_from_bytes = {double(size), double(size)};
}

// Of Student's t, from the normal quantile z. One and two degrees of freedom have closed forms;
// from three on it is Cornish and Fisher's expansion about z (Abramowitz and Stegun, 26.7.5),
// within 1 %.
double quantile_of_student(double probability, double z, std::size_t degrees_of_freedom) {
  if (degrees_of_freedom <= 1) return std::tan(std::numbers::pi * (probability - 0.5));
  if (degrees_of_freedom == 2) {
    return (2 * probability - 1) / std::sqrt(2 * probability * (1 - probability));
  }
  const double v = static_cast<double>(degrees_of_freedom);
  const double g1 = (std::pow(z, 3) + z) / 4;
  const double g2 = (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / 96;
  const double g3 = (3 * std::pow(z, 7) + 19 * std::pow(z, 5) + 17 * std::pow(z, 3) - 15 * z) / 384;
  return z + g1 / v + g2 / (v * v) + g3 / (v * v * v);
}

}  // namespace

Intervals intervals_of(const Fitted& fit, const AlltoallTable& table,
                       std::span<const AlltoallCell> cells,
                       std::span<const std::uint64_t> sizes_bytes, std::size_t resamples,
                       std::mt19937_64& random) {
  Intervals result;
  if (table.sessions_tell()) {
    from_sessions(fit, table, cells, sizes_bytes, resamples, random, &result);
  } else {
    from_covariance(fit, table, cells, &result);
  }
  Uncertainty& uncertainty = result.uncertainty;
  uncertainty.sessions = table.session_spread();
  uncertainty.misfit = fit.spreads.misfit;
  result.gamma =
      around(fit.model.gamma(), uncertainty.quantile * std::sqrt(uncertainty.gamma_variance));
  result.delta_ns =
      around(fit.model.delta_ns(), uncertainty.quantile * std::sqrt(uncertainty.delta_variance));
  return result;
}

double no_delta_probability(const Fitted& fit, std::span<const AlltoallCell> cells,
                            std::span<const std::uint64_t> sizes_bytes, std::size_t resamples,
                            std::mt19937_64& random) {
  const std::vector<double>& variances = fit.spreads.variances;
  const auto improvement = [&](std::span<const AlltoallCell> times) {
    Model shape = fit.model;
    const auto squares = [&](DeltaForm form, std::uint64_t delta_from_bytes) {
      shape.form = form;
      shape.delta_from_bytes = delta_from_bytes;
      return chi_square(with_terms(shape, times, variances), times, variances);
    };
    const double without = squares(fit.model.form, kNoDelta);
    double with = without;
    for (const DeltaForm form : {DeltaForm::kPerCommunication, DeltaForm::kOnce}) {
      for (const std::uint64_t size_bytes : sizes_bytes) {
        with = std::min(with, squares(form, size_bytes));
      }
    }
    return without - with;
  };
  const double seen = improvement(cells);
  const Model null = with_best_size(fit.model, cells, {}, variances);
  std::vector<AlltoallCell> drawn(cells.begin(), cells.end());
  std::normal_distribution<double> normal;
  std::size_t as_much = 0;
  for (std::size_t i = 0; i < resamples; ++i) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      drawn[c].duration_ns =
          duration_ns(null, cells[c]) * std::exp(std::sqrt(variances[c]) * normal(random));
    }
    as_much += improvement(drawn) >= seen ? 1 : 0;
  }
  return static_cast<double>(as_much + 1) / static_cast<double>(resamples + 1);
}

double student_quantile(std::size_t degrees_of_freedom) {
  return quantile_of_student(0.975, 1.959964, degrees_of_freedom);
}

double student_upper_quantile(std::size_t degrees_of_freedom) {
  return quantile_of_student(0.95, 1.644854, degrees_of_freedom);
}

}  // namespace nmt::contention
