// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of how two idle rails share a message, computed with the solver.
//
// Between certain sizes the solver's answer is linear. The search starts with the sizes at which
// the curve of one of the rails bends. It adds a size wherever the middle of a piece is not on the
// line, or where the choice of rails changes. So a table gives the solver's answer, including
// smallest chunks and measurements of simultaneous use.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/snapshot.h"

namespace nmt::runtime {

inline constexpr std::size_t kGatePathsMax = 16;  // with more paths, the solver decides

// `gates`: the paths of each gate, by place. Returns tables for places (1,0), (2,0), (2,1), (3,0)
// ..., one gate after the other. The view needs only paths and companions.
std::vector<PairTable> make_pair_tables(const View& view,
                                        const std::vector<std::vector<std::uint32_t>>& gates);

}  // namespace nmt::runtime
