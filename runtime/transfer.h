// SPDX-License-Identifier: BSD-3-Clause
//
// A RailPlan's transfers in the form that tables are made from: the method for each size, its
// duration, and the monotone curve that a split inverts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan.h"

namespace nmt::runtime {

// The method for every size, from the thresholds (tuner/predict.h): rendezvous from its threshold
// on, else copy or iovec. If the chosen method was not measured and only one other was, it is that
// one; else there is no advice.
struct MethodRange {
  std::uint64_t from_bytes = 0;  // up to the start of the next range
  std::optional<Method> method;
  bool operator==(const MethodRange&) const = default;
};
std::vector<MethodRange> method_ranges(const RailPlan& rail);

// Duration of one transfer by a method, with the fastest of its variants at each size; empty if it
// was not measured.
Curve transfer_curve(const RailPlan& rail, Method method);

// A straight piece of the duration of the chosen methods, over whole bytes.
struct Piece {
  std::uint64_t from_bytes = 0;
  double duration_ns = 0;  // at from_bytes; negative: no advice
  double ns_per_byte = 0;
};
// Leaves out points that are within `tolerance` of the line through their neighbours.
std::vector<Piece> pieces(const Curve& curve, double tolerance = 0);
std::vector<Piece> chosen_pieces(const RailPlan& rail, double tolerance = 0);
double duration_at(const std::vector<Piece>& pieces, std::uint64_t size_bytes);

// The non-decreasing curve nearest to the duration of the chosen methods, weighted by the precision
// of its points. A jump between methods is a rise over one byte. If the last samples say that more
// bytes take no more time, the curve continues with the average slope. Empty without advice.
Curve split_curve(const RailPlan& rail);

// Leaves out points within the relative `tolerance` of the lines between the remaining ones.
Curve simplified(const Curve& curve, double tolerance);

}  // namespace nmt::runtime
