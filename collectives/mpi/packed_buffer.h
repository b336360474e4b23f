// SPDX-License-Identifier: BSD-3-Clause
//
// A buffer of an MPI call as bytes that lie together: where it is, if its type lies so in memory,
// else packed into a copy. Ranks may describe equal data by different types, so that none can leave
// a call alone for the sake of its own.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt::collectives {

// Whether elements of it follow each other in memory in the order of the type, without gaps.
bool is_dense(MPI_Datatype type);

class PackedBuffer {
 public:
  PackedBuffer(void* buffer, int count, MPI_Datatype type, MPI_Comm comm);

  std::byte* data() { return packed_.empty() ? static_cast<std::byte*>(buffer_) : packed_.data(); }
  void pack();                       // before data() is read: what the buffer holds
  void unpack(std::uint64_t bytes);  // after so many of data() were written: into the buffer

 private:
  template <class Call>
  void with_base(int count, Call&& call);

  void* buffer_;  // or MPI_BOTTOM
  int count_;
  MPI_Datatype type_;
  MPI_Comm comm_;
  std::vector<std::byte> packed_;
};

}  // namespace nmt::collectives
