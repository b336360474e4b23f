// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of how two idle rails share a message, made by asking the solver.
//
// Between the right sizes the solver's answer is linear. These are found by looking: at the sizes
// where either rail's curve bends, then wherever the middle of a piece is not on the line, or the
// choice of rails changes. So a table says what the solver says, smallest chunks and measurements
// of simultaneous use included.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/snapshot.h"

namespace nmt {

inline constexpr std::size_t kGatePathsMax = 16;  // beyond that the solver decides

// Of each gate, its paths by place: tables for places (1,0), (2,0), (2,1), (3,0) ... one gate after
// the other. The view needs paths and companions only.
std::vector<PairTable> make_pair_tables(const View& view,
                                        const std::vector<std::vector<std::uint32_t>>& gates);

}  // namespace nmt
