// SPDX-License-Identifier: BSD-3-Clause
//
// The other form of a prediction: each size keeps its own measured ratio to the bound, and the
// ratios of all sizes grow alike with the number of ranks:
//   time(n, m) = ratio(m) rise(n) bound(n, m) + processor time.
//
// Private. gamma and delta describe a network; but where a library changes its algorithm with the
// size, or routes and lost packets slow some sizes only, no gamma and delta fit all sizes. The
// ratios predict only if numbers of ranks that were left out show it: those are predicted from
// smaller ones, since that is the question that a fit is for. There, how far the ratios depart from
// the signature must say, beyond chance, how far the measurements do. The slope of the one by the
// other is the weight of the ratios (Bates and Granger's weight of two forecasts): 1 if all of a
// departure comes back, less where it does only in part.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "contention/candidates.h"
#include "core/signature.h"

namespace nmt::contention {

// The ratio of one size, over the numbers of ranks. Processor time is no part of it.
SmallRatio ratio_at(std::uint64_t size_bytes, double processor_ns, const Growth& growth,
                    std::span<const AlltoallCell> cells);

// The ratios of all sizes, as they predict.
struct RatioForm {
  Growth growth;
  // At the largest number of ranks, the signature's where their weight is 0. The spread has the
  // errors of that size, and of all, at numbers of ranks that were left out.
  std::vector<SmallRatio> by_size;
  double weight = 0;
  // Mean of |ln(measured / predicted)| at larger numbers of ranks than those that predict it, and
  // that of the signature there.
  double error_upward = 0;
  double signature_error_upward = 0;
  // Root mean square of ln(measured / predicted) at numbers of ranks that were left out, each one.
  double error_left_out = 0;
};

// nullopt: the signature predicts as well, and ratios are not `demanded`. `fit` is that of `shape`
// to `cells`, whose sizes it describes; what else is in `all` are smaller sizes.
std::optional<RatioForm> ratio_form(const Shape& shape, const Model& fit,
                                    std::span<const AlltoallCell> cells,
                                    std::span<const std::uint64_t> delta_sizes,
                                    std::span<const AlltoallCell> all, bool demanded);

}  // namespace nmt::contention
