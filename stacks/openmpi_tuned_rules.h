// SPDX-License-Identifier: BSD-3-Clause
//
// The rules file of Open MPI's coll/tuned in its classic grammar, which all versions of 4.x and 5.x
// read: NCOL { COLID NCOMSIZES { COMSIZE NMSGSIZES { MSGSIZE ALGORITHM FANINOUT SEGSIZE } } }.
// Integers are separated by white space; comments go from # to the end of the line
// (ompi/mca/coll/tuned/coll_tuned_dynamic_file.c).
//
// A communicator uses the entry with the largest COMSIZE that is not above its own size, or the
// first entry if all are above. Algorithm 0 is Open MPI's own choice. The first MSGSIZE of an entry
// is 0. MSGSIZE counts the bytes of all ranks together for alltoall and allgather, of one rank for
// the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::stacks {

struct TunedRule {
  std::uint64_t size_bytes = 0;  // from this size on, counted as in the file
  int algorithm = 0;
  int faninout = 0;
  std::uint64_t segment_bytes = 0;
  bool operator==(const TunedRule&) const = default;
};
// By operation ("bcast") and communicator size; both ascend in the file.
using TunedRules = std::map<std::string, std::map<int, std::vector<TunedRule>>>;

// Operations whose algorithms the library numbers, with their numbers in the file; names of
// algorithms in order of their numbers, 0 first. Later versions add algorithms at the end.
struct TunedOperation {
  std::string_view name;
  int id = 0;
  bool total = false;  // its sizes count the bytes of all ranks
  std::vector<std::string_view> algorithms;
  std::size_t before_5 = algorithms.size();  // how many of them 4.x has
};
const std::vector<TunedOperation>& tuned_operations();
const TunedOperation* find_tuned_operation(std::string_view name);
// Whether an algorithm divides a message into segments, so that their size matters.
bool takes_segments(std::string_view algorithm);
// How many of its algorithms, 0 among them, that version of Open MPI has.
std::size_t algorithms_in(const TunedOperation& operation, std::string_view version);

std::string write_tuned_rules(const TunedRules& rules, std::string_view opening);

// Refuses what Open MPI refuses (silently, unless it is asked), and what it would misread.
// `version`: the header "rule-file-version-2" and a fifth number are accepted only if that version
// reads them.
TunedRules read_tuned_rules(std::string_view text, std::string_view what, std::string_view version);

}  // namespace nmt::stacks
