// SPDX-License-Identifier: BSD-3-Clause
//
// A table by which MPICH chooses algorithms of collectives, as it reads one from a file
// (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE and its like): JSON objects in each other whose keys
// are tests, tried in order, down to "algorithm=FUNCTION": {} or "composition=FUNCTION": {}
// (src/mpi/coll/src/csel.c).
//
// A file replaces the whole table that MPICH has built in, and MPICH never goes back up: a call for
// which all tests of one level fail has no algorithm, and in the table of algorithms (leaves
// MPIR_...) that ends the program. So the reader refuses what is not complete. The tables of
// compositions (MPIDI_...) and of shared memory may leave calls to the former.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

struct SelectionNode;
using Selection = std::vector<SelectionNode>;

struct SelectionNode {
  std::string test;  // "comm_size<=8", without blanks; of a leaf "algorithm=..."
  Selection below;
  std::size_t line = 0;  // in its file; not compared

  bool is_leaf() const {
    return test.starts_with("algorithm=") || test.starts_with("composition=");
  }
  bool operator==(const SelectionNode& other) const;
};

// What a level with this one leaf is.
Selection leaf(std::string_view algorithm_or_composition);

// Error(kFailed) "WHAT: line N: cause" for what MPICH refuses, misreads, or has no algorithm for.
// `known`: the leaves that the library knows, as they stand in files; where it is empty, those that
// are named after their collective pass.
Selection read_selection(std::string_view text, std::string_view what,
                         const std::vector<std::string>& known = {});

std::string write_selection(const Selection& selection);

}  // namespace nmt
