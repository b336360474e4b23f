// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "tests/collectives/outcomes.h"

namespace nmt::testing {
namespace {

// Each is made of MPI_INT where it can be, and has 6 of them or less.
struct Made {
  const char* name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool is_predefined = false;  // must not be freed
};

std::vector<Made> simple_types() {
  std::vector<Made> all;
  const auto next = [&](const char* name) { return &all.emplace_back(Made{name}).type; };
  const int lengths[] = {1, 3, 2}, places[] = {6, 0, 4};
  const MPI_Aint byte_places[] = {40, 0, 20};
  const MPI_Datatype types[] = {MPI_INT, MPI_SHORT, MPI_BYTE};
  const int sizes[] = {4, 5}, parts[] = {2, 3}, starts[] = {1, 1}, processes[] = {1, 1};
  const int cyclic[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
  const int by_default[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Type_contiguous(3, MPI_INT, next("contiguous"));
  MPI_Type_dup(MPI_INT, next("dup"));
  MPI_Type_vector(3, 2, 3, MPI_INT, next("vector"));
  MPI_Type_vector(3, 2, 2, MPI_INT, next("vector without gaps"));
  MPI_Type_vector(2, 1, -2, MPI_INT, next("vector backwards"));
  MPI_Type_create_hvector(3, 2, 20, MPI_INT, next("hvector"));
  MPI_Type_indexed(3, lengths, places, MPI_INT, next("indexed"));
  MPI_Type_create_hindexed(3, lengths, byte_places, MPI_INT, next("hindexed"));
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, next("indexed block"));
  MPI_Type_create_hindexed_block(3, 2, byte_places, MPI_INT, next("hindexed block"));
  MPI_Type_create_struct(3, lengths, byte_places, types, next("struct"));
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, next("subarray"));
  MPI_Type_create_darray(1, 0, 2, sizes, cyclic, by_default, processes, MPI_ORDER_FORTRAN, MPI_INT,
                         next("darray"));
  MPI_Type_create_resized(MPI_INT, 0, 12, next("resized"));
  MPI_Type_create_resized(MPI_INT, -4, 8, next("resized below 0"));
  for (Made& each : all) MPI_Type_commit(&each.type);
  const auto add = [&](const char* name, int error, MPI_Datatype type) {
    if (error == MPI_SUCCESS) all.push_back({name, type, true});
  };
  MPI_Datatype type = MPI_DATATYPE_NULL;
  add("f90 real", MPI_Type_create_f90_real(6, 30, &type), type);
  add("f90 complex", MPI_Type_create_f90_complex(15, 300, &type), type);
  add("f90 integer", MPI_Type_create_f90_integer(9, &type), type);
  for (const auto& [name, named] :
       {std::pair{"MPI_SHORT_INT", MPI_SHORT_INT}, std::pair{"MPI_LONG_DOUBLE", MPI_LONG_DOUBLE},
        std::pair{"MPI_CHAR", MPI_CHAR}}) {
    all.push_back({name, named, true});
  }
  return all;
}

// Enough for `count` of any of them, with room before the first.
constexpr std::size_t kBefore = 8192, kBytes = 65536;

Memory pattern(int seed) {
  Memory bytes(kBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(i * 7 + i / 256 + static_cast<std::size_t>(seed) * 31);
  }
  return bytes;
}

// Blocks of unequal counts, in the places of equal ones. In place, counts are symmetric.
void use_unequal(Outcomes& outcomes, MPI_Comm comm, const std::string& name, MPI_Datatype type) {
  constexpr int kCount = 40;
  const int rank = outcomes.rank();
  std::vector<int> sent, received, symmetric, places, known;
  for (int other = 0; other < outcomes.size(); ++other) {
    sent.push_back((7 * rank + 3 * other) % (kCount + 1));
    received.push_back((7 * other + 3 * rank) % (kCount + 1));
    symmetric.push_back((5 * (rank + other)) % (kCount + 1));
    known.push_back((11 * other + 20) % (kCount + 1));
    places.push_back((outcomes.size() - 1 - other) * kCount);
  }
  const Memory own = pattern(rank);
  Memory all = pattern(100);
  int error = MPI_Alltoallv(own.data() + kBefore, sent.data(), places.data(), type,
                            all.data() + kBefore, received.data(), places.data(), type, comm);
  outcomes.tell("alltoallv of " + name, error, all);
  all = pattern(rank);
  error = MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, all.data() + kBefore,
                        symmetric.data(), places.data(), type, comm);
  outcomes.tell("alltoallv in place of " + name, error, all);
  const int own_count = known[static_cast<std::size_t>(rank)];
  all = pattern(100);
  error = MPI_Allgatherv(own.data() + kBefore, own_count, type, all.data() + kBefore, known.data(),
                         places.data(), type, comm);
  outcomes.tell("allgatherv of " + name, error, all);
  all = pattern(rank);
  error = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data() + kBefore, known.data(),
                         places.data(), type, comm);
  outcomes.tell("allgatherv in place of " + name, error, all);
}

void use(Outcomes& outcomes, MPI_Comm comm, const std::string& name, MPI_Datatype type) {
  constexpr int kCount = 40;
  Memory data = pattern(outcomes.rank());
  int error = MPI_Bcast(data.data() + kBefore, kCount, type, 1, comm);
  outcomes.tell("bcast of " + name, error, data);
  Memory own = pattern(outcomes.rank()), all = pattern(100);
  error =
      MPI_Allgather(own.data() + kBefore, kCount, type, all.data() + kBefore, kCount, type, comm);
  outcomes.tell("allgather of " + name, error, all);
  all = pattern(outcomes.rank());
  error =
      MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data() + kBefore, kCount, type, comm);
  outcomes.tell("allgather in place of " + name, error, all);
  all = pattern(100);
  error =
      MPI_Alltoall(own.data() + kBefore, kCount, type, all.data() + kBefore, kCount, type, comm);
  outcomes.tell("alltoall of " + name, error, all);
  all = pattern(outcomes.rank());
  error =
      MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data() + kBefore, kCount, type, comm);
  outcomes.tell("alltoall in place of " + name, error, all);
  all = pattern(100);
  error =
      MPI_Gather(own.data() + kBefore, kCount, type, all.data() + kBefore, kCount, type, 1, comm);
  outcomes.tell("gather of " + name, error, all);
  Memory part = pattern(200);
  error =
      MPI_Scatter(all.data() + kBefore, kCount, type, part.data() + kBefore, kCount, type, 1, comm);
  outcomes.tell("scatter of " + name, error, part);
  use_unequal(outcomes, comm, name, type);
}

// Two pieces of `own`, the second first, wherever it lies in memory.
MPI_Datatype absolute(Memory& own, std::size_t half) {
  const int lengths[] = {static_cast<int>(half), static_cast<int>(half)};
  MPI_Aint places[2] = {};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Get_address(own.data() + half, &places[0]);
  MPI_Get_address(own.data(), &places[1]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

// Of an Allgather, in a buffer and from MPI_BOTTOM, and the other way.
void use_absolute_addresses(Outcomes& outcomes, MPI_Comm comm, std::size_t half) {
  const auto ranks = static_cast<std::size_t>(outcomes.size());
  Memory own = pattern(outcomes.rank());
  own.resize(2 * half);
  MPI_Datatype type = absolute(own, half);
  const std::string of = " of " + std::to_string(2 * half) + " bytes at MPI_BOTTOM";
  int error = MPI_Bcast(MPI_BOTTOM, 1, type, 0, comm);
  outcomes.tell("bcast" + of, error, own);
  Memory all(2 * half * ranks);
  error =
      MPI_Allgather(MPI_BOTTOM, 1, type, all.data(), static_cast<int>(2 * half), MPI_BYTE, comm);
  outcomes.tell("allgather" + of, error, all);
  MPI_Type_free(&type);
  const MPI_Aint next = static_cast<MPI_Aint>(2 * half);
  MPI_Datatype block = absolute(all, half);
  MPI_Type_create_resized(block, 0, next, &type);
  MPI_Type_commit(&type);
  own[0] = static_cast<unsigned char>(outcomes.rank());
  error =
      MPI_Allgather(own.data(), static_cast<int>(2 * half), MPI_BYTE, MPI_BOTTOM, 1, type, comm);
  outcomes.tell("allgather to blocks" + of, error, all);
  Memory for_all(all.size());
  for (std::size_t i = 0; i < for_all.size(); ++i) {
    for_all[i] = static_cast<unsigned char>(i * 5 + i / 256 + ranks * i % 7);
  }
  error =
      MPI_Alltoall(for_all.data(), static_cast<int>(2 * half), MPI_BYTE, MPI_BOTTOM, 1, type, comm);
  outcomes.tell("alltoall to blocks" + of, error, all);
  Memory received(all.size());
  error = MPI_Alltoall(MPI_BOTTOM, 1, type, received.data(), static_cast<int>(2 * half), MPI_BYTE,
                       comm);
  outcomes.tell("alltoall of blocks" + of, error, received);
  std::vector<int> ones(ranks, 1), blocks(ranks), counts(ranks, static_cast<int>(2 * half)),
      places(ranks);
  for (std::size_t i = 0; i < ranks; ++i) {
    blocks[i] = static_cast<int>(i);
    places[i] = blocks[i] * counts[i];
  }
  error = MPI_Alltoallv(for_all.data(), counts.data(), places.data(), MPI_BYTE, MPI_BOTTOM,
                        ones.data(), blocks.data(), type, comm);
  outcomes.tell("alltoallv to blocks" + of, error, all);
  error = MPI_Alltoallv(MPI_BOTTOM, ones.data(), blocks.data(), type, received.data(),
                        counts.data(), places.data(), MPI_BYTE, comm);
  outcomes.tell("alltoallv of blocks" + of, error, received);
  MPI_Type_free(&block);
  MPI_Type_free(&type);
}

}  // namespace

void walk_over_types(Outcomes& outcomes) {
  MPI_Comm comm = outcomes.fresh();
  std::vector<Made> simple = simple_types();
  for (Made& inner : simple) {
    const std::string name = inner.name;
    MPI_Datatype contiguous = MPI_DATATYPE_NULL, twice = MPI_DATATYPE_NULL;
    use(outcomes, comm, name, inner.type);
    MPI_Type_contiguous(2, inner.type, &contiguous);
    MPI_Type_dup(contiguous, &twice);
    MPI_Type_commit(&contiguous);
    MPI_Type_commit(&twice);
    use(outcomes, comm, "two of " + name, contiguous);
    use(outcomes, comm, "a duplicate of two of " + name, twice);
    MPI_Type_free(&contiguous);
    MPI_Type_free(&twice);
    use(outcomes, comm, name + " again", inner.type);
    if (!inner.is_predefined) MPI_Type_free(&inner.type);
  }
  for (const std::size_t half : {1u, 100u, 100'000u}) use_absolute_addresses(outcomes, comm, half);
  MPI_Comm_free(&comm);
}

}  // namespace nmt::testing
