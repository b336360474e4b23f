// SPDX-License-Identifier: BSD-3-Clause
//
// Which pairs of nodes are measured at the same time: rounds in which no node is in two pairs.
//
// Pure. All pairs of N nodes make N - 1 rounds, or N if N is odd (the circle method: one node
// stays, the others rotate). The selection of pairs is the first ceil(log2 N) rounds, in which
// every node has about as many pairs: a slow node or a bad cable shows in each of its pairs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nmt::sampler {

struct NodePair {
  std::size_t near = 0;
  std::size_t far = 0;
  bool operator==(const NodePair&) const = default;
};
using Round = std::vector<NodePair>;

std::vector<Round> rounds_of_all_pairs(std::size_t nodes);
std::vector<Round> rounds_of_some_pairs(std::size_t nodes);

// These pairs in their order, each in the first round in which its nodes are free.
std::vector<Round> rounds_of(std::span<const NodePair> pairs);

}  // namespace nmt::sampler
