// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a campaign in a job, and what rank 0 has all ranks do next, as text that it
// broadcasts.
#pragma once

#include <string>
#include <vector>

#include "sampler/sampler.h"

namespace nmt {

enum class Part { kNode, kPairs, kMessages, kAlltoall, kCollectives };
std::string_view to_string(Part part);

// Of --parts, in the order in which they are measured; all but collectives
// where it is empty. Error(kUsage) for any
// other word.
std::vector<Part> parts_from(const std::string& text);

struct JobOrder {
  bool end = false;  // nothing more
  Part part = Part::kNode;
  double budget_ns = 0;
  std::vector<int> ranks;  // that have work; of kPairs: near, far, near, far ...
};
std::string to_text(const JobOrder& order);
JobOrder job_order_from(const std::string& text);  // what to_text() wrote

}  // namespace nmt
