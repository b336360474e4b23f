// SPDX-License-Identifier: BSD-3-Clause
//
// One side of an MPI_Alltoallv: a block for each rank, by counts and displacements that are int, or
// large (MPI_Alltoallv_c). It only refers to them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <type_traits>

namespace nmt::collectives {

class UnequalBlocks {
 public:
  template <class Count, class Place>
  UnequalBlocks(const void* buffer, const Count* counts, const Place* places, MPI_Datatype type)
      : buffer_(buffer),
        counts_(counts),
        places_(places),
        type_(type),
        large_(!std::is_same_v<Count, int>) {}

  const void* buffer() const { return buffer_; }
  MPI_Datatype type() const { return type_; }
  bool have_arrays() const { return counts_ != nullptr && places_ != nullptr; }
  bool are_large() const { return large_; }
  MPI_Count count(std::size_t rank) const { return at<int, MPI_Count>(counts_, rank); }
  // In extents of the type, from the buffer.
  MPI_Aint place(std::size_t rank) const { return at<int, MPI_Aint>(places_, rank); }

 private:
  template <class Small, class Large>
  Large at(const void* values, std::size_t rank) const {
    if (large_) return static_cast<const Large*>(values)[rank];
    return static_cast<const Small*>(values)[rank];
  }

  const void* buffer_;  // may be MPI_IN_PLACE; then the rest has no meaning
  const void* counts_;
  const void* places_;
  MPI_Datatype type_;
  bool large_;
};

}  // namespace nmt::collectives
