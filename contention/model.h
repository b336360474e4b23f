// SPDX-License-Identifier: BSD-3-Clause
//
// The shape of a signature while it is fitted: its terms, and gamma against the number of ranks.
//
// Private. Where the network is saturated gamma is one number. Below, it rises with the number of
// ranks: between two of them as a power of their ratio, beyond the largest with the exponent seen
// between the last two. It never grows faster than the number of ranks, as on a medium that all
// share.
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

namespace nmt {

inline constexpr std::uint64_t kNoDelta = std::numeric_limits<std::uint64_t>::max();

struct Model {
  DeltaForm form = DeltaForm::kPerCommunication;
  std::uint64_t delta_from_bytes = kNoDelta;
  std::vector<Rise> rises;          // by ranks; the last is 1. Empty: one gamma
  double growth = 0;                // exponent beyond the last
  double growth_error = 0;          // its standard error
  std::int64_t saturated_from = 0;  // ranks; 0: none that is known
  Solution estimate;                // gamma, delta, processor time

  double gamma() const { return estimate.value[0]; }
  double delta_ns() const { return estimate.value[1]; }
  double processor_ns() const { return estimate.value[2]; }
};

// What a model multiplies by its estimates.
std::array<double, kTerms> terms_of(const Model& model, const AlltoallCell& cell);
double duration_ns(const Model& model, const AlltoallCell& cell);

// Spread of ln(measured / model) over cells: of their own, and what the model misses.
struct Spreads {
  std::vector<double> variances;  // one per cell, cell.trust taken into account
  double misfit = 0;
};
Spreads spreads_of(const Model& model, std::span<const AlltoallCell> cells, std::size_t parameters);

// Sum of the squares of ln(measured / model), each over its variance.
double chi_square(const Model& model, std::span<const AlltoallCell> cells,
                  std::span<const double> variances);

}  // namespace nmt
