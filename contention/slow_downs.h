// SPDX-License-Identifier: BSD-3-Clause
//
// By how much flows between nodes are slowed by those beside them, as logarithms.
//
// Private. A flow is compared with messages alone: with the slower of what its two nodes do alone,
// so that a slow node is no group of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "contention/groups.h"

namespace nmt::contention {

struct PairMean {
  double mean = 0;   // median of its flows' logarithms
  double count = 0;  // of flows
};

// Symmetric: a flow counts for its pair of nodes, whichever way it went.
class PairMatrix {
 public:
  explicit PairMatrix(std::size_t nodes) : nodes_(nodes), pairs_(nodes * nodes) {}
  std::size_t nodes() const { return nodes_; }
  const PairMean& at(std::size_t i, std::size_t j) const { return pairs_[i * nodes_ + j]; }
  void set(std::size_t i, std::size_t j, const PairMean& pair) {
    pairs_[i * nodes_ + j] = pairs_[j * nodes_ + i] = pair;
  }

 private:
  std::size_t nodes_;
  std::vector<PairMean> pairs_;
};

class SlowDowns {
 public:
  // Throws Error(kUsage) for flows that cannot be.
  SlowDowns(std::span<const FlowTime> flows, std::size_t nodes);

  enum Part { kFirstHalf, kSecondHalf, kAll };  // of each pair's flows, one and the next in turn
  PairMatrix matrix(Part part) const;

  // The speed of these groups' uplinks for which the flows between groups are slowed as they are,
  // each by as many as share its uplink. nullopt if one slow-down for all of them says as much.
  std::optional<MeasuredUplink> uplink(const std::vector<std::vector<std::size_t>>& groups) const;

 private:
  struct Flow {
    std::uint32_t round = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    double slow_down = 0;  // logarithm
  };
  std::size_t nodes_;
  std::vector<Flow> flows_;  // those beside others, by round
};

// The group of each node.
std::vector<std::size_t> places_of(const std::vector<std::vector<std::size_t>>& groups,
                                   std::size_t nodes);

}  // namespace nmt::contention
