// SPDX-License-Identifier: BSD-3-Clause
//
// The ways that MPICH (ch4) has for a collective, and what each needs to be called at all.
//
// Two tables decide, one after the other: that of compositions, whether an operation goes by nodes
// (over the first ranks of all nodes, and within each) or over all ranks as they are; then that of
// algorithms, for each communicator that the composition calls. So a way is one of
//   "binomial"        over all ranks by that algorithm,
//   "nodes"           by nodes, algorithms as MPICH chooses them,
//   "nodes+binomial"  by nodes, and over the first ranks of all nodes by that algorithm.
// Names are those of MPIR_CVAR_BCAST_INTRA_ALGORITHM and its like; functions those of
// src/mpi/coll and src/mpid/ch4.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stacks/mpich_selection.h"

namespace nmt {

struct MpichAlgorithm {
  std::string_view name;
  std::string_view function;  // "MPIR_Bcast_intra_binomial"
  // It ends the program, or has none of its own, unless:
  bool power_of_two = false;  // ranks are
  bool commutative = false;   // the operation of a reduction is
  bool enough = false;        // that one is MPI's own, on at least an element for each rank
  bool by_nodes = false;      // it goes by nodes itself
};

struct MpichOperation {
  std::string_view name;
  bool total = false;         // its table counts bytes of all ranks together
  bool in_place = false;      // sent from where it is received to, other algorithms are for it
  std::string_view over_all;  // compositions; empty: it has but one
  std::string_view over_nodes;
  bool nodes_commutative = false;
  std::vector<MpichAlgorithm> algorithms;
};
const std::vector<MpichOperation>& mpich_operations();
const MpichOperation* find_mpich_operation(std::string_view name);

// A way by its name; nullopt where it is MPICH's own choice, or not known.
struct MpichWay {
  bool by_nodes = false;
  const MpichAlgorithm* algorithm = nullptr;  // null: as MPICH chooses
};
std::optional<MpichWay> find_mpich_way(const MpichOperation& operation, std::string_view name);

// All ways, MPICH's own choice ("default") first.
std::vector<std::string> mpich_ways(const MpichOperation& operation);
// Whether so many ranks can take it; `several_per_node` for what goes by nodes.
bool is_possible(const MpichOperation& operation, std::string_view way, int ranks,
                 bool several_per_node);

// What stands in each of the tables for a way; `otherwise`, what stood there, for calls that it
// cannot serve, which end the program.
Selection composition_of(const MpichOperation& operation, const MpichWay& way,
                         const Selection& otherwise);
Selection algorithm_of(const MpichOperation& operation, const MpichAlgorithm& algorithm,
                       const Selection& otherwise);

}  // namespace nmt
