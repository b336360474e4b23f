// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <algorithm>
#include <functional>

#include "tests/collectives/outcomes.h"

namespace nmt::testing {
namespace {

constexpr int kCount = 3000;

// The arguments of a call as a correct program gives them, for one to be made wrong.
struct Call {
  std::vector<int> own, all, for_all;
  const void* send;
  void* receive;
  int send_count = kCount, count = kCount;
  MPI_Datatype send_type = MPI_INT, type = MPI_INT;
  MPI_Op op = MPI_SUM;
  int root = 0;
  int rank, size;
  MPI_Comm comm;

  Call(const Outcomes& outcomes, MPI_Comm of)
      : own(kCount, outcomes.rank() + 1),
        all(static_cast<std::size_t>(kCount * outcomes.size())),
        for_all(all.size(), outcomes.rank() + 1),
        send(own.data()),
        receive(all.data()),
        rank(outcomes.rank()),
        size(outcomes.size()),
        comm(of) {}
  Call(const Call&) = delete;
};

using Do = int (*)(Call&);
int bcast(Call& c) { return MPI_Bcast(c.receive, c.count, c.type, c.root, c.comm); }
int reduce(Call& c) { return MPI_Reduce(c.send, c.receive, c.count, c.type, c.op, c.root, c.comm); }
int allreduce(Call& c) { return MPI_Allreduce(c.send, c.receive, c.count, c.type, c.op, c.comm); }
int allgather(Call& c) {
  return MPI_Allgather(c.send, c.send_count, c.send_type, c.receive, c.count, c.type, c.comm);
}

int alltoall(Call& c) {
  const void* send = c.send == c.own.data() ? c.for_all.data() : c.send;
  return MPI_Alltoall(send, c.send_count, c.send_type, c.receive, c.count, c.type, c.comm);
}

int gather(Call& c) {
  return MPI_Gather(c.send, c.send_count, c.send_type, c.receive, c.count, c.type, c.root, c.comm);
}
int scatter(Call& c) {
  return MPI_Scatter(c.for_all.data(), c.send_count, c.send_type, c.receive, c.count, c.type,
                     c.root, c.comm);
}

int allgatherv(Call& c) {
  const std::vector<int> counts(static_cast<std::size_t>(c.size), c.count);
  std::vector<int> places;
  for (int rank = 0; rank < c.size; ++rank) places.push_back(rank * c.count);
  return MPI_Allgatherv(c.send, c.send_count, c.send_type, c.receive, counts.data(), places.data(),
                        c.type, c.comm);
}

int reduce_scatter_block(Call& c) {
  const void* send = c.send == c.own.data() ? c.for_all.data() : c.send;
  return MPI_Reduce_scatter_block(send, c.receive, c.count, c.type, c.op, c.comm);
}
int reduce_scatter(Call& c) {
  const void* send = c.send == c.own.data() ? c.for_all.data() : c.send;
  const std::vector<int> counts(static_cast<std::size_t>(c.size), c.count);
  return MPI_Reduce_scatter(send, c.receive, counts.data(), c.type, c.op, c.comm);
}

// All blocks have the same counts.
int alltoallv(Call& c) {
  const void* send = c.send == c.own.data() ? c.for_all.data() : c.send;
  const auto ranks = static_cast<std::size_t>(c.size);
  std::vector<int> send_counts(ranks, c.send_count), counts(ranks, c.count);
  std::vector<int> send_places(ranks), places(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    send_places[rank] = static_cast<int>(rank) * c.send_count;
    places[rank] = static_cast<int>(rank) * c.count;
  }
  return MPI_Alltoallv(send, send_counts.data(), send_places.data(), c.send_type, c.receive,
                       counts.data(), places.data(), c.type, c.comm);
}

int alltoallv_without_counts(Call& c) {
  return MPI_Alltoallv(c.for_all.data(), nullptr, nullptr, c.send_type, c.receive, nullptr, nullptr,
                       c.type, c.comm);
}

struct Case {
  std::string name;
  Do call;
  void (*spoil)(Call&);
};

MPI_Datatype made = MPI_DATATYPE_NULL;  // freed after the call

MPI_Datatype uncommitted_pair() {
  MPI_Type_contiguous(2, MPI_INT, &made);
  return made;
}
MPI_Datatype uncommitted_vector() {
  MPI_Type_vector(2, 1, 2, MPI_INT, &made);
  return made;
}

void no_change(Call&) {}
void no_receive(Call& c) { c.receive = nullptr; }
void no_send(Call& c) { c.send = nullptr; }
void negative(Call& c) { c.count = -1; }
void no_type(Call& c) { c.type = MPI_DATATYPE_NULL; }
void uncommitted(Call& c) { c.type = uncommitted_pair(), c.count /= 2; }
void with_gaps(Call& c) { c.type = uncommitted_vector(), c.count /= 2; }
void in_place(Call& c) { c.receive = MPI_IN_PLACE; }
void root_below(Call& c) { c.root = -1; }
void root_above(Call& c) { c.root = c.size; }
void no_operator(Call& c) { c.op = MPI_OP_NULL; }
void of_bits(Call& c) { c.op = MPI_BAND, c.type = MPI_FLOAT; }
void of_pairs(Call& c) { c.op = MPI_MAXLOC; }
void sum_of_pairs(Call& c) { c.type = MPI_DOUBLE_INT, c.count /= 4; }
void aliased(Call& c) { c.send = c.receive; }
void own_block(Call& c) { c.send = c.all.data() + c.rank * kCount; }
void send_negative(Call& c) { c.send_count = -1; }
void no_send_type(Call& c) { c.send_type = MPI_DATATYPE_NULL; }
void send_uncommitted(Call& c) { c.send_type = uncommitted_pair(), c.send_count /= 2; }
void send_with_gaps(Call& c) { c.send_type = uncommitted_vector(), c.send_count /= 4; }
void all_in_place(Call& c) { c.send = c.receive = MPI_IN_PLACE; }

const std::vector<Case> kCases = {
    {"bcast without buffer", bcast, no_receive},
    {"bcast of a negative count", bcast, negative},
    {"bcast of no type", bcast, no_type},
    {"bcast of an uncommitted type", bcast, uncommitted},
    {"bcast of an uncommitted type with gaps", bcast, with_gaps},
    {"bcast in place", bcast, in_place},
    {"bcast from rank -1", bcast, root_below},
    {"bcast from a rank too many", bcast, root_above},
    {"reduce of nothing", reduce, no_send},
    {"reduce to nowhere", reduce, no_receive},
    {"reduce in its own buffer", reduce, aliased},
    {"reduce to a place", reduce, in_place},
    {"reduce of a negative count", reduce, negative},
    {"reduce of no type", reduce, no_type},
    {"reduce of an uncommitted type", reduce, uncommitted},
    {"reduce by no operator", reduce, no_operator},
    {"reduce of reals by bits", reduce, of_bits},
    {"reduce of numbers as pairs", reduce, of_pairs},
    {"reduce of pairs as numbers", reduce, sum_of_pairs},
    {"reduce to rank -1", reduce, root_below},
    {"reduce to a rank too many", reduce, root_above},
    {"reduce in place everywhere", reduce, [](Call& c) { c.send = MPI_IN_PLACE; }},
    {"allreduce of nothing", allreduce, no_send},
    {"allreduce to nowhere", allreduce, no_receive},
    {"allreduce in its own buffer", allreduce, aliased},
    {"allreduce to a place", allreduce, in_place},
    {"allreduce of a negative count", allreduce, negative},
    {"allreduce of no type", allreduce, no_type},
    {"allreduce of an uncommitted type", allreduce, uncommitted},
    {"allreduce by no operator", allreduce, no_operator},
    {"allreduce of reals by bits", allreduce, of_bits},
    {"allreduce of numbers as pairs", allreduce, of_pairs},
    {"allreduce of pairs as numbers", allreduce, sum_of_pairs},
    {"allgather of nothing", allgather, no_send},
    {"allgather to nowhere", allgather, no_receive},
    {"allgather of the own block", allgather, own_block},
    {"allgather of a negative count", allgather, send_negative},
    {"allgather to a negative count", allgather, negative},
    {"allgather of no type", allgather, no_send_type},
    {"allgather to no type", allgather, no_type},
    {"allgather of an uncommitted type", allgather, send_uncommitted},
    {"allgather of an uncommitted type with gaps", allgather, send_with_gaps},
    {"allgather to an uncommitted type", allgather, uncommitted},
    {"allgather to an uncommitted type with gaps", allgather, with_gaps},
    {"allgather all in place", allgather, all_in_place},
    {"alltoall of nothing", alltoall, no_send},
    {"alltoall to nowhere", alltoall, no_receive},
    {"alltoall in its own buffer", alltoall, aliased},
    {"alltoall of a negative count", alltoall, send_negative},
    {"alltoall to a negative count", alltoall, negative},
    {"alltoall of no type", alltoall, no_send_type},
    {"alltoall to no type", alltoall, no_type},
    {"alltoall of an uncommitted type", alltoall, send_uncommitted},
    {"alltoall of an uncommitted type with gaps", alltoall, send_with_gaps},
    {"alltoall to an uncommitted type", alltoall, uncommitted},
    {"alltoall to an uncommitted type with gaps", alltoall, with_gaps},
    {"alltoall to a place", alltoall, in_place},
    {"alltoall all in place", alltoall, all_in_place},
    {"gather of a negative count", gather, send_negative},
    {"gather of no type", gather, no_send_type},
    {"gather of an uncommitted type", gather, send_uncommitted},
    {"gather to rank -1", gather, root_below},
    {"gather to a rank too many", gather, root_above},
    {"scatter to a negative count", scatter, negative},
    {"scatter to no type", scatter, no_type},
    {"scatter from rank -1", scatter, root_below},
    {"scatter from a rank too many", scatter, root_above},
    {"allgatherv of a negative count", allgatherv, send_negative},
    {"allgatherv to a negative count", allgatherv, negative},
    {"allgatherv of no type", allgatherv, no_send_type},
    {"allgatherv to no type", allgatherv, no_type},
    {"reduce_scatter_block of no type", reduce_scatter_block, no_type},
    {"reduce_scatter_block by no operator", reduce_scatter_block, no_operator},
    {"reduce_scatter_block of reals by bits", reduce_scatter_block, of_bits},
    {"reduce_scatter of no type", reduce_scatter, no_type},
    {"reduce_scatter by no operator", reduce_scatter, no_operator},
    {"reduce_scatter of reals by bits", reduce_scatter, of_bits},
    {"alltoallv of nothing", alltoallv, no_send},
    {"alltoallv to nowhere", alltoallv, no_receive},
    {"alltoallv in its own buffer", alltoallv, aliased},
    {"alltoallv of a negative count", alltoallv, send_negative},
    {"alltoallv to a negative count", alltoallv, negative},
    {"alltoallv of no type", alltoallv, no_send_type},
    {"alltoallv to no type", alltoallv, no_type},
    {"alltoallv of an uncommitted type", alltoallv, send_uncommitted},
    {"alltoallv of an uncommitted type with gaps", alltoallv, send_with_gaps},
    {"alltoallv to an uncommitted type", alltoallv, uncommitted},
    {"alltoallv to an uncommitted type with gaps", alltoallv, with_gaps},
    {"alltoallv to a place", alltoallv, in_place},
    {"alltoallv all in place", alltoallv, all_in_place},
    {"alltoallv without counts", alltoallv_without_counts, no_change},
};

Memory bytes_of(const std::vector<int>& numbers) {
  const auto* begin = reinterpret_cast<const unsigned char*>(numbers.data());
  return {begin, begin + numbers.size() * sizeof(int)};
}

}  // namespace

void walk_over_errors(Outcomes& outcomes, bool on_all, bool in_first_calls,
                      const std::vector<std::string>& without) {
  const bool only = !without.empty() && without.front() == "only";
  for (const Case& each : kCases) {
    const bool named = std::ranges::find(without, each.name) != without.end();
    if (named != only) continue;
    MPI_Comm comm = in_first_calls ? outcomes.untouched() : outcomes.fresh();
    {
      Call call(outcomes, comm);
      if (!on_all) call.root = outcomes.size() - 1;
      if (on_all || outcomes.rank() == outcomes.size() - 1) each.spoil(call);
      const int error = each.call(call);
      outcomes.tell(each.name, error, bytes_of(call.all));
    }
    if (made != MPI_DATATYPE_NULL) MPI_Type_free(&made);
    if (!on_all) continue;  // what one rank has not received may still come
    Call call(outcomes, comm);
    const int error = each.call(call);
    outcomes.tell("after that, correctly", error, bytes_of(call.all));
    MPI_Comm_free(&comm);
  }
}

void walk_over_other_counts(Outcomes& outcomes) {
  constexpr std::size_t kMost = 1 << 20;
  constexpr std::pair<int, int> kCounts[] = {
      {3000, 1500}, {1500, 3000}, {kMost, kMost / 2}, {kMost / 2, kMost}};
  MPI_Comm comm = outcomes.fresh();
  for (const auto& [given, expected] : kCounts) {
    const bool differs = outcomes.rank() == outcomes.size() - 1;
    Memory data(kMost, static_cast<unsigned char>(outcomes.rank() + 1));
    int error = MPI_Bcast(data.data(), differs ? expected : given, MPI_BYTE, 0, comm);
    outcomes.tell("bcast of " + std::to_string(given) + " bytes, of which one expects " +
                      std::to_string(expected),
                  error, data);
    data.assign(kMost, static_cast<unsigned char>(outcomes.rank() + 1));
    error = MPI_Bcast(data.data(), given, MPI_BYTE, 1, comm);
    outcomes.tell("after that, correctly", error, data);
  }
  MPI_Comm_free(&comm);
}

}  // namespace nmt::testing
