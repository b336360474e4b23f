// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/packed_buffer.h"

#include <algorithm>

#include "collectives/mpi/hierarchy/node_hierarchy.h"

namespace nmt::collectives {

namespace {

int combiner_of(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  return combiner;
}

// Some are made by a function and have no name, but the program must not free them (MPI standard
// 4.0, 19.1.9).
bool is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

// The same elements, at addresses relative to `base` instead of MPI_BOTTOM.
MPI_Datatype relative_to(const void* base, int count, MPI_Datatype type) {
  MPI_Aint address = 0;
  MPI_Datatype shifted = MPI_DATATYPE_NULL;
  check(PMPI_Get_address(base, &address));
  const MPI_Aint back = -address;
  check(PMPI_Type_create_hindexed(1, &count, &back, type, &shifted));
  check(PMPI_Type_commit(&shifted));
  return shifted;
}

}  // namespace

bool is_dense(MPI_Datatype type) {
  const int combiner = combiner_of(type);
  if (is_predefined(combiner)) {
    int size = 0;
    MPI_Aint lower = 0, extent = 0;
    check(PMPI_Type_size(type, &size));
    check(PMPI_Type_get_extent(type, &lower, &extent));
    return lower == 0 && size == extent;
  }
  if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) return false;
  const int integers = combiner == MPI_COMBINER_CONTIGUOUS ? 1 : 0;
  int count[1] = {};
  MPI_Aint none[1] = {};
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  check(PMPI_Type_get_contents(type, integers, 0, 1, count, none, &inner));
  const bool dense = is_dense(inner);
  if (!is_predefined(combiner_of(inner))) check(PMPI_Type_free(&inner));
  return dense;
}

PackedBuffer::PackedBuffer(void* buffer, int count, MPI_Datatype type, MPI_Comm comm)
    : buffer_(buffer), count_(count), type_(type), comm_(comm) {
  if (is_dense(type)) return;
  int size = 0;
  check(PMPI_Pack_size(count, type, comm, &size));
  packed_.resize(static_cast<std::size_t>(size));
}

// MPICH's MPI_Pack (4.0.2) does not accept a null pointer, which MPI_BOTTOM is. So elements at
// absolute addresses are described relative to the address of this object.
template <class Call>
void PackedBuffer::with_base(int count, Call&& call) {
  if (buffer_ != MPI_BOTTOM) return check(call(buffer_, count, type_));
  MPI_Datatype shifted = relative_to(this, count, type_);
  const int code = call(static_cast<void*>(this), 1, shifted);
  check(PMPI_Type_free(&shifted));
  check(code);
}

void PackedBuffer::pack() {
  int position = 0;
  if (packed_.empty()) return;
  with_base(count_, [&](const void* buffer, int count, MPI_Datatype type) {
    return PMPI_Pack(buffer, count, type, packed_.data(), static_cast<int>(packed_.size()),
                     &position, comm_);
  });
}

void PackedBuffer::unpack(std::uint64_t bytes) {
  int position = 0, element_bytes = 0;
  if (packed_.empty()) return;
  check(PMPI_Type_size(type_, &element_bytes));
  const int elements = static_cast<int>(bytes / static_cast<std::uint64_t>(element_bytes));
  with_base(std::min(elements, count_), [&](void* buffer, int count, MPI_Datatype type) {
    return PMPI_Unpack(packed_.data(), static_cast<int>(packed_.size()), &position, buffer, count,
                       type, comm_);
  });
}

// Blocks without bytes are not touched: their addresses may be wrong, and their counts too large.
PackedBlocks::PackedBlocks(const UnequalBlocks& blocks, std::size_t ranks, MPI_Comm comm) {
  MPI_Aint lower = 0, extent = 0;
  int size = 0;
  check(PMPI_Type_get_extent(blocks.type(), &lower, &extent));
  check(PMPI_Type_size(blocks.type(), &size));
  const bool dense = is_dense(blocks.type());
  places_.reserve(ranks);
  if (!dense) packed_.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const MPI_Aint begin =
        reinterpret_cast<MPI_Aint>(blocks.buffer()) + blocks.place(rank) * extent;
    auto* const block = reinterpret_cast<std::byte*>(begin);  // NOLINT(performance-no-int-to-ptr)
    places_.push_back(block);
    if (dense) continue;
    const int count = size == 0 ? 0 : static_cast<int>(blocks.count(rank));
    packed_.emplace_back(block, count, blocks.type(), comm);
    places_.back() = packed_.back().data();
  }
}

void PackedBlocks::pack() {
  for (PackedBuffer& block : packed_) block.pack();
}

void PackedBlocks::unpack(const std::vector<std::uint64_t>& sizes_bytes) {
  for (std::size_t rank = 0; rank < packed_.size(); ++rank) {
    packed_[rank].unpack(sizes_bytes[rank]);
  }
}

}  // namespace nmt::collectives
