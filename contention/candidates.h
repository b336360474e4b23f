// SPDX-License-Identifier: BSD-3-Clause
//
// From cells to a model: M by profile, gamma against the number of ranks, and what a model that did
// not see some number of ranks says of it.
//
// Private. Errors are relative throughout, since durations span decades: what is minimised is the
// sum of the squares of ln(measured / model) over their variances.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contention/model.h"

namespace nmt {

// Sizes that M may be: the given one, or those with at least three sizes on each side where there
// are at least six. Empty: no delta can be told.
std::vector<std::uint64_t> delta_sizes(std::span<const AlltoallCell> cells,
                                       const FitOptions& options);

// gamma, delta and processor time of a model whose form, M and rises are set.
Model with_terms(Model shape, std::span<const AlltoallCell> cells,
                 std::span<const double> variances, double shared = 0);

// The best of these M for the shape's form and rises; none of them, no delta.
Model with_best_size(const Model& shape, std::span<const AlltoallCell> cells,
                     std::span<const std::uint64_t> sizes_bytes, std::span<const double> variances);

// All of it for one form of delta.
struct Fitted {
  Model model;
  Spreads spreads;
};
Fitted fitted(DeltaForm form, std::span<const AlltoallCell> cells,
              std::span<const std::uint64_t> sizes_bytes);

// gamma of each number of ranks by itself, given the other terms, with standard errors.
struct GammaOf {
  std::int64_t ranks = 0;
  double gamma = 0;
  double error = 0;  // relative
};
std::vector<GammaOf> gamma_by_ranks(const Model& model, std::span<const AlltoallCell> cells,
                                    std::span<const double> variances);

// Root mean square of ln(measured / model) where each number of ranks is predicted from the
// others; at least two.
double error_left_out(DeltaForm form, std::span<const AlltoallCell> cells,
                      std::span<const std::uint64_t> sizes_bytes);

}  // namespace nmt
