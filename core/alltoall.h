// SPDX-License-Identifier: BSD-3-Clause
//
// How long an exchange between n ranks takes by a contention signature (core/signature.h), with
// half of its interval.
//
// One evaluation for what is printed and for what a running program asks: nothing here throws or
// allocates. Times in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/signature.h"

namespace nmt {

// Gamma at a number of ranks, over that at the largest of `rises`: between two of them a power of
// their ratio, below the first as between the first two, beyond the last with `growth`.
double rise_at(std::span<const Rise> rises, double growth, std::int64_t ranks);

// p (n - p): the messages that leave a node, one after the other.
double messages_of(std::int64_t ranks, std::int64_t ranks_per_node);

// What is asked of a signature.
struct Alltoall {
  std::int64_t ranks = 0;
  double bound_ns = 0;            // at least
  double large_messages = 0;      // of the busiest rank: that delta is for
  std::uint64_t equal_bytes = 0;  // to each rank; 0: sizes differ, and no measured ratio serves
};
// The same size to every rank; more ranks than on one node.
Alltoall equal_alltoall(const Signature& signature, std::int64_t ranks, std::uint64_t size_bytes);

struct AlltoallDuration {
  double duration_ns = 0;
  // Half of the 95 % interval, as the logarithm of a factor up or down; nullopt where nothing is
  // known. Wider than the value itself (kGuess) it is a guess, which nobody should be given.
  std::optional<double> half_interval;
};
inline constexpr double kGuess = 0.6931;  // ln 2
AlltoallDuration time_of(const Signature& signature, const Alltoall& exchange);

// Two gammas are told apart, or shown to be one, where their difference is known to this.
inline constexpr double kTellable = 0.1;

// The least size that a signature speaks of, small messages included.
std::uint64_t least_bytes_of(const Signature& signature);

}  // namespace nmt
