// SPDX-License-Identifier: BSD-3-Clause
//
// The ways in which MPICH (ch4) can run a collective, and what each requires.
//
// Two tables decide, one after the other. The table of compositions decides whether an operation
// goes by nodes (over the first ranks of all nodes, and within each node) or over all ranks. Then
// the table of algorithms decides, for each communicator that the composition calls. So a way is
// one of
//   "binomial"        over all ranks by that algorithm,
//   "nodes"           by nodes, with algorithms that MPICH chooses,
//   "nodes+binomial"  by nodes, and over the first ranks of all nodes by that algorithm.
// Names are those of MPIR_CVAR_BCAST_INTRA_ALGORITHM and its like; functions those of
// src/mpi/coll and src/mpid/ch4. From 4.2 on some algorithms take parameters (a radix, a kind of
// tree, the length of a segment); each choice of them that is sampled is an algorithm here, whose
// name holds what differs ("recexch:k=4"). The library itself says which algorithms it has
// (MpichTables::known).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stacks/mpich_selection.h"

namespace nmt::stacks {

struct MpichAlgorithm {
  std::string_view name;
  std::string_view function;  // "MPIR_Bcast_intra_binomial"
  // It ends the program, or has none of its own, unless:
  bool power_of_two = false;         // ranks are
  bool commutative = false;          // the operation of a reduction is
  bool enough = false;               // that one is MPI's own, on at least an element for each rank
  bool by_nodes = false;             // it goes by nodes itself
  std::string_view parameters = {};  // "k=4 single_phase_recv=0", all that it has
};

struct MpichOperation {
  std::string_view name;
  bool total = false;         // its table counts the bytes of all ranks together
  bool in_place = false;      // sends from the receive buffer; has other algorithms
  std::string_view over_all;  // compositions; empty: there is only one
  std::string_view over_nodes;
  bool nodes_commutative = false;
  std::vector<MpichAlgorithm> algorithms;
};
const std::vector<MpichOperation>& mpich_operations();
const MpichOperation* find_mpich_operation(std::string_view name);

// A way by its name; nullopt for MPICH's own choice, or an unknown name.
struct MpichWay {
  bool by_nodes = false;
  const MpichAlgorithm* algorithm = nullptr;  // null: MPICH chooses
};
std::optional<MpichWay> find_mpich_way(const MpichOperation& operation, std::string_view name);

// All ways, MPICH's own choice ("default") first.
std::vector<std::string> mpich_ways(const MpichOperation& operation);
// Whether a library with these leaves has what a way names.
bool has_way(const MpichOperation& operation, std::string_view way,
             const std::vector<std::string>& known);
// Whether so many ranks can take it; `several_per_node` for what goes by nodes.
bool is_possible(const MpichOperation& operation, std::string_view way, int ranks,
                 bool several_per_node);

// The entry of each table for a way. `otherwise`, the previous entry, stays for calls that the way
// cannot serve, because such a call would end the program.
Selection composition_of(const MpichOperation& operation, const MpichWay& way,
                         const Selection& otherwise);
Selection algorithm_of(const MpichOperation& operation, const MpichAlgorithm& algorithm,
                       const Selection& otherwise);

}  // namespace nmt::stacks
