// SPDX-License-Identifier: BSD-3-Clause
//
// What comes out of MPI calls, told in lines that are the same wherever the calls are: each call's
// error class and what is in its buffers, on every rank. Run with and without libnmadtune-mpi.so in
// front, the lines must be the same.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace nmt::testing {

using Memory = std::vector<unsigned char>;

class Outcomes {
 public:
  Outcomes(std::string handler, MPI_Comm world);

  int rank() const { return rank_; }
  int size() const { return size_; }

  // A communicator of all ranks that handles errors as the program was told, on which nothing was
  // called,
  MPI_Comm untouched() const;
  // or each operation once.
  MPI_Comm fresh() const;

  // By all ranks, after a call: one line. `bytes` is what the call has left in its buffer.
  void tell(const std::string& what, int error, const Memory& bytes);
  // Rank 0 prints all lines: what, and of each rank the error class and a sum over the bytes.
  void print() const;

 private:
  std::string handler_;
  MPI_Comm world_;
  int rank_ = 0;
  int size_ = 0;
  std::string lines_;
};

// Every predefined operator by every predefined type (MPI standard 4.0, 6.9.2 to 6.9.4), or those
// only that the standard has.
void walk_over_operators(Outcomes& outcomes, bool only_valid);
// Types by every constructor, MPI_BOTTOM with absolute addresses (4.1 and 4.1.5).
void walk_over_types(Outcomes& outcomes);
// The most bytes that are replaced, or more than 2^31, in a few MiB of memory, but for what the MPI
// takes itself.
void walk_over_large_copies(Outcomes& outcomes, bool beyond);
void walk_over_large_reductions(Outcomes& outcomes, bool beyond);
// Bcasts of which the last rank expects more or less than the root gives.
void walk_over_other_counts(Outcomes& outcomes);
// Every argument that is wrong, on all ranks or on the last one only, but those `without`; each in
// a later call of its communicator or in the first.
void walk_over_errors(Outcomes& outcomes, bool on_all, bool in_first_calls,
                      const std::vector<std::string>& without);

}  // namespace nmt::testing
