// SPDX-License-Identifier: BSD-3-Clause
//
// Which algorithm and segment a hierarchical collective takes at each size, from what was sampled
// of many, the MPI's own among them (paper "HierKNEM", 4.2 and Table 1).
//
// A choice is by medians, and for all sizes together (tuner/steady_path.h), so that chance does not
// cut a range in two; the MPI's own is left alone where ours is not clearly faster. Between two
// sizes that were sampled the choice changes at their geometric mean; between acting in place of
// the MPI and not, where a line between both gains crosses what acting must be worth.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/sample.h"

namespace nmt {

// What one way took, over all repetitions.
struct CollectiveTime {
  std::string algorithm;  // "library": the MPI's own
  std::uint64_t segment_bytes = 0;
  std::int64_t leaders = 1;  // of a node
  double median_ns = 0;
};

// One size of one operation on one number of nodes.
struct CollectiveCell {
  std::string operation;
  std::int64_t nodes = 0;
  std::int64_t ranks_per_node = 0;
  std::uint64_t size_bytes = 0;
  std::vector<CollectiveTime> times;  // of all ways, the fastest first
};

// In order of operation, shape and size; of the MPI that was measured last.
std::vector<CollectiveCell> collective_cells(std::span<const SampleSet> sets);

std::vector<SegmentRule> derive_segments(std::span<const CollectiveCell> cells);

// How much slower than the fastest is what the rules say, 0.02 for 2 %; nullopt where they say
// nothing that was measured there.
std::optional<double> regret(std::span<const SegmentRule> rules, const CollectiveCell& cell);

}  // namespace nmt
