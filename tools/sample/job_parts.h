// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a campaign in a job, and rank 0's orders to all ranks, as text that it broadcasts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sampler/sampler.h"

namespace nmt::tools {

enum class Part { kNode, kPairs, kMessages, kAlltoall, kCollectives };
std::string_view to_string(Part part);

// The parts in --parts, in the order in which they are measured; if empty, all but collectives.
// Error(kUsage) for any other word.
std::vector<Part> parts_from(const std::string& text);

// "4,8" of an option. Error(kUsage) for anything else.
std::vector<int> numbers_from(const std::string& option, const std::string& list);

struct JobOrder {
  bool end = false;  // the last order
  Part part = Part::kNode;
  bool flows = false;  // of kAlltoall: first the messages between nodes that show their switches
  double budget_ns = 0;
  std::uint64_t round = 0;  // a number that all measurements of one time share
  // For kPairs: how many ranks of each node measure at the same time.
  std::size_t ranks_per_node = 1;
  std::size_t in_full = 0;  // for kPairs: the pairs that measure all sizes; they are the first
  bool offload = false;  // for kPairs: also what handing work to another core costs on both nodes
  // That have work; for kPairs: so many of the near node, so many of the far one, and the next
  // pair.
  std::vector<int> ranks;
};
// The part that one rank has in an order for kPairs.
struct PlaceInPair {
  PlaceInPair(const JobOrder& order, std::size_t index);  // into order.ranks

  bool near = true;
  bool in_full = false;         // measures all sizes, not only the landmarks
  std::size_t rank = 0;         // among those of its node, of which the first leads
  int other = 0;                // the rank of the other node that it measures with
  std::vector<int> companions;  // of a leader; of the others: the leader
};
std::string to_text(const JobOrder& order);
JobOrder job_order_from(const std::string& text);  // text of to_text()

}  // namespace nmt::tools
