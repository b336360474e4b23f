// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/path_tables.h"

#include <algorithm>
#include <cmath>

#include "include/nmadtune.h"
#include "runtime/aggregation.h"

namespace nmt::runtime {
namespace {

// The smallest tolerance, of a rising series, with which `make` returns at most `most` pieces.
template <class Make>
auto fitting(Make make, std::size_t most) {
  auto made = make(0.0);
  for (double tolerance = 1e-5; made.size() > most; tolerance *= 1.5) made = make(tolerance);
  return made;
}

void set_methods(const RailPlan& rail, PathBlock& block) {
  const std::vector<MethodRange> ranges = method_ranges(rail);
  std::fill(std::begin(block.method_from), std::end(block.method_from), UINT64_MAX);
  if (ranges.size() > PathBlock::kMethodChanges + 1) {
    block.method_choices = PathBlock::kAskRanges & 0xf;
    return;
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const int choice = ranges[i].method ? static_cast<int>(*ranges[i].method) : NMT_NO_ADVICE;
    block.method_choices |= (static_cast<std::uint32_t>(choice) & 0xf) << (4 * i);
    if (i > 0) block.method_from[i - 1] = ranges[i].from_bytes;
  }
}

double size_bytes_max(const RailPlan& rail) {
  double largest = 0;
  for (const PlanCurve& curve : rail.curves) {
    if (curve.benchmark != benchmark::kTransfer) continue;
    largest = std::max(largest, curve.duration.points().back().size_bytes);
  }
  return largest;
}

// Largest relative difference at the ends of the pieces.
template <class Approximation>
double departure(const std::vector<Piece>& exact, Approximation approximation) {
  double largest = 0;
  for (const Piece& piece : exact) {
    if (piece.duration_ns <= 0) continue;
    const double relative = approximation(piece.from_bytes) / piece.duration_ns - 1;
    largest = std::max(largest, std::abs(relative));
  }
  return largest;
}

}  // namespace

template <class Table>
Table make_size_table(const MakePieces& make) {
  const std::vector<Piece> pieces = fitting(make, Table::kPieces);
  Table table{};
  std::fill(std::begin(table.index.knot), std::end(table.index.knot), table.index.kNever);
  std::size_t count = 0;
  for (const Piece& piece : pieces) {
    if (piece.from_bytes >= table.index.kNever) break;
    table.index.knot[count] = static_cast<std::uint32_t>(piece.from_bytes);
    table.start[count] = static_cast<float>(piece.from_bytes);
    table.duration_ns[count] = static_cast<float>(piece.duration_ns);
    table.ns_per_byte[count] = static_cast<float>(piece.ns_per_byte);
    ++count;
  }
  table.index.set_first(count);
  return table;
}
template SizeTable make_size_table(const MakePieces& make);
template EagerSizeTable make_size_table(const MakePieces& make);

std::vector<InversePiece> inverse_pieces(const Curve& monotone) {
  std::vector<InversePiece> all = {{0, 0, 0}};
  const auto rise_to = [&](double time_ns, double bytes) {
    InversePiece& last = all.back();
    const bool one_byte = bytes - last.bytes <= 1;  // a jump of the curve
    last.bytes_per_ns = one_byte ? 0 : (bytes - last.bytes) / (time_ns - last.from_ns);
    all.push_back({time_ns, bytes, 0});
  };
  const auto points = monotone.points();
  const double start_ns = std::max(points[0].duration_ns, 1e-3);
  all.push_back({start_ns * (1 - kStretch), 0, 0});
  if (points[0].size_bytes > 0) rise_to(start_ns, points[0].size_bytes);
  for (const Point& point : points.subspan(1)) {
    rise_to(std::max(point.duration_ns, all.back().from_ns * (1 + kStretch)), point.size_bytes);
  }
  // The last point only gives the slope after the point before it.
  all.pop_back();
  return all;
}

TimeTable make_time_table(const Curve& monotone) {
  constexpr std::size_t kPieces = TimeTable::kPieces;
  const std::vector<InversePiece> pieces = fitting(
      [&](double tolerance) { return inverse_pieces(simplified(monotone, tolerance)); }, kPieces);
  TimeTable table{};
  table.pieces = static_cast<std::uint32_t>(pieces.size());
  std::fill(std::begin(table.knot), std::end(table.knot), table.kNever);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    table.knot[i] = std::bit_cast<std::uint32_t>(static_cast<float>(pieces[i].from_ns));
    table.bytes[i] = static_cast<float>(pieces[i].bytes);
    table.bytes_per_ns[i] = static_cast<float>(pieces[i].bytes_per_ns);
  }
  table.base = table.octave_quarter(table.knot[1]);
  std::uint8_t piece = 0;
  for (std::uint32_t bucket = 1; bucket < table.kBuckets; ++bucket) {
    while (piece + std::size_t{1} < pieces.size() && table.knot[piece + 1] <= table.begin(bucket)) {
      ++piece;
    }
    table.first[bucket] = piece;
  }
  return table;
}

PathTables make_path_tables(const RailPlan& rail) {
  PathTables tables{};
  PathBlock& block = tables.block;
  set_methods(rail, block);
  block.aggregation = PathBlock::kNone;
  block.chunk_bytes_min = rail.chunk_bytes_min;
  block.duration =
      make_size_table([&](double tolerance) { return chosen_pieces(rail, tolerance); });
  set_aggregation(rail, tables);
  const Curve monotone = split_curve(rail);
  if (monotone.empty()) return tables;
  block.measured = 1;
  block.size_bytes_max = static_cast<std::uint64_t>(size_bytes_max(rail));
  block.inverse = make_time_table(monotone);
  const std::vector<Piece> exact = chosen_pieces(rail);
  tables.monotone_departure =
      departure(exact, [&](std::uint64_t size) { return monotone.at(static_cast<double>(size)); });
  tables.table_departure =
      departure(exact, [&](std::uint64_t size) { return block.duration.at(size); });
  return tables;
}

}  // namespace nmt::runtime
