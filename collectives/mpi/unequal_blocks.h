// SPDX-License-Identifier: BSD-3-Clause
//
// A block for each rank, as MPI_Alltoallv, MPI_Allgatherv and MPI_Reduce_scatter describe them: by
// counts and displacements that are int, or large (MPI_Alltoallv_c). Both classes only point to the
// caller's arrays.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <type_traits>

namespace nmt::collectives {

// Numbers of elements by rank, as int or as MPI_Count.
class Counts {
 public:
  template <class Count>
  explicit Counts(const Count* counts) : counts_(counts), large_(!std::is_same_v<Count, int>) {}

  bool are_there() const { return counts_ != nullptr; }
  bool are_large() const { return large_; }
  MPI_Count operator[](std::size_t rank) const {
    if (large_) return static_cast<const MPI_Count*>(counts_)[rank];
    return static_cast<const int*>(counts_)[rank];
  }

 private:
  const void* counts_;
  bool large_;
};

class UnequalBlocks {
 public:
  template <class Count, class Place>
  UnequalBlocks(const void* buffer, const Count* counts, const Place* places, MPI_Datatype type)
      : buffer_(buffer), counts_(counts), places_(places), type_(type) {}

  const void* buffer() const { return buffer_; }
  MPI_Datatype type() const { return type_; }
  const Counts& counts() const { return counts_; }
  bool have_arrays() const { return counts_.are_there() && places_ != nullptr; }
  bool are_large() const { return counts_.are_large(); }
  MPI_Count count(std::size_t rank) const { return counts_[rank]; }
  // In extents of the type, from the buffer.
  MPI_Aint place(std::size_t rank) const {
    if (are_large()) return static_cast<const MPI_Aint*>(places_)[rank];
    return static_cast<const int*>(places_)[rank];
  }

 private:
  const void* buffer_;  // may be MPI_IN_PLACE; then the rest has no meaning
  Counts counts_;
  const void* places_;
  MPI_Datatype type_;
};

}  // namespace nmt::collectives
