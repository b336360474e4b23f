// SPDX-License-Identifier: BSD-3-Clause
//
// Which algorithm of a library wins at each size of each collective, by what was sampled.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "stacks/times.h"

namespace nmt::stacks {

struct Winner {
  std::string algorithm;  // kOwnChoice if none is measurably better
  std::int64_t segment_bytes = 0;
  Ratio gain;
  double best_gain = 1;  // of the fastest algorithm, even if by chance
  std::int64_t ranks_per_node = 0;
  std::string mpi;
  double component_gain = 1;  // of the faster of coll/tuned and coll/han
};
using Winners = std::map<std::uint64_t, Winner>;  // by size of one rank

// One operation on one number of ranks.
using RuledOperation = std::pair<std::string, std::int64_t>;

// The segment of coll/han for each operation, where it is asked first and another segment than its
// own is measurably faster and nowhere slower: it has one for all sizes.
using Segments = std::map<std::string, std::int64_t>;
Segments han_segments_in(const StackSamples& samples);

// Against the library's own choice. Of the segments of coll/han, only these compete.
std::map<RuledOperation, Winners> winners_of(const StackSamples& samples, const Segments& segments);

bool has_rule(const Winners& winners);  // at any size
void leave_to_library(Winner* winner);

}  // namespace nmt::stacks
