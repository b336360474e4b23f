// SPDX-License-Identifier: BSD-3-Clause
//
// When to aggregate two packets of unequal sizes, prepared for deciding in nanoseconds.
//
// Packets of a and b bytes are aggregated if one packet of a + b, assembled by the better of copy
// and iovec, takes less than both sent back to back, half of what two packets of a take plus half
// of what two of b take; only while a + b is still eager. Equal packets follow the plan's
// threshold (papers "sampling-based auto-tuning", II-D, III-B). Both sides depend on little but
// the sum, so that nearly every pair is settled by two bounds on it, found here; only between
// them are the curves themselves asked.
#pragma once

#include "core/plan.h"
#include "runtime/path_tables.h"

namespace nmt {

// Sums below `below` are always aggregated, from `from` on never.
struct SettledSums {
  std::uint64_t below = 0;
  std::uint64_t from = UINT64_MAX;
};

// Half of what two equal packets take back to back, over the size of one; and what the aggregate
// takes, over the size of both. Empty where they were not measured.
struct AggregationCurves {
  Curve one_of_two;
  Curve together;
};
AggregationCurves aggregation_curves(const RailPlan& rail);

// The first size that is no longer eager; nullopt where all are.
std::optional<std::uint64_t> eager_end(const RailPlan& rail);

SettledSums settled_sums(const RailPlan& rail, const AggregationCurves& curves);

// Fills what concerns aggregation.
void set_aggregation(const RailPlan& rail, PathTables& tables);

}  // namespace nmt
