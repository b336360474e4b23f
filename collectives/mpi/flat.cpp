// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/flat.h"

#include <algorithm>

#include "collectives/mpi/team.h"

namespace nmt::collectives {

bool is_dense(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0, size = 0;
  MPI_Aint lower = 0, extent = 0;
  check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  if (combiner == MPI_COMBINER_NAMED) {
    check(PMPI_Type_size(type, &size));
    check(PMPI_Type_get_extent(type, &lower, &extent));
    return lower == 0 && size == extent;
  }
  if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) return false;
  int count[1] = {};
  MPI_Aint none[1] = {};
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  check(PMPI_Type_get_contents(type, integers, addresses, types, count, none, &inner));
  const bool dense = is_dense(inner);
  check(PMPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner));
  if (combiner != MPI_COMBINER_NAMED) check(PMPI_Type_free(&inner));
  return dense;
}

Flat::Flat(void* buffer, int count, MPI_Datatype type, MPI_Comm comm)
    : buffer_(buffer), count_(count), type_(type), comm_(comm) {
  if (is_dense(type)) return;
  int size = 0;
  check(PMPI_Pack_size(count, type, comm, &size));
  packed_.resize(static_cast<std::size_t>(size));
}

void Flat::pack() {
  int position = 0;
  if (packed_.empty()) return;
  check(PMPI_Pack(buffer_, count_, type_, packed_.data(), static_cast<int>(packed_.size()),
                  &position, comm_));
}

void Flat::unpack(std::uint64_t bytes) {
  int position = 0, element_bytes = 0;
  if (packed_.empty()) return;
  check(PMPI_Type_size(type_, &element_bytes));
  const int elements = static_cast<int>(bytes / static_cast<std::uint64_t>(element_bytes));
  check(PMPI_Unpack(packed_.data(), static_cast<int>(packed_.size()), &position, buffer_,
                    std::min(elements, count_), type_, comm_));
}

}  // namespace nmt::collectives
