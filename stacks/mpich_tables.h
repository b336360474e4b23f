// SPDX-License-Identifier: BSD-3-Clause
//
// MPICH's own tables for collectives with measured cells in the place of its constants.
//
// A file replaces a whole table, so each begins as a copy of that which the installed library
// itself holds as text, and what was not measured stays as it was: complete by construction. A
// rule is for communicators of the measured shape (on one node, several ranks on each of several,
// one on each) with at least as many ranks as were measured, and fewer than twice the most.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stacks/collective_rules.h"
#include "stacks/mpich_algorithms.h"

namespace nmt {

struct MpichTables {
  Selection algorithms;            // MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
  Selection compositions;          // MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE
  std::vector<std::string> known;  // leaves that the library takes
};

// Out of the bytes of a libmpich.so or libmpi.so; nullopt where it holds none that this reads.
std::optional<MpichTables> find_mpich_tables(std::string_view library);

// Where cells name another way than the library's own choice.
MpichTables with_rules(const MpichTables& tables, std::span<const RuledCell> cells);

// For trying ways in one job, whose tables are read once: the size of a message says which. The
// i-th of n ways is taken by messages of (n - 1 - i) steps below each size.
inline constexpr std::uint64_t kTrialStepBytes = 4;  // reductions add floats
struct MpichTrial {
  std::string operation;
  std::vector<std::string> ways;           // the library's own choice first
  std::vector<std::uint64_t> sizes_bytes;  // ascending, of one rank
};
// `ranks`: of the communicators that try them, ascending.
MpichTables with_trials(const MpichTables& tables, std::span<const MpichTrial> trials,
                        std::span<const int> ranks);

}  // namespace nmt
