// SPDX-License-Identifier: BSD-3-Clause
//
// The algorithm and segment of a hierarchical collective for each size, derived from samples of
// many of them and of the MPI's own collective (paper "HierKNEM", 4.2 and Table 1).
//
// A choice uses medians and a share of how far the times reach above them, for all sizes together
// (tuner/steady_path.h), so that noise does not divide a range. What the MPI chooses stays unless
// ours gains enough, and is faster beyond chance; between two sizes of which that is true, gaining
// enough will do.
// Between two sampled sizes, the algorithm changes at their geometric mean. A change between ours
// and the MPI's choice is placed where a line between both gains crosses the required gain. The
// MPI's other algorithms ("library:ring") compete as ours do; "ours" means them too here.
//
// Rules of different MPIs, and of different versions of one, stand beside each other: each is
// derived from samples under its own MPI only. The MPI that was sampled last comes first.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "core/sample.h"

namespace nmt::tuner {

// Duration of one algorithm with one segment, over all repetitions.
struct CollectiveTime {
  std::string algorithm;  // "library": what the MPI chooses itself; any other can replace it
  std::uint64_t segment_bytes = 0;
  std::int64_t leaders = 1;  // per node
  double median_ns = 0;
  // How far a 95 % interval reaches, in logarithms. A lost packet makes it reach far up only.
  double below = 0;
  double above = 0;
  std::size_t count = 0;  // how many were measured
  // Predicted, not measured (tuner/collective_model.h): chosen only if log(time of the MPI's own /
  // this time) is above this.
  std::optional<double> gain_error = {};
};

// One size of one operation, for one number of nodes, under one MPI.
struct CollectiveCell {
  std::string mpi;  // name and version
  std::string operation;
  std::int64_t nodes = 0;
  std::int64_t ranks_per_node = 0;
  std::uint64_t size_bytes = 0;
  std::vector<CollectiveTime> times;  // of all algorithms and segments, the fastest first
  // Predicted, not measured: that of the fastest way of ours, or the largest of several shapes.
  std::optional<double> gain_error = {};
};

// What segments of this algorithm divide: the message; of blocks that nodes exchange, what one
// sends to another.
std::uint64_t message_bytes(const CollectiveCell& cell, std::string_view algorithm);

// By MPI, the last measured first; then by operation, shape and size.
std::vector<CollectiveCell> collective_cells(std::span<const SampleSet> sets);

std::vector<SegmentRule> derive_segments(std::span<const CollectiveCell> cells);

// The duration of the rules' choice in this cell; null if the rules choose nothing that was
// measured there, or are of another MPI.
const CollectiveTime* chosen_time(std::span<const SegmentRule> rules, const CollectiveCell& cell);

// How much slower the rules' choice is than the fastest, 0.02 for 2 %; nullopt if the rules choose
// nothing that was measured there, or are of another MPI.
std::optional<double> regret(std::span<const SegmentRule> rules, const CollectiveCell& cell);

}  // namespace nmt::tuner
