// SPDX-License-Identifier: BSD-3-Clause
//
// What a RailPlan says about transfers, in the form that tables are made of: which method from
// which size on, how long that takes, and the monotone curve that a split inverts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan.h"

namespace nmt {

// The method for every size, as the thresholds say (tuner/predict.h): rendezvous
// from its threshold on, else copy or iovec. Where the chosen method was not measured and only one
// was, it is that one; else there is no advice.
struct MethodRange {
  std::uint64_t from_bytes = 0;  // to where the next one begins
  std::optional<Method> method;
  bool operator==(const MethodRange&) const = default;
};
std::vector<MethodRange> method_ranges(const RailPlan& rail);

// Duration of one transfer by a method, the faster of its variants at each size; empty where it
// was not measured.
Curve transfer_curve(const RailPlan& rail, Method method);

// A straight piece of the chosen methods' duration, over whole bytes.
struct Piece {
  std::uint64_t from_bytes = 0;
  double duration_ns = 0;  // there; negative: no advice
  double ns_per_byte = 0;
};
// Without points that are within `tolerance` of the line through their neighbours.
std::vector<Piece> pieces(const Curve& curve, double tolerance = 0);
std::vector<Piece> chosen_pieces(const RailPlan& rail, double tolerance = 0);
double duration_at(const std::vector<Piece>& pieces, std::uint64_t size_bytes);

// The nearest non-decreasing curve to the chosen methods' duration, weighted by the precision of
// its points, with a jump between methods as a rise over one byte. Its end rises: where the last
// samples say that more bytes take no longer, the average slope goes on. Empty without advice.
Curve split_curve(const RailPlan& rail);

// The points that matter: the others are within `tolerance`, relative, of the lines between.
Curve simplified(const Curve& curve, double tolerance);

}  // namespace nmt
