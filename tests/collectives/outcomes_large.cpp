// SPDX-License-Identifier: BSD-3-Clause
//
// Calls on the most bytes that libnmadtune-mpi.so replaces (kBytesMax in collectives/mpi/job.cpp)
// and on more than 2^31 bytes.
// Reductions take the maximum, which comes out the same however often a part that is there several
// times is combined.
#include <cstdint>

#include "tests/collectives/large_area.h"
#include "tests/collectives/outcomes.h"

namespace nmt::testing {
namespace {

constexpr std::size_t kMiB = 1 << 20;

std::size_t call_bytes(bool beyond) { return beyond ? 2049 * kMiB : 1024 * kMiB; }
// Of each of two ranks.
std::size_t allgather_bytes(bool beyond) { return beyond ? 1025 * kMiB : 512 * kMiB; }

MPI_Datatype bytes_type(std::size_t count, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(count), of, &type);
  MPI_Type_commit(&type);
  return type;
}

// By functions that count in MPI_Count. Of 2^32 and some elements, an int would hold the rest.
#if MPI_VERSION >= 4
void count_copies_in_large(Outcomes& outcomes, MPI_Comm comm, LargeArea& one,
                           const LargeArea& for_each, LargeArea& each) {
  constexpr MPI_Count kMany = (MPI_Count{1} << 32) + 3000;
  MPI_Datatype nothing = bytes_type(0, MPI_BYTE);
  const auto rank = static_cast<unsigned>(outcomes.rank());
  one.fill(0, 10 + rank);
  int error = MPI_Bcast_c(one.data(), static_cast<MPI_Count>(one.size_bytes()), MPI_BYTE, 0, comm);
  outcomes.tell("bcast counted in large", error, one.content());
  const auto count = static_cast<MPI_Count>(each.block_bytes());
  error = MPI_Allgather_c(one.data(), count, MPI_BYTE, each.data(), count, MPI_BYTE, comm);
  outcomes.tell("allgather counted in large", error, each.content());
  error = MPI_Alltoall_c(for_each.data(), count, MPI_BYTE, each.data(), count, MPI_BYTE, comm);
  outcomes.tell("alltoall counted in large", error, each.content());
  const auto ranks = static_cast<std::size_t>(outcomes.size());
  std::vector<MPI_Count> counts(ranks, count);
  std::vector<MPI_Aint> places(ranks);
  for (std::size_t other = 0; other < ranks; ++other) {
    places[other] = static_cast<MPI_Aint>(other) * count;
  }
  error = MPI_Alltoallv_c(for_each.data(), counts.data(), places.data(), MPI_BYTE, each.data(),
                          counts.data(), places.data(), MPI_BYTE, comm);
  outcomes.tell("alltoallv counted in large", error, each.content());
  counts.assign(ranks, kMany);
  error = MPI_Alltoallv_c(one.data(), counts.data(), places.data(), nothing, each.data(),
                          counts.data(), places.data(), nothing, comm);
  outcomes.tell("alltoallv of more than 2^32 elements of nothing", error, each.content());
  error = MPI_Bcast_c(one.data(), kMany, nothing, 0, comm);
  outcomes.tell("bcast of more than 2^32 elements of nothing", error, one.content());
  error = MPI_Allgather_c(one.data(), kMany, nothing, each.data(), kMany, nothing, comm);
  outcomes.tell("allgather of more than 2^32 elements of nothing", error, each.content());
  error = MPI_Alltoall_c(one.data(), kMany, nothing, each.data(), kMany, nothing, comm);
  outcomes.tell("alltoall of more than 2^32 elements of nothing", error, each.content());
  MPI_Type_free(&nothing);
}

void count_reductions_in_large(Outcomes& outcomes, MPI_Comm comm, const LargeArea& own,
                               const LargeArea& result) {
  const auto count = static_cast<MPI_Count>(own.size_bytes());
  int error = MPI_Reduce_c(own.data(), result.data(), count, MPI_UNSIGNED_CHAR, MPI_MAX, 0, comm);
  outcomes.tell("reduce counted in large", error,
                outcomes.rank() == 0 ? result.content() : Memory());
  error = MPI_Allreduce_c(own.data(), result.data(), count, MPI_UNSIGNED_CHAR, MPI_MAX, comm);
  outcomes.tell("allreduce counted in large", error, result.content());
}
#else
void count_copies_in_large(Outcomes&, MPI_Comm, LargeArea&, const LargeArea&, LargeArea&) {}
void count_reductions_in_large(Outcomes&, MPI_Comm, const LargeArea&, const LargeArea&) {}
#endif

}  // namespace

void walk_over_large_copies(Outcomes& outcomes, bool beyond) {
  const auto rank = static_cast<unsigned>(outcomes.rank());
  const auto ranks = static_cast<std::size_t>(outcomes.size());
  LargeArea one(1, call_bytes(beyond)), each(ranks, allgather_bytes(beyond));
  LargeArea for_each(ranks, each.block_bytes());
  MPI_Comm comm = outcomes.fresh();
  MPI_Datatype mebibyte = bytes_type(kMiB, MPI_BYTE);
  MPI_Datatype all = bytes_type(one.size_bytes() / kMiB, mebibyte);
  one.fill(0, rank);
  int error = MPI_Bcast(one.data(), static_cast<int>(one.size_bytes() / kMiB), mebibyte, 0, comm);
  outcomes.tell("bcast of MiB", error, one.content());
  one.fill(0, 5 + rank);
  error = MPI_Bcast(one.data(), 1, all, 1, comm);
  outcomes.tell("bcast of one element", error, one.content());
  for (std::size_t block = 0; block < ranks; ++block) {
    each.fill(block, block == rank ? 20 + rank : 30 + rank);
  }
  error = MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, each.data(),
                        static_cast<int>(each.block_bytes() / kMiB), mebibyte, comm);
  outcomes.tell("allgather of MiB", error, each.content());
  for (std::size_t block = 0; block < ranks; ++block) {
    for_each.fill(block, 40 + rank + 10 * static_cast<unsigned>(block));
  }
  const auto mebibytes = static_cast<int>(each.block_bytes() / kMiB);
  error =
      MPI_Alltoall(for_each.data(), mebibytes, mebibyte, each.data(), mebibytes, mebibyte, comm);
  outcomes.tell("alltoall of MiB", error, each.content());
  std::vector<int> sent, received, places;
  for (int other = 0; other < outcomes.size(); ++other) {
    sent.push_back(mebibytes - (outcomes.rank() + 2 * other) % 3);
    received.push_back(mebibytes - (other + 2 * outcomes.rank()) % 3);
    places.push_back(other * mebibytes);
  }
  error = MPI_Alltoallv(for_each.data(), sent.data(), places.data(), mebibyte, each.data(),
                        received.data(), places.data(), mebibyte, comm);
  outcomes.tell("alltoallv of MiB", error, each.content());
  count_copies_in_large(outcomes, comm, one, for_each, each);
  MPI_Type_free(&mebibyte);
  MPI_Type_free(&all);
  MPI_Comm_free(&comm);
}

void walk_over_large_reductions(Outcomes& outcomes, bool beyond) {
  LargeArea own(1, call_bytes(beyond)), result(1, call_bytes(beyond));
  MPI_Comm comm = outcomes.fresh();
  own.fill(0, static_cast<unsigned>(outcomes.rank()));
  const auto count = static_cast<int>(own.size_bytes() / sizeof(std::uint64_t));
  int error = MPI_Reduce(own.data(), result.data(), count, MPI_UINT64_T, MPI_MAX, 1, comm);
  outcomes.tell("reduce", error, outcomes.rank() == 1 ? result.content() : Memory());
  error = MPI_Allreduce(own.data(), result.data(), count, MPI_UINT64_T, MPI_MAX, comm);
  outcomes.tell("allreduce", error, result.content());
  count_reductions_in_large(outcomes, comm, own, result);
  MPI_Comm_free(&comm);
}

}  // namespace nmt::testing
