// SPDX-License-Identifier: BSD-3-Clause
//
// When to aggregate two packets of different sizes, prepared for decisions in nanoseconds.
//
// Packets of a and b bytes are aggregated if one packet of a + b, assembled by the better of copy
// and iovec, takes less time than both sent back to back: half of two packets of a plus half of two
// packets of b. This applies only while a + b is eager. Equal packets follow the plan's threshold
// (papers "sampling-based auto-tuning", II-D, III-B). Both sides depend on little but the sum a +
// b. So two bounds on the sum, found here, decide nearly every pair; only between them are the
// curves themselves used.
#pragma once

#include "core/plan.h"
#include "runtime/path_tables.h"

namespace nmt::runtime {

// Sums below `below` are always aggregated; sums from `from` on never.
struct SettledSums {
  std::uint64_t below = 0;
  std::uint64_t from = UINT64_MAX;
};

// one_of_two: half the duration of two equal packets back to back, by the size of one. together:
// the duration of the aggregate, by the size of both. Empty if not measured.
struct AggregationCurves {
  Curve one_of_two;
  Curve together;
};
AggregationCurves aggregation_curves(const RailPlan& rail);

// The first size that is no longer eager; nullopt if all sizes are.
std::optional<std::uint64_t> eager_end(const RailPlan& rail);

SettledSums settled_sums(const RailPlan& rail, const AggregationCurves& curves);

// Fills the aggregation parts of `tables`.
void set_aggregation(const RailPlan& rail, PathTables& tables);

}  // namespace nmt::runtime
