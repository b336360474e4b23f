// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a job in which its ranks run collectives as a smaller job would: so many nodes, with so
// many ranks on each. The model for other shapes (tuner/collective_model.h) is fitted to them.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sampler/job/executor.h"

namespace nmt::sampler {

struct SubShape {
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  auto operator<=>(const SubShape&) const = default;
};
std::string to_string(const SubShape& shape);             // "2x4"
std::string to_string(std::span<const SubShape> shapes);  // "2x4, 4x1"

// All nodes. Where they have unequal numbers of ranks: as many on each as the emptiest has.
SubShape largest_shape(const JobShape& job);

// The shapes in --shapes. "own": the largest. "all": each of all nodes, half of them, two and one,
// with each of all ranks per node, half of them and one, on one node a quarter of them (at least 2)
// instead of one; the largest first, none of a single rank. Else a list such as "2x4,4x1".
// Error(kUsage) for what is none, or larger than the job.
std::vector<SubShape> shapes_from(const std::string& text, const JobShape& job);

// Orders them: each next one is the farthest from those before it and from the known ones, in
// octaves of nodes and of ranks per node. Equally far ones keep their order.
std::vector<SubShape> least_known_first(std::vector<SubShape> shapes, std::vector<SubShape> known);

// In ascending order; rank 0 is one of them.
std::vector<int> ranks_of(const SubShape& shape, const JobShape& job);

}  // namespace nmt::sampler
