// SPDX-License-Identifier: BSD-3-Clause
//
// Which rail carries how much of a message, so that the last chunk ends as early as possible
// (docs/method.md, "Split").
//
// Exact for any number of rails (runtime/split_solver.h). If rails were measured together, their
// curves under simultaneous use replace the others. Each set of rails then has its own curves, so
// every set is tried. The same is done if the smallest chunks of all rails exceed the message. With
// more than kTriedMax rails, the rails that get too little are dropped one after the other.
#pragma once

#include <span>

#include "include/nmadtune.h"
#include "runtime/snapshot.h"

namespace nmt::runtime {

// Not initialized: a decision has room for 64 and uses few.
struct SplitRail {
  std::uint32_t path;
  double release_ns;
  std::uint64_t bytes;     // result: its chunk,
  std::uint32_t left_out;  // or an nmt_left_out
  double end_ns;           // of the chunk
};

struct SplitAnswer {
  double end_ns = -1;  // negative: no rail was measured
  bool simultaneous = false;
};

inline constexpr std::size_t kTriedMax = 8;

// The rails are different, at most SplitSolver::kRailsMax. At most `chunks_max` of them may carry
// bytes: if more do, the rails with the fewest bytes are dropped first. Does not use the pair
// tables, because they are computed with it.
SplitAnswer split_exactly(const View& view, std::uint64_t size_bytes, std::span<SplitRail> rails,
                          std::size_t chunks_max = SIZE_MAX);

// Why a rail carries nothing of a message that ends at `end_ns`.
inline std::uint32_t left_out_reason(const View& view, const SplitRail& rail, double end_ns) {
  const PathBlock& block = view.paths[rail.path];
  if (rail.release_ns >= end_ns) return NMT_LEFT_BUSY;
  // It carries nothing before its first piece.
  const double started_ns = rail.release_ns + static_cast<double>(block.inverse.start(1));
  const std::uint32_t later = block.companions > 0 ? NMT_LEFT_TOGETHER : NMT_LEFT_SMALL;
  return started_ns >= end_ns ? std::uint32_t{NMT_LEFT_SLOW} : later;
}

// The table of two paths of one gate, or null. `in_order`: whether `a` is its first rail.
inline const PairTable* pair_table(const View& view, std::uint32_t a, std::uint32_t b,
                                   bool* in_order) {
  const PathBlock& path_a = view.paths[a];
  const PathBlock& path_b = view.paths[b];
  if (path_a.gate != path_b.gate || path_a.gate == PathBlock::kNone) return nullptr;
  if (path_a.gate_place == path_b.gate_place) return nullptr;
  *in_order = path_a.gate_place < path_b.gate_place;
  const PathBlock& high = *in_order ? path_b : path_a;
  const PathBlock& low = *in_order ? path_a : path_b;
  const std::uint64_t place = high.gate_place;
  const PairTable& table = view.pairs[high.gate_pairs + place * (place - 1) / 2 + low.gate_place];
  return table.pieces > 0 ? &table : nullptr;
}

// The path measured for `path` while most of `others` were busy; `path` itself if there is none.
std::uint32_t companion(const View& view, std::uint32_t path,
                        std::span<const std::uint32_t> others);

}  // namespace nmt::runtime
