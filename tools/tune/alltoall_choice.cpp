// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/alltoall_choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nmt::tools {
namespace {

// By distance from that size.
std::vector<tuner::CollectiveCell> nearest_first(std::vector<tuner::CollectiveCell> cells,
                                                 std::uint64_t size_bytes) {
  const auto octaves = [&](const tuner::CollectiveCell& cell) {
    return std::abs(std::log2(static_cast<double>(cell.size_bytes)) -
                    std::log2(static_cast<double>(size_bytes)));
  };
  std::ranges::stable_sort(cells, {}, octaves);
  return cells;
}

}  // namespace

std::vector<tuner::CollectiveCell> alltoall_cells(std::span<const SampleSet> sets) {
  std::vector<tuner::CollectiveCell> cells;
  for (tuner::CollectiveCell& cell : tuner::collective_cells(sets)) {
    if (cell.operation != "alltoall") continue;
    if (!cells.empty() && cells.front().mpi != cell.mpi) break;
    cells.push_back(std::move(cell));
  }
  return cells;
}

AlltoallChoices::AlltoallChoices(std::vector<tuner::CollectiveCell> cells, Plan plan)
    : cells_(std::move(cells)), plan_(std::move(plan)) {}

std::optional<AlltoallChoice> AlltoallChoices::at(std::int64_t ranks, std::int64_t ranks_per_node,
                                                  std::uint64_t size_bytes) const {
  if (ranks % ranks_per_node != 0) return std::nullopt;
  const tuner::CollectiveShape shape{ranks / ranks_per_node, ranks_per_node};
  for (const CollectivesOnShape& here : collectives_on(shape, plan_, cells_)) {
    for (tuner::CollectiveCell& cell : nearest_first(here.cells, size_bytes)) {
      cell.size_bytes = size_bytes;  // the rules of this size, the times of that one
      const tuner::CollectiveTime* chosen = followed_time(here.rules, cell);
      const tuner::CollectiveTime* library = fastest_time(cell, true);
      if (chosen == nullptr || library == nullptr) continue;
      return AlltoallChoice{chosen->algorithm, library->median_ns / chosen->median_ns,
                            cell.gain_error.has_value(), cell.mpi};
    }
  }
  return std::nullopt;
}

}  // namespace nmt::tools
