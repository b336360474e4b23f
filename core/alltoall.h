// SPDX-License-Identifier: BSD-3-Clause
//
// How long an alltoall between n ranks takes according to a contention signature
// (core/signature.h), with half of its 95 % interval. Times are in nanoseconds.
//
// nmad-tune and a running program call the same functions, so both get the same answer. Nothing
// here throws or allocates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/signature.h"

namespace nmt {

// Gamma at a number of ranks, divided by gamma at `last` ranks, on a curve n / (n + h) that grows
// there with the exponent `growth`: it ends at 1 / (1 - growth).
double saturating_rise(double growth, std::int64_t last, std::int64_t ranks);

// Gamma at a number of ranks, divided by gamma at the largest number in `rises`. Between two fitted
// numbers it is a power of their ratio. Below the first it continues as between the first two;
// beyond the last it grows with the exponent `growth`, or as saturating_rise() where it
// `saturates`.
double rise_at(std::span<const Rise> rises, double growth, bool saturates, std::int64_t ranks);

// p (n - p): the messages that leave a node one after the other.
double messages_of(std::int64_t ranks, std::int64_t ranks_per_node);

// The question that time_of() answers.
struct Alltoall {
  std::int64_t ranks = 0;
  double bound_ns = 0;        // lower bound of the duration
  double large_messages = 0;  // of the busiest rank: those that delta applies to
  // Measured ratios are those at this size. Where sizes differ: of the message in which a byte is,
  // on average over all bytes; so sizes that hardly differ are predicted hardly differently.
  std::uint64_t size_bytes = 0;
};
// The same size to every rank; `ranks` is more than one node has.
Alltoall equal_alltoall(const Signature& signature, std::int64_t ranks, std::uint64_t size_bytes);

struct AlltoallDuration {
  double duration_ns = 0;
  // Half of the 95 % interval, as the logarithm of a factor up or down; nullopt where it is
  // unknown. A half wider than kGuess means a factor of 2: such a value is a guess, and no caller
  // should print or return it.
  std::optional<double> half_interval;
};
inline constexpr double kGuess = 0.6931;  // ln 2
AlltoallDuration time_of(const Signature& signature, const Alltoall& exchange);

// Two gammas can be compared where the uncertainty of their difference is at most this.
inline constexpr double kTellable = 0.1;

// Whether all sizes keep their measured ratios to the bound, in place of gamma and delta.
bool predicts_by_ratios(const Signature& signature);

// The smallest size that the signature covers, small messages included.
std::uint64_t least_bytes_of(const Signature& signature);

}  // namespace nmt
