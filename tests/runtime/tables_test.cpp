// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/tables.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/path_tables.h"
#include "runtime/split_solver.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

TEST(SizeBuckets, AreQuarterOctavesInOrder) {
  for (std::uint32_t bucket = 0; bucket < size_bucket(kSizeBytesMax); ++bucket) {
    const std::uint64_t begin = size_bucket_begin(bucket);
    EXPECT_EQ(size_bucket(begin), bucket);
    EXPECT_EQ(size_bucket(size_bucket_begin(bucket + 1) - 1), bucket);
  }
  EXPECT_EQ(size_bucket(0), 0u);
  EXPECT_LT(size_bucket(kSizeBytesMax), kSizeBuckets);
  EXPECT_LE(
      static_cast<double>(size_bucket_begin(101)) / static_cast<double>(size_bucket_begin(100)),
      1.26);
}

// Sizes on both sides of every piece's begin, and far ones.
std::vector<std::uint64_t> sizes_around(const std::vector<Piece>& pieces) {
  std::vector<std::uint64_t> sizes = {std::uint64_t{1} << 32, std::uint64_t{1} << 45};
  for (const Piece& piece : pieces) {
    for (const std::uint64_t size :
         {piece.from_bytes - 1, piece.from_bytes, piece.from_bytes + 1}) {
      if (size <= kSizeBytesMax) sizes.push_back(size);
    }
  }
  return sizes;
}

TEST(SizeTable, SaysWhatItsPiecesSay) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 200; ++k) {
    const RailPlan rail = planted::random_full_rail(random, "r");
    const std::vector<Piece> pieces = chosen_pieces(rail);
    if (pieces.size() > SizeTable::kPieces) continue;
    const SizeTable table = make_size_table([&](double) { return pieces; });
    for (const std::uint64_t size : sizes_around(pieces)) {
      const double exact = duration_at(pieces, size);
      EXPECT_NEAR(table.at(size), exact, 1e-5 * exact) << size;
    }
  }
}

TEST(SizeTable, WalksOnWhereManyPiecesShareAQuarterOctave) {
  std::vector<Piece> pieces;
  for (std::uint64_t i = 0; i < 40; ++i) {
    pieces.push_back({i == 0 ? 0 : 1000 + i, 100.0 * static_cast<double>(i + 1), 0});
  }
  const SizeTable table = make_size_table([&](double) { return pieces; });
  for (std::uint64_t i = 1; i < 40; ++i) {
    EXPECT_EQ(table.at(1000 + i), 100.0 * static_cast<double>(i + 1));
  }
  EXPECT_EQ(table.at(1000), 100);
}

TEST(SizeTable, MakesLongCurvesSimplerAndTellsByHowMuch) {
  std::mt19937_64 random(2);
  std::vector<Point> points;
  for (double size = 1; size < 1e8; size *= 1.05) {
    const double wave = 1 + 0.002 * std::sin(size);
    points.push_back({std::floor(size) + static_cast<double>(points.size()), (1000 + size) * wave});
  }
  ASSERT_GT(points.size(), 5 * SizeTable::kPieces);
  const RailPlan rail = planted::plain_rail("r", points);
  const PathTables tables = make_path_tables(rail);
  EXPECT_LT(tables.table_departure, 0.01);
  EXPECT_GT(tables.table_departure, 0);
  for (const Point& point : points) {
    const auto size = static_cast<std::uint64_t>(point.size_bytes);
    EXPECT_NEAR(tables.block.duration.at(size), point.duration_ns,
                (tables.table_departure + 1e-6) * point.duration_ns);
  }
}

TEST(TimeTable, IsTheInverseOfItsCurve) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 200; ++k) {
    const Curve curve = split_curve(planted::random_rail(random, "r", 0.03));
    const TimeTable table = make_time_table(curve);
    for (double size = 1; size < 1e9; size *= 1.7) {
      const double exact = curve.at(std::floor(size));
      const double found = static_cast<double>(time_for(table, static_cast<std::uint64_t>(size)));
      EXPECT_NEAR(found, exact, 4e-4 * exact) << size;
    }
  }
}

TEST(TimeTable, CarriesNothingBeforeTheStartUp) {
  const TimeTable table = make_time_table(Curve({{0, 1000}, {1000, 2000}, {2000, 3000}}));
  for (const float time : {0.0f, 1.0f, 500.0f, 999.0f}) {
    const std::uint32_t piece = table.piece_at(std::bit_cast<std::uint32_t>(time));
    EXPECT_EQ(table.bytes[piece] + (time - table.start(piece)) * table.bytes_per_ns[piece], 0);
  }
}

TEST(PathBlock, IsTheHotDataOfOneRailInTwoKibibytes) { EXPECT_LE(sizeof(PathBlock), 2048u); }

}  // namespace
}  // namespace nmt::runtime
