// SPDX-License-Identifier: BSD-3-Clause
//
// The buffer of an MPI call as contiguous bytes: in place if its type is contiguous in memory, else
// packed into a copy. Ranks may describe equal data by different types, so no rank can leave a call
// alone because of its own type.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/mpi/unequal_blocks.h"

namespace nmt::collectives {

// Whether its elements follow each other in memory in the order of the type, without gaps.
bool is_dense(MPI_Datatype type);

class PackedBuffer {
 public:
  PackedBuffer(void* buffer, int count, MPI_Datatype type, MPI_Comm comm);

  std::byte* data() { return packed_.empty() ? static_cast<std::byte*>(buffer_) : packed_.data(); }
  void pack();                       // before data() is read: copies the buffer
  void unpack(std::uint64_t bytes);  // after `bytes` of data() were written

 private:
  template <class Call>
  void with_base(int count, Call&& call);

  void* buffer_;  // may be MPI_BOTTOM
  int count_;
  MPI_Datatype type_;
  MPI_Comm comm_;
  std::vector<std::byte> packed_;
};

// The same for one side of an MPI_Alltoallv, block by block.
class PackedBlocks {
 public:
  // No block is larger than an int of bytes.
  PackedBlocks(const UnequalBlocks& blocks, std::size_t ranks, MPI_Comm comm);

  // Where each rank's block begins.
  std::byte* const* places() const { return places_.data(); }
  void pack();
  void unpack(const std::vector<std::uint64_t>& sizes_bytes);  // by rank

 private:
  std::vector<PackedBuffer> packed_;  // empty: in place
  std::vector<std::byte*> places_;
};

}  // namespace nmt::collectives
