// SPDX-License-Identifier: BSD-3-Clause
//
// The rules file of Open MPI's coll/han, from 4.1 on: which component answers a collective over
// several nodes, by the size of the communicator and of the message
// (ompi/mca/coll/han/coll_han_dynamic_file.c):
// NCOL { COLID NLEVELS { LEVEL NCONFIGS { RANKS NSIZES { MSGSIZE COMPONENT } } } }, numbers with
// white space between, components by name, and comments from # to the end of a line.
//
// coll/han is asked first where its priority is above that of coll/tuned: from 5.0 on by itself, in
// 4.1 where these rules ask for it. For the level of the program's own communicator (2) a rule may
// hand a call on to coll/tuned, whose own rules then decide (stacks/openmpi_tuned_rules.h). Of
// RANKS and MSGSIZE the largest counts that is not above the call's; the first ones are 1 and 0.
// MSGSIZE counts the bytes of one rank.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stacks/collective_rules.h"

namespace nmt::stacks {

struct HanRule {
  std::uint64_t size_bytes = 0;  // from this size on
  std::string component;         // "han", "tuned"
  bool operator==(const HanRule&) const = default;
};
// By operation ("bcast", "barrier") and size of the communicator; both ascending in the file.
using HanRules = std::map<std::string, std::map<int, std::vector<HanRule>>>;

// Whether coll/han can hand calls over several nodes on to this component, besides coll/tuned.
bool is_han_alternative(std::string_view component);

// From cells that were measured where `usual`, coll/han or coll/tuned, chooses by default: another
// component where its own choice, or an algorithm of coll/tuned, is measurably faster. Between two
// sizes the rule changes at their geometric mean; communicators smaller than those measured, or
// twice as large, are left to the usual one, and so is all that was not measured. Empty where
// nothing is faster than coll/han, or, where coll/tuned is usual, coll/han nowhere.
HanRules han_rules_of(std::span<const RuledCell> cells, std::string_view usual);

// The same rules, as this version obeys them. Before 5.0, a process that hands an allreduce on to a
// component which has one of its own ends by SIGSEGV (open-mpi/ompi 8248, 10456), and
// MPI_Comm_split calls allreduce. There, what coll/tuned is to answer names coll/libnbc: it has
// none that blocks, so coll/han falls back on the component below itself, which is coll/tuned.
HanRules han_rules_for(HanRules rules, std::string_view version);

std::string write_han_rules(const HanRules& rules, std::string_view opening);

// Refuses what that version of Open MPI refuses, silently unless asked, what it would misread, and
// what would end its processes: Error(kFailed) "WHAT: line N: cause".
HanRules read_han_rules(std::string_view text, std::string_view what, std::string_view version);

}  // namespace nmt::stacks
