// SPDX-License-Identifier: BSD-3-Clause
//
// What the checks of our collectives against the library's own share, and those that are files of
// their own: exchanges between all ranks (against_library_exchanges.cpp), and who sends to whom
// (against_library_messages.cpp).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/mpi/hierarchy/node_hierarchy.h"
#include "tests/collectives/elements.h"

namespace nmt::testing {

inline constexpr std::uint64_t kSegmentBytes = 1000;
inline constexpr std::uint64_t kLargeBytes = 300'000, kLargeSegmentBytes = 64'000;

inline bool full = false;  // --full
inline long checks = 0;    // of this rank
inline int failures = 0;

struct Tested {
  collectives::NodeHierarchy& hierarchy;
  MPI_Comm comm;
  std::string name;

  void expect(bool same, const std::string& what) const;
};

Bytes noise(std::uint64_t bytes, int seed);

using Sizes = std::vector<std::uint64_t>;
Sizes sizes_around_a_segment(std::uint64_t element_bytes);
Sizes sizes(std::uint64_t element_bytes = 1);
std::uint64_t segment_of(std::uint64_t bytes);

void check_alltoall(const Tested& tested);
void check_alltoallv(const Tested& tested);
void check_exchanges_of_many_segments(const Tested& tested);

void check_who_sends_to_whom(MPI_Comm comm, collectives::CopyMethod copies);
void check_physical_order(MPI_Comm comm, collectives::CopyMethod copies);

}  // namespace nmt::testing
