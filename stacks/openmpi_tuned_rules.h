// SPDX-License-Identifier: BSD-3-Clause
//
// The rules file of Open MPI's coll/tuned in its classic grammar, which all of 4.x and 5.x read:
// NCOL { COLID NCOMSIZES { COMSIZE NMSGSIZES { MSGSIZE ALGORITHM FANINOUT SEGSIZE } } }, integers
// with white space between and comments from # to the end of a line
// (ompi/mca/coll/tuned/coll_tuned_dynamic_file.c).
//
// A communicator takes the entry of the largest COMSIZE that is not above its own size, but the
// first entry where all are above; algorithm 0 is Open MPI's own choice. The first MSGSIZE of an
// entry is 0. MSGSIZE counts the bytes of all ranks together for alltoall and allgather, of one for
// the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

struct TunedRule {
  std::uint64_t size_bytes = 0;  // as the file counts: from this size on
  int algorithm = 0;
  int faninout = 0;
  std::uint64_t segment_bytes = 0;
  bool operator==(const TunedRule&) const = default;
};
// By operation ("bcast") and size of the communicator; both ascending in the file.
using TunedRules = std::map<std::string, std::map<int, std::vector<TunedRule>>>;

// Operations whose algorithms the library numbers, with their numbers in the file; names of
// algorithms in order of their numbers, 0 first.
struct TunedOperation {
  std::string_view name;
  int id = 0;
  bool total = false;  // its sizes count all ranks
  std::vector<std::string_view> algorithms;
};
const std::vector<TunedOperation>& tuned_operations();
const TunedOperation* find_tuned_operation(std::string_view name);

std::string write_tuned_rules(const TunedRules& rules, std::string_view opening);

// Refuses what Open MPI refuses, silently unless asked, and what it would misread. `version`: the
// header "rule-file-version-2" and a fifth number only where that version reads them.
TunedRules read_tuned_rules(std::string_view text, std::string_view what, std::string_view version);

}  // namespace nmt
