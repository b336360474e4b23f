// SPDX-License-Identifier: BSD-3-Clause
//
// Which predicted gains are believed, where the MPI's own takes longer than any form tells.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "tests/tuner/cluster_of_formulas.h"
#include "tuner/predicted_segments.h"

namespace nmt::tuner {
namespace {

// The MPI's own takes `times(cell)` times as long as in the cluster.
std::vector<CollectiveCell> with_library(
    const std::vector<CollectiveShape>& shapes,
    const std::function<double(const CollectiveCell&)>& times) {
  std::vector<CollectiveCell> cells = measured(Cluster(), shapes);
  for (CollectiveCell& cell : cells) {
    const double factor = times(cell);
    for (CollectiveTime& time : cell.times) {
      if (time.algorithm == "library") time.median_ns *= factor;
    }
    std::ranges::stable_sort(cell.times, {}, &CollectiveTime::median_ns);
  }
  return cells;
}

// As where an MPI loses packets on some shapes, and not on others: no error tells how many.
TEST(FalseGains, AreTheOnlyOnesThatAreNotBelieved) {
  const std::map<CollectiveShape, double> slower = {
      {{2, 1}, 10}, {{2, 4}, 80}, {{4, 1}, 8}, {{4, 4}, 60}, {{8, 2}, 12}};
  const std::vector<CollectiveCell> cells = with_library(kSampled, [&](const CollectiveCell& cell) {
    return slower.at({cell.nodes, cell.ranks_per_node});
  });
  const std::vector<SegmentRule> rules = predict_segments(cells);
  for (const std::uint64_t size_bytes : kSizes) {
    EXPECT_TRUE(std::ranges::any_of(rules, [&](const SegmentRule& rule) {
      return rule.applies_to(4, 2) && rule.covers(size_bytes);
    })) << size_bytes;
  }
}

TEST(FalseGains, AreLessThanIsNeeded) {
  const std::vector<CollectiveCell> cells = with_library(kSampled, [](const CollectiveCell& cell) {
    return cell.nodes == 4 && cell.ranks_per_node == 4 ? 0.02 : 20;
  });
  const CollectiveModel model(cells);
  int false_gains = 0;
  for (const CollectiveCell& cell : model.predict({4, 2})) {
    for (const CollectiveModel::LeftOut& out : model.left_out()) {
      const bool is_false = out.gain > 0 && out.gain - out.gain_error < std::log(0.9);
      if (out.size_bytes != cell.size_bytes || !is_false) continue;
      EXPECT_GE(*cell.gain_error, out.gain / std::exp2(out.distance)) << cell.size_bytes;
      ++false_gains;
    }
  }
  EXPECT_GT(false_gains, 0);
}

// Ours is as fast as the MPI's own, but for one sample of the MPI's own that is far too long.
TEST(FalseGains, AreNotMadeByOneSlowSample) {
  std::vector<CollectiveCell> cells = measured(Cluster(), kSampled);
  for (CollectiveCell& cell : cells) {
    const double fastest_ns = cell.times.front().median_ns;
    for (CollectiveTime& time : cell.times) {
      if (time.algorithm != "library") continue;
      time.median_ns = fastest_ns * (cell.nodes == 8 && cell.size_bytes == 64 << 10 ? 50 : 0.99);
    }
    std::ranges::stable_sort(cell.times, {}, &CollectiveTime::median_ns);
  }
  for (const SegmentRule& rule : predict_segments(cells)) {
    EXPECT_FALSE(rule.applies_to(8, 4) && rule.covers(64 << 10)) << rule.algorithm;
  }
}

// Of these shapes only 4 x 4 can be left out, where the MPI's own is very slow.
TEST(FalseGains, AreNotRuledOutByOneShape) {
  const std::vector<CollectiveCell> cells =
      with_library({{2, 4}, {4, 4}, {4, 1}}, [](const CollectiveCell& cell) {
        return cell.nodes == 4 && cell.ranks_per_node == 4 ? 30 : 2;
      });
  const std::vector<CollectiveCell> predicted = CollectiveModel(cells).predict({2, 1});
  ASSERT_FALSE(predicted.empty());
  for (const CollectiveCell& cell : predicted) {
    EXPECT_GT(*cell.gain_error, 0.5) << cell.size_bytes;
  }
}

// Segments of 8 KiB were tried on two shapes only, and on the large ones they would be slow.
TEST(FalseGains, AreNotSaidOfSegmentsThatWereTriedOnFewShapes) {
  std::vector<CollectiveCell> cells = measured(Cluster(), kSampled);
  for (CollectiveCell& cell : cells) {
    if (cell.nodes == 2) continue;
    std::erase_if(cell.times, [](const CollectiveTime& time) {
      return time.segment_bytes == 8 << 10 && time.algorithm != "library";
    });
  }
  for (const CollectiveCell& cell : CollectiveModel(cells).predict({4, 2})) {
    if (cell.size_bytes < 64 << 10) continue;
    for (const CollectiveTime& time : cell.times) EXPECT_NE(time.segment_bytes, 8u << 10);
  }
}

}  // namespace
}  // namespace nmt::tuner
