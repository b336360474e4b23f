// SPDX-License-Identifier: BSD-3-Clause
//
// Which alltoalls to measure next, from those that were measured: what is known least. Pure.
//
// What is predicted between two numbers of ranks, or two sizes, is interpolated from how many times
// their bound exchanges take there. Where that multiple differs between neighbours, one more in
// their middle is worth its time: near the size where a start-up sets in, and below the number of
// ranks that saturates the network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

// An alltoall's duration over that of its messages one after the other.
struct BoundMultiple {
  std::string algorithm;
  int ranks = 0;
  std::uint64_t size_bytes = 0;
  double of_bound = 0;
  double relative_half_width = 0;  // half of its 95 % interval, relative
};

// One of both; 0: that stays as it is.
struct NextAlltoall {
  int ranks = 0;
  std::uint64_t size_bytes = 0;
  bool operator==(const NextAlltoall&) const = default;
};

// In the middle of neighbours, on the logarithmic axis, of those that differ most first; whole
// nodes of `ranks_per_node`. Nothing where they differ by less than a fit tells apart beyond their
// doubt (a jump by chance is no reason to look closer), or nothing is between them. Two nodes alone
// have the network for themselves: their multiple is 1.
struct Open {  // for more of them
  bool ranks = true;
  bool sizes = true;
};
std::vector<NextAlltoall> least_known(const std::vector<BoundMultiple>& measured,
                                      int ranks_per_node, Open open);

}  // namespace nmt
