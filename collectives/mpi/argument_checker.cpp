// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/argument_checker.h"

#include <algorithm>
#include <climits>
#include <cstdint>

#include "collectives/mpi/hierarchy/node_hierarchy.h"

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

// Null stays null at rank 0 only.
void* block_at(void* buffer, MPI_Aint extent, int rank, MPI_Count count) {
  return reinterpret_cast<void*>(reinterpret_cast<MPI_Aint>(buffer) +
                                 extent * MPI_Aint{rank} * static_cast<MPI_Aint>(count));
}

// Of one block.
int allgatherv_alone(const void* own, int own_count, MPI_Datatype own_type, void* all, int count,
                     MPI_Datatype type, MPI_Comm comm) {
  const int place = 0;
  return PMPI_Allgatherv(own, own_count, own_type, all, &count, &place, type, comm);
}
// The root's calls, with the own block first.
int gather_alone(const void* own, int own_count, MPI_Datatype own_type, void* all, int count,
                 MPI_Datatype type, MPI_Comm comm) {
  return PMPI_Gather(own, own_count, own_type, all, count, type, 0, comm);
}
int scatter_alone(const void* own, int own_count, MPI_Datatype own_type, void* all, int count,
                  MPI_Datatype type, MPI_Comm comm) {
  return PMPI_Scatter(all, count, type, const_cast<void*>(own), own_count, own_type, 0, comm);
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

int ArgumentChecker::check_reduce_scatter_block(const void* send, const void* receive, int count,
                                                MPI_Datatype type, MPI_Op op) const {
  if (!are_doubtful(send, receive)) return MPI_SUCCESS;
  return PMPI_Reduce_scatter_block(send, const_cast<void*>(receive), count, type, op, alone_);
}

// What is sent has a block for another rank where this rank has none.
int ArgumentChecker::check_reduce_scatter(const void* send, const void* receive,
                                          const Counts& counts, MPI_Datatype type, MPI_Op op,
                                          int rank) const {
  if (!are_doubtful(send, receive)) return MPI_SUCCESS;
  if (send == nullptr) {
    const int code = check_bcast(nullptr, 1, type, 0, 1);
    if (code != MPI_SUCCESS) return code;
  }
  const int own = static_cast<int>(counts[static_cast<std::size_t>(rank)]);
  return PMPI_Reduce_scatter(send, const_cast<void*>(receive), &own, type, op, alone_);
}

int ArgumentChecker::check_allgather(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                     void* receive, int count, MPI_Datatype type, int rank) const {
  return check_blocks(PMPI_Allgather, send, send_count, send_type, receive, count, type, rank);
}

int ArgumentChecker::check_alltoall(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                    void* receive, int count, MPI_Datatype type, int rank) const {
  return check_blocks(PMPI_Alltoall, send, send_count, send_type, receive, count, type, rank);
}

int ArgumentChecker::check_allgatherv(const void* send, MPI_Count send_count,
                                      MPI_Datatype send_type, const UnequalBlocks& receive,
                                      int rank, int ranks) const {
  const auto own = static_cast<std::size_t>(rank);
  void* place = const_cast<void*>(receive.buffer());
  if (place != MPI_IN_PLACE) {
    MPI_Aint lower = 0, extent = 0;
    int code = check_unequal(receive, ranks);
    if (code == MPI_SUCCESS) code = PMPI_Type_get_extent(receive.type(), &lower, &extent);
    if (code != MPI_SUCCESS) return code;
    place =
        reinterpret_cast<void*>(reinterpret_cast<MPI_Aint>(place) + extent * receive.place(own));
  }
  return check_blocks(allgatherv_alone, send, send_count, send_type, place,
                      static_cast<int>(receive.count(own)), receive.type(), 0);
}

// MPI_IN_PLACE is for the root only.
int ArgumentChecker::check_gather(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                  void* receive, MPI_Count count, MPI_Datatype type, int root,
                                  int rank, int ranks) const {
  if (root < 0 || root >= ranks) return check_root(root, ranks);
  if (rank == root) {
    return check_blocks(gather_alone, send, send_count, send_type, receive, static_cast<int>(count),
                        type, rank);
  }
  if (send == MPI_IN_PLACE) return MPI_ERR_BUFFER;
  return check_bcast(const_cast<void*>(send), static_cast<int>(send_count), send_type, 0, ranks);
}

int ArgumentChecker::check_scatter(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                   void* receive, MPI_Count count, MPI_Datatype type, int root,
                                   int rank, int ranks) const {
  if (root < 0 || root >= ranks) return check_root(root, ranks);
  if (rank == root) {
    return check_blocks(scatter_alone, receive, count, type, const_cast<void*>(send),
                        static_cast<int>(send_count), send_type, rank);
  }
  if (receive == MPI_IN_PLACE) return MPI_ERR_BUFFER;
  return check_bcast(receive, static_cast<int>(count), type, 0, ranks);
}

// The own block always goes to its own place; of an Alltoall, it also comes from its own place.
int ArgumentChecker::check_blocks(BlocksCall call, const void* send, MPI_Count send_count,
                                  MPI_Datatype send_type, void* receive, int count,
                                  MPI_Datatype type, int rank) const {
  MPI_Aint lower = 0, extent = 0, send_extent = 0;
  int bytes = 0, send_bytes = 0;
  int code = PMPI_Type_get_extent(type, &lower, &extent);
  if (code != MPI_SUCCESS) return code;
  const bool in_place = send == MPI_IN_PLACE;
  if (!in_place && (send_count < 0 || send_type == MPI_DATATYPE_NULL)) {
    const int none_or_less = send_count < 0 ? -1 : 0;
    return call(send, none_or_less, send_type, receive, count, type, alone_);
  }
  if (!in_place) code = PMPI_Type_get_extent(send_type, &lower, &send_extent);
  if (code != MPI_SUCCESS) return code;
  const void* given = send;
  if (!in_place && call == PMPI_Alltoall) {
    given = block_at(const_cast<void*>(send), send_extent, rank, send_count);
  }
  void* own = receive == MPI_IN_PLACE ? receive : block_at(receive, extent, rank, count);
  if (!are_doubtful(given, own) && send != nullptr && receive != nullptr && is_named(type) &&
      (in_place || is_named(send_type))) {
    return MPI_SUCCESS;
  }
  if (in_place && receive == MPI_IN_PLACE) {
    return call(send, 0, type, receive, count, type, alone_);
  }
  if (in_place) return check_bcast(receive, count, type, 0, 1);
  if (receive == nullptr) {  // on other ranks than 0 the own block is not here
    code = check_bcast(receive, count, type, 0, 1);
    if (code != MPI_SUCCESS) return code;
  }
  code = PMPI_Type_size(type, &bytes);
  if (code == MPI_SUCCESS) code = PMPI_Type_size(send_type, &send_bytes);
  if (code != MPI_SUCCESS || send_bytes <= 0) return code;
  const bool same_size = std::int64_t{bytes} * count / send_bytes == send_count;
  if (!same_size || given != send) {
    const int most = static_cast<int>(std::min<MPI_Count>(send_count, INT_MAX));
    code = check_bcast(const_cast<void*>(send), most, send_type, 0, 1);
  }
  if (!same_size || code != MPI_SUCCESS) return code;  // sizes are not checked further
  return call(given, static_cast<int>(send_count), send_type, own, count, type, alone_);
}

// One side. A Bcast from its buffer finds a missing buffer and a type that is not committed.
int ArgumentChecker::check_unequal(const UnequalBlocks& blocks, int ranks) const {
  if (!blocks.have_arrays()) return MPI_ERR_ARG;
  if (blocks.type() == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  int some = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    if (blocks.count(rank) < 0) return MPI_ERR_COUNT;
    if (blocks.count(rank) > 0) some = 1;
  }
  if (blocks.buffer() != nullptr && is_named(blocks.type())) return MPI_SUCCESS;
  return PMPI_Bcast(const_cast<void*>(blocks.buffer()), some, blocks.type(), 0, alone_);
}

// With doubtful buffers, the block that this rank has for itself shows what the MPI accepts.
int ArgumentChecker::check_alltoallv(const UnequalBlocks& send, const UnequalBlocks& receive,
                                     int rank, int ranks) const {
  const bool in_place = send.buffer() == MPI_IN_PLACE;
  const bool to_place = receive.buffer() == MPI_IN_PLACE;
  int code = to_place ? MPI_SUCCESS : check_unequal(receive, ranks);
  if (code == MPI_SUCCESS && !in_place) code = check_unequal(send, ranks);
  if (code != MPI_SUCCESS || !are_doubtful(send.buffer(), receive.buffer())) return code;
  if (in_place && !to_place) return code;
  const auto own = static_cast<std::size_t>(rank);
  const bool known = !in_place && !to_place && !send.are_large() && !receive.are_large();
  int send_count = known ? static_cast<int>(send.count(own)) : 0;
  int send_place = known ? static_cast<int>(send.place(own)) : 0;
  int count = known ? static_cast<int>(receive.count(own)) : 0;
  int place = known ? static_cast<int>(receive.place(own)) : 0;
  code = PMPI_Alltoallv(send.buffer(), &send_count, &send_place, in_place ? MPI_BYTE : send.type(),
                        const_cast<void*>(receive.buffer()), &count, &place,
                        to_place ? MPI_BYTE : receive.type(), alone_);
  return code == MPI_SUCCESS && to_place ? MPI_ERR_BUFFER : code;
}

}  // namespace nmt::collectives
