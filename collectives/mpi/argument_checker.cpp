// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/argument_checker.h"

#include <algorithm>
#include <climits>
#include <cstdint>

#include "collectives/mpi/node_hierarchy.h"

namespace nmt::collectives {
namespace {

// Types that the program did not make are committed.
bool is_named(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

// Buffers that may be wrong; an MPI cannot find an error in any other.
bool are_doubtful(const void* send, const void* receive) {
  return send == nullptr || receive == nullptr || receive == MPI_IN_PLACE || send == receive;
}

}  // namespace

void ArgumentChecker::start() {
  check(PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &alone_));  // a duplicate would copy attributes
  check(PMPI_Comm_set_errhandler(alone_, MPI_ERRORS_RETURN));
}

// With no elements, so the MPI reads and writes nothing.
int ArgumentChecker::check_operator(MPI_Datatype type, MPI_Op op) const {
  char from = 0, to = 0;
  return PMPI_Allreduce(&from, &to, 0, type, op, alone_);
}

int ArgumentChecker::check_root(int root, int ranks) const {
  char none = 0;
  const bool is_rank = root >= 0 && root < ranks;
  return PMPI_Bcast(&none, 1, MPI_BYTE, is_rank ? 0 : root, alone_);
}

int ArgumentChecker::check_bcast(void* buffer, int count, MPI_Datatype type, int root,
                                 int ranks) const {
  if (root < 0 || root >= ranks) return check_root(root, ranks);
  if (buffer != nullptr && buffer != MPI_IN_PLACE && is_named(type)) return MPI_SUCCESS;
  return PMPI_Bcast(buffer, count, type, 0, alone_);
}

// The receive arguments count only at the root. A Bcast accepts what a Reduce sends, except
// MPI_IN_PLACE, which is wrong here and which no MPI detects.
int ArgumentChecker::check_reduce(const void* send, void* receive, int count, MPI_Datatype type,
                                  MPI_Op op, int root, int rank, int ranks) const {
  if (root < 0 || root >= ranks) return check_root(root, ranks);
  if (rank != root && send == MPI_IN_PLACE) return MPI_SUCCESS;
  if (rank != root) return check_bcast(const_cast<void*>(send), count, type, 0, ranks);
  if (!are_doubtful(send, receive)) return MPI_SUCCESS;
  return PMPI_Reduce(send, receive, count, type, op, 0, alone_);
}

int ArgumentChecker::check_allreduce(const void* send, void* receive, int count, MPI_Datatype type,
                                     MPI_Op op) const {
  if (!are_doubtful(send, receive)) return MPI_SUCCESS;
  return PMPI_Allreduce(send, receive, count, type, op, alone_);
}

// The own block always goes to its own place.
int ArgumentChecker::check_allgather(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                     void* receive, int count, MPI_Datatype type, int rank) const {
  MPI_Aint lower = 0, extent = 0;
  int bytes = 0, send_bytes = 0;
  int code = PMPI_Type_get_extent(type, &lower, &extent);
  if (code != MPI_SUCCESS) return code;
  if (send != MPI_IN_PLACE && (send_count < 0 || send_type == MPI_DATATYPE_NULL)) {
    const int none_or_less = send_count < 0 ? -1 : 0;
    return PMPI_Allgather(send, none_or_less, send_type, receive, count, type, alone_);
  }
  void* own = reinterpret_cast<void*>(reinterpret_cast<MPI_Aint>(receive) +
                                      extent * MPI_Aint{rank} * MPI_Aint{count});
  if (receive == MPI_IN_PLACE) own = receive;
  if (!are_doubtful(send, own) && receive != nullptr && is_named(type) &&
      (send == MPI_IN_PLACE || is_named(send_type))) {
    return MPI_SUCCESS;
  }
  if (send == MPI_IN_PLACE && receive == MPI_IN_PLACE) {
    return PMPI_Allgather(send, 0, type, receive, count, type, alone_);
  }
  if (send == MPI_IN_PLACE) return check_bcast(receive, count, type, 0, 1);
  if (receive == nullptr) {  // on other ranks than 0 the own block is not here
    code = check_bcast(receive, count, type, 0, 1);
    if (code != MPI_SUCCESS) return code;
  }
  code = PMPI_Type_size(type, &bytes);
  if (code == MPI_SUCCESS) code = PMPI_Type_size(send_type, &send_bytes);
  if (code != MPI_SUCCESS || send_bytes <= 0) return code;
  if (std::int64_t{bytes} * count / send_bytes != send_count) {  // not checked further
    const int most = static_cast<int>(std::min<MPI_Count>(send_count, INT_MAX));
    return check_bcast(const_cast<void*>(send), most, send_type, 0, 1);
  }
  return PMPI_Allgather(send, static_cast<int>(send_count), send_type, own, count, type, alone_);
}

}  // namespace nmt::collectives
