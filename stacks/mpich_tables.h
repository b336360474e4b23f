// SPDX-License-Identifier: BSD-3-Clause
//
// MPICH's own tables for collectives, with measured cells in place of its constants.
//
// A file replaces a whole table. So each begins as a copy of the table that the installed library
// contains as text, and what was not measured stays unchanged: the result is always complete. A
// rule is for communicators of the measured shape (one node, several ranks on each of several
// nodes, or one rank per node) with at least the measured number of ranks, and fewer than twice the
// largest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stacks/collective_rules.h"
#include "stacks/mpich_algorithms.h"

namespace nmt::stacks {

struct MpichTables {
  Selection algorithms;            // MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
  Selection compositions;          // MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE
  std::vector<std::string> known;  // leaves that the library accepts
};

// From the bytes of a libmpich.so or libmpi.so; nullopt if it contains no table that this can read.
std::optional<MpichTables> find_mpich_tables(std::string_view library);

// Where cells name another way than the library's own choice, and the library has it.
MpichTables with_rules(const MpichTables& tables, std::span<const RuledCell> cells);

// Tables for trying all ways in one job, which reads its tables only once: the size of a message
// selects the way. Messages of (n - 1 - i) steps below a size use the i-th of n ways.
inline constexpr std::uint64_t kTrialStepBytes = 4;  // reductions add floats
struct MpichTrial {
  std::string operation;
  std::vector<std::string> ways;           // the library's own choice first
  std::vector<std::uint64_t> sizes_bytes;  // ascending, of one rank
};
// `ranks`: sizes of the communicators that try them, ascending.
MpichTables with_trials(const MpichTables& tables, std::span<const MpichTrial> trials,
                        std::span<const int> ranks);

}  // namespace nmt::stacks
