// SPDX-License-Identifier: BSD-3-Clause
//
// The rules of a snapshot about collectives, indexed when a profile is opened: by operation and
// MPI, then by shape. So a question costs about the same whether few shapes have rules or
// thousands.
#pragma once

#include <cstdint>
#include <vector>

#include "core/shape_index.h"
#include "include/nmadtune.h"
#include "runtime/snapshot.h"

namespace nmt::runtime {

class CollectiveRules {
 public:
  CollectiveRules() = default;
  explicit CollectiveRules(const View& view);

  // The first rule of `view` for this call; null: none. `view` is the one that was indexed. If the
  // call names no MPI, the rules of the MPI that was sampled last count: its rules come first.
  const SegmentRecord* find(const View& view, const nmt_collective_call& call) const;

 private:
  // All rules with one operation under one MPI, in their order.
  struct Group {
    TextOffset operation;
    TextOffset mpi;
    std::vector<std::uint32_t> rules;  // indices of View::segments
    ShapeIndex shapes;                 // of indices of `rules`
  };

  std::vector<Group> groups_;  // in the order of their first rules
};

}  // namespace nmt::runtime
