// SPDX-License-Identifier: BSD-3-Clause
//
// Other ways to split a message over rails than the one that ends first, for comparison: the whole
// message over each rail, equal parts, and the papers' two.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/tune/advice.h"

namespace nmt::tools {

// A way to split the message, and when its last part would end by the curves of each rail alone.
struct SplitWay {
  std::string name;
  std::vector<double> chunks_bytes;  // one per rail
  double end_ns = 0;
};

// `names` and `shares` are those of the same rails. Empty if a rail was not measured.
std::vector<SplitWay> other_ways(const Advice& advice, const std::vector<std::string>& names,
                                 std::span<const nmt_share> shares, double size_bytes);

}  // namespace nmt::tools
