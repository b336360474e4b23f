// SPDX-License-Identifier: BSD-3-Clause
//
// A table by which MPICH chooses algorithms of collectives, as it reads one from a file
// (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE and its like): JSON objects in each other whose keys
// are tests, tried in order, down to "algorithm=FUNCTION": {} or "composition=FUNCTION": {}
// (src/mpi/coll/src/csel.c). From MPICH 4.2 on some algorithms have parameters below them,
// "k=4": {} (src/mpi/coll/src/csel_container.c).
//
// A file replaces MPICH's whole built-in table, and MPICH never backtracks: if all tests of one
// level fail for a call, the call has no algorithm. In the table of algorithms (leaves MPIR_...)
// that ends the program, so the reader refuses an incomplete table. The tables of compositions
// (MPIDI_...) and of shared memory may leave calls to the former.
//
// MPICH reads a file with json-c, which takes // and /* */ for comments where JSON allows blanks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::stacks {

struct SelectionNode;
using Selection = std::vector<SelectionNode>;

struct SelectionNode {
  std::string test;      // "comm_size<=8", without blanks; of a leaf "algorithm=..."
  Selection below;       // of a leaf its parameters
  std::size_t line = 0;  // in its file; not compared

  bool is_leaf() const {
    return test.starts_with("algorithm=") || test.starts_with("composition=");
  }
  bool operator==(const SelectionNode& other) const;
};

// A level with this leaf only.
Selection leaf(std::string_view algorithm_or_composition);

// Error(kFailed) "WHAT: line N: cause" for text that MPICH refuses or misreads, or where a call has
// no algorithm. `known`: the leaves that the library has, as written in files; if empty, leaves
// named after their collective are accepted. `has_parameters`: the version that reads it knows
// parameters.
Selection read_selection(std::string_view text, std::string_view what,
                         const std::vector<std::string>& known = {}, bool has_parameters = true);

// Below `comments`, lines that begin with "//".
std::string write_selection(const Selection& selection, std::string_view comments = {});

}  // namespace nmt::stacks
