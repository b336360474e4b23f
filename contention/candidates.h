// SPDX-License-Identifier: BSD-3-Clause
//
// From cells to a model: the search for M, gamma by number of ranks, and the error of a model that
// did not see one number of ranks.
//
// Private. All errors are relative, because durations differ by orders of magnitude: the fit
// minimises the sum of the squares of ln(measured / model), each divided by its variance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contention/growth.h"
#include "contention/model.h"

namespace nmt::contention {

// Possible values of M: the given one, or, with at least six sizes, those with at least three sizes
// on each side. Empty: delta cannot be determined.
std::vector<std::uint64_t> delta_sizes(std::span<const AlltoallCell> cells,
                                       const FitOptions& options);

// Fits gamma, delta and processor time of a model whose form, M and rises are set.
Model with_terms(Model shape, std::span<const AlltoallCell> cells,
                 std::span<const double> variances, double shared = 0);

// The best of these M for the shape's form and rises, or no delta if none is better.
Model with_best_size(const Model& shape, std::span<const AlltoallCell> cells,
                     std::span<const std::uint64_t> sizes_bytes, std::span<const double> variances);

// What a fit cannot search: both are chosen by numbers of ranks that are left out.
struct Shape {
  DeltaForm delta = DeltaForm::kPerCommunication;
  GrowthShape growth = GrowthShape::kMeasured;
};

// The complete fit for one shape.
struct Fitted {
  Model model;
  Spreads spreads;
};
Fitted fitted(const Shape& shape, std::span<const AlltoallCell> cells,
              std::span<const std::uint64_t> sizes_bytes);

// gamma of each number of ranks separately, with the other terms given.
std::vector<GammaOf> gamma_by_ranks(const Model& model, std::span<const AlltoallCell> cells,
                                    std::span<const double> variances);

// Root mean square of ln(measured / model), where each number of ranks is predicted from the
// others; needs at least two.
double error_left_out(const Shape& shape, std::span<const AlltoallCell> cells,
                      std::span<const std::uint64_t> sizes_bytes);

}  // namespace nmt::contention
