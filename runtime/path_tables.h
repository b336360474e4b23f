// SPDX-License-Identifier: BSD-3-Clause
//
// Converts curves into tables (runtime/tables.h) when a snapshot is made.
//
// A curve with more pieces than fit a table is simplified with the smallest tolerance that makes it
// fit. The snapshot reports how far the table then differs from the curve.
#pragma once

#include <functional>
#include <optional>

#include "core/plan.h"
#include "runtime/tables.h"
#include "runtime/transfer.h"

namespace nmt::runtime {

// `make` returns the pieces for a tolerance.
using MakePieces = std::function<std::vector<Piece>(double tolerance)>;
template <class Table = SizeTable>
Table make_size_table(const MakePieces& make);
TimeTable make_time_table(const Curve& monotone);

// A piece of an inverse curve, for a TimeTable: strictly rising in time.
struct InversePiece {
  double from_ns = 0;
  double bytes = 0;
  double bytes_per_ns = 0;
};
// A flat part of the curve, where more bytes take no more time, becomes very steep: it is stretched
// over kStretch times its duration, so that every duration has one number of bytes.
inline constexpr double kStretch = 0x1p-18;
std::vector<InversePiece> inverse_pieces(const Curve& monotone);

struct PathTables {
  PathBlock block;  // without its place among others: gate, companions, index of its aggregation
  std::optional<AggregationTable> aggregation;
  double monotone_departure = 0;
  double table_departure = 0;
};
PathTables make_path_tables(const RailPlan& rail);

}  // namespace nmt::runtime
