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

struct JobOrder {
  bool end = false;  // the last order
  Part part = Part::kNode;
  bool flows = false;  // of kAlltoall: first the messages between nodes that show their switches
  double budget_ns = 0;
  std::uint64_t round = 0;  // a number that all measurements of one time share
  std::vector<int> ranks;   // that have work; for kPairs: near, far, near, far ...
};
std::string to_text(const JobOrder& order);
JobOrder job_order_from(const std::string& text);  // text of to_text()

}  // namespace nmt::tools
