// SPDX-License-Identifier: BSD-3-Clause
//
// The shape of a signature during the fit: its terms, and gamma by number of ranks.
//
// Private. Where the network is saturated, gamma is one number. Below that it rises with the number
// of ranks: as a power of their ratio between two numbers, and beyond the largest as
// contention/growth.h says.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "contention/cells.h"
#include "contention/fit.h"
#include "contention/least_squares.h"
#include "core/alltoall.h"

namespace nmt::contention {

inline constexpr std::uint64_t kNoDelta = std::numeric_limits<std::uint64_t>::max();

struct Model {
  DeltaForm form = DeltaForm::kPerCommunication;
  std::uint64_t delta_from_bytes = kNoDelta;
  std::vector<Rise> rises;          // by ranks; the last is 1. Empty: one gamma
  double growth = 0;                // exponent at the last of `rises`
  double growth_error = 0;          // its standard error
  bool growth_saturates = false;    // beyond it; false: the exponent goes on
  std::int64_t saturated_from = 0;  // ranks; 0: unknown
  Solution estimate;                // gamma, delta, processor time

  double gamma() const { return estimate.value[0]; }
  double delta_ns() const { return estimate.value[1]; }
  double processor_ns() const { return estimate.value[2]; }
};

// The factors that the model's estimates are multiplied by.
std::array<double, kTerms> terms_of(const Model& model, const AlltoallCell& cell);
double duration_ns(const std::array<double, kTerms>& terms, const Solution& estimate);
double duration_ns(const Model& model, const AlltoallCell& cell);

// A hundredth of what was measured at least: nothing is predicted to take nothing.
double expected_ns(double model_ns, const AlltoallCell& cell);
double expected_ns(const Model& model, const AlltoallCell& cell);
double log_error(const Model& model, const AlltoallCell& cell);  // ln(measured / expected)

// The variance of what a model misses beyond the own variances of the cells, by the median of its
// distances from them; `free`: degrees of freedom.
double misfit_variance(std::span<const double> distances, std::span<const double> own, double free);
// The weight of a cell by Huber's loss: 1, or less if its distance is many standard errors.
double trust_of(double distance, double error);

// Spread of ln(measured / model) over cells: each cell's own, and the misfit of the model.
struct Spreads {
  std::vector<double> variances;  // one per cell, including cell.trust
  double misfit = 0;
};
Spreads spreads_of(const Model& model, std::span<const AlltoallCell> cells, std::size_t parameters);

// Sum of the squares of ln(measured / model), each divided by its variance.
double chi_square(const Model& model, std::span<const AlltoallCell> cells,
                  std::span<const double> variances);

}  // namespace nmt::contention
