// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/interposed.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/decided_algorithm.h"
#include "collectives/mpi/hierarchy/message_memory.h"
#include "collectives/mpi/job.h"
#include "collectives/mpi/mixed_mpis.h"
#include "collectives/mpi/packed_buffer.h"

namespace nmt::collectives {
namespace {

// Predefined types and commutative operators; the standard requires the same of both on all ranks.
bool can_reduce(MPI_Datatype type, MPI_Op op) {
  int integers = 0, addresses = 0, types = 0, combiner = 0, commutes = 0;
  return PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes &&
         PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

Reduction reduction_of(MPI_Count count, MPI_Datatype type, MPI_Op op) {
  MPI_Aint lower = 0, extent = 0;
  check(PMPI_Type_get_extent(type, &lower, &extent));
  return {type, op, static_cast<std::uint64_t>(extent), static_cast<std::uint64_t>(count)};
}

// Error if what a rank sends is not of the size of the blocks it receives.
void expect_size(MPI_Count count, MPI_Datatype type, std::uint64_t bytes) {
  int element_bytes = 0;
  check(PMPI_Type_size(type, &element_bytes));
  if (element_bytes == 0 && bytes == 0) return;
  if (element_bytes <= 0 || count != static_cast<MPI_Count>(bytes) / element_bytes ||
      bytes % static_cast<std::uint64_t>(element_bytes) != 0) {
    fail_on_different_counts();
  }
}

// Copies a rank's contribution to an Allgather or a Gather into its place.
void give(std::byte* place, const void* send, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
          std::uint64_t bytes) {
  expect_size(count, type, bytes);
  PackedBuffer own(const_cast<void*>(send), static_cast<int>(count), type, comm);
  own.pack();
  std::memcpy(place, own.data(), bytes);
}

// Handles a difference as the MPI itself does: Open MPI detects more bytes than a rank expects,
// MPICH also fewer. The other ranks have what they expect.
int check_counts(const BcastResult& result, std::uint64_t expected_bytes, MPI_Comm comm) noexcept {
#ifdef OPEN_MPI
  constexpr bool kFindsLess = false;
#else
  constexpr bool kFindsLess = true;
#endif
  if (result.has_more) {
    return fail(comm, MPI_ERR_TRUNCATE, "the root of a Bcast sends more than this rank expects");
  }
  if (kFindsLess && result.bytes < expected_bytes) {
    return fail(comm, MPI_ERR_OTHER, "the root of a Bcast sends less than this rank expects");
  }
  return MPI_SUCCESS;
}

// In bytes, by rank. `too_large` is set if all of them are too many for a call of ours.
std::vector<std::uint64_t> sizes_of(const UnequalBlocks& blocks, std::size_t ranks,
                                    bool* too_large) {
  int element_bytes = 0;
  check(PMPI_Type_size(blocks.type(), &element_bytes));
  const auto each_bytes = static_cast<std::uint64_t>(std::max(element_bytes, 0));
  std::uint64_t all_bytes = 0;
  std::vector<std::uint64_t> sizes(ranks);
  for (std::size_t rank = 0; rank < ranks && each_bytes > 0; ++rank) {
    const auto count = static_cast<std::uint64_t>(blocks.count(rank));
    *too_large = *too_large || count > Job::kBytesMax / each_bytes;
    if (*too_large) break;
    sizes[rank] = count * each_bytes;
    all_bytes += sizes[rank];
  }
  *too_large = *too_large || all_bytes > Job::kBytesMax;
  return sizes;
}

// Where blocks begin that follow each other in memory, in rank order; null: they do not.
std::byte* begin_of_joined(std::byte* const* places, const std::vector<std::uint64_t>& sizes) {
  std::byte *first = nullptr, *next = nullptr;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    if (sizes[rank] == 0) continue;
    if (first == nullptr) first = next = places[rank];
    if (places[rank] != next) return nullptr;
    next += sizes[rank];
  }
  return first;
}

// In the places of blocks, where this rank's block already is.
void gather_unequal(const Job::Decision& decision, std::size_t self, std::byte* const* places,
                    const std::vector<std::uint64_t>& sizes) {
  if (std::byte* all = begin_of_joined(places, sizes)) return run_allgatherv(decision, all, sizes);
  const MessageMemory all(std::reduce(sizes.begin(), sizes.end()));
  const auto own = std::reduce(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(self));
  std::copy_n(places[self], sizes[self], all.data() + own);
  run_allgatherv(decision, all.data(), sizes);
  const std::byte* from = all.data();
  for (std::size_t rank = 0; rank < sizes.size(); from += sizes[rank++]) {
    std::copy_n(from, sizes[rank], places[rank]);
  }
}

// In place, what is sent is copied first: blocks arrive before others have left.
void exchange_unequal(const Job::Decision& decision, const UnequalSizes& sizes,
                      const AgreedSizes& agreed, const UnequalBlocks& send,
                      const UnequalBlocks& receive, MPI_Comm comm) {
  const std::size_t ranks = sizes.sent.size();
  const AlltoallAlgorithm algorithm =
      parse_alltoall_algorithm(decision.rule->algorithm).value_or(AlltoallAlgorithm{});
  PackedBlocks received(receive, ranks, comm);
  const auto exchange = [&](std::byte* const* from) {
    const std::vector<const std::byte*> sent(from, from + ranks);
    alltoallv(decision.hierarchy(), {.places = sent.data()}, {.places = received.places()}, sizes,
              agreed, algorithm, decision.rule->segment_bytes);
  };
  if (send.buffer() == MPI_IN_PLACE) {
    received.pack();
    std::vector<std::byte> own(std::reduce(sizes.sent.begin(), sizes.sent.end()));
    std::vector<std::byte*> places;
    std::byte* place = own.data();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      places.push_back(place);
      place = std::copy_n(received.places()[rank], sizes.sent[rank], place);
    }
    exchange(places.data());
  } else {
    PackedBlocks sent(send, ranks, comm);
    sent.pack();
    exchange(sent.places());
  }
  received.unpack(sizes.received);
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

// Where the data begins: from MPI_BOTTOM, an address that the type has.
const void* begin_of(const void* buffer, MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  if (buffer != MPI_BOTTOM) return buffer;
  if (PMPI_Type_get_true_extent(type, &lower, &extent) != MPI_SUCCESS) return buffer;
  return reinterpret_cast<const void*>(lower);
}

// The MPI finds the same error, and calls the error handler.
std::optional<int> leave_out(Job::Decision& decision, MPI_Comm comm, int code) {
  Job::here().leave_out(decision, comm, code);
  return decision.otherwise;
}

// The arguments of an Allgather, an Alltoall, a Gather or a Scatter.
struct BlocksCall {
  const void* send;
  MPI_Count send_count;
  MPI_Datatype send_type;
  void* receive;
  MPI_Count receive_count;
  MPI_Datatype receive_type;
  MPI_Comm comm;
};

int check_arguments(Operation operation, const BlocksCall& call) {
  const auto check_of = operation == Operation::kAllgather ? &ArgumentChecker::check_allgather
                                                           : &ArgumentChecker::check_alltoall;
  return (Job::here().argument_checker().*check_of)(
      call.send, call.send_count, call.send_type, call.receive,
      static_cast<int>(call.receive_count), call.receive_type, rank_in(call.comm));
}

template <class Action>
std::optional<int> replace_blocks(Operation operation, const BlocksCall& call, Action&& action) {
  const MPI_Comm comm = call.comm;
  Job::Decision decision =
      Job::here().decide(operation, call.receive_count, call.receive_type, comm);
  if (!decision.acts()) return decision.otherwise;
  const int code = check_arguments(operation, call);
  if (code != MPI_SUCCESS) return leave_out(decision, comm, code);
  const void* begin_received = begin_of(call.receive, call.receive_type);
  if (!Job::here().prepare(decision, comm, {begin_of(call.send, call.send_type), begin_received})) {
    return decision.otherwise;
  }
  return Job::here().act(operation, decision, comm, [&] { action(decision); });
}

// The arguments of a Reduce, an Allreduce or a Reduce_scatter that all of them have.
struct ReductionCall {
  const void* send;
  void* receive;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Comm comm;
};

// `check_others` returns the MPI's code for the call's other arguments.
template <class CheckOthers, class Action>
std::optional<int> replace_reduction(Operation operation, Job::Decision decision,
                                     const ReductionCall& call, CheckOthers&& check_others,
                                     Action&& action) {
  if (!decision.acts()) return decision.otherwise;
  const ArgumentChecker& argument_checker = Job::here().argument_checker();
  int code = argument_checker.check_operator(call.type, call.op);
  if (code == MPI_SUCCESS && !can_reduce(call.type, call.op)) return std::nullopt;
  if (code == MPI_SUCCESS) code = check_others(argument_checker, decision.ranks());
  if (code != MPI_SUCCESS) return leave_out(decision, call.comm, code);
  if (!Job::here().prepare(decision, call.comm, {call.send, call.receive})) {
    return decision.otherwise;
  }
  return Job::here().act(operation, decision, call.comm, [&] { action(decision); });
}

// `count_of` gives the elements of a rank's block.
template <class CountOf>
void reduce_and_scatter(const Job::Decision& decision, const ReductionCall& call,
                        CountOf&& count_of) {
  std::vector<std::uint64_t> counts;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(decision.ranks()); ++rank) {
    counts.push_back(static_cast<std::uint64_t>(count_of(rank)));
  }
  const auto all = static_cast<MPI_Count>(std::reduce(counts.begin(), counts.end()));
  run_reduce_scatter(decision, call.send, call.receive, reduction_of(all, call.type, call.op),
                     counts);
}

// The arguments of a rank other than the root have no meaning on the side of all blocks.
template <class Action>
std::optional<int> replace_rooted(Operation operation, const BlocksCall& call, int root,
                                  Action&& action) {
  const MPI_Comm comm = call.comm;
  const bool gathers = operation == Operation::kGather;
  const Job::Elements sent{call.send_count, call.send_type};
  const Job::Elements received{call.receive_count, call.receive_type};
  Job::Decision decision = Job::here().decide_rooted(operation, gathers ? received : sent,
                                                     gathers ? sent : received, root, comm);
  if (!decision.acts()) return decision.otherwise;
  const int rank = rank_in(comm);
  const auto check_of = gathers ? &ArgumentChecker::check_gather : &ArgumentChecker::check_scatter;
  const int code = (Job::here().argument_checker().*check_of)(
      call.send, call.send_count, call.send_type, call.receive, call.receive_count,
      call.receive_type, root, rank, decision.ranks());
  if (code != MPI_SUCCESS) return leave_out(decision, comm, code);
  const bool sends = gathers || rank == root, receives = !gathers || rank == root;
  if (!Job::here().prepare(decision, comm,
                           {sends ? begin_of(call.send, call.send_type) : nullptr,
                            receives ? begin_of(call.receive, call.receive_type) : nullptr})) {
    return decision.otherwise;
  }
  return Job::here().act(operation, decision, comm, [&] { action(decision); });
}

}  // namespace

int begin(int started) noexcept {
  if (started != MPI_SUCCESS) return started;
  end_under_another_mpi();
  return guarded(MPI_COMM_WORLD, [] { Job::here().start(); });
}

std::optional<int> replace_barrier(MPI_Comm comm) noexcept {
  constexpr Operation kOperation = Operation::kBarrier;
  Job::Decision decision = Job::here().decide_without_data(kOperation, comm);
  if (!decision.acts()) return decision.otherwise;
  if (!Job::here().prepare_without_data(decision, comm)) return decision.otherwise;
  return Job::here().act(kOperation, decision, comm, [&] { run_barrier(decision); });
}

std::optional<int> replace_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                                 MPI_Comm comm) noexcept {
  constexpr Operation kOperation = Operation::kBcast;
  Job::Decision decision = Job::here().decide(kOperation, count, type, comm);
  if (!decision.acts()) return decision.otherwise;
  const int code = Job::here().argument_checker().check_bcast(buffer, static_cast<int>(count), type,
                                                              root, decision.ranks());
  if (code != MPI_SUCCESS) return leave_out(decision, comm, code);
  if (!Job::here().prepare(decision, comm, {begin_of(buffer, type)})) return decision.otherwise;
  BcastResult result;
  const int acted = Job::here().act(kOperation, decision, comm, [&] {
    PackedBuffer packed(buffer, static_cast<int>(count), type, comm);
    const bool is_root = rank_in(comm) == root;
    if (is_root) packed.pack();
    result = run_bcast(decision, packed.data(), root);
    if (!is_root) packed.unpack(result.bytes);
  });
  return acted != MPI_SUCCESS ? acted : check_counts(result, decision.bytes, comm);
}

std::optional<int> replace_reduce(const void* send, void* receive, MPI_Count count,
                                  MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) noexcept {
  constexpr Operation kOperation = Operation::kReduce;
  const ReductionCall call{send, receive, type, op, comm};
  return replace_reduction(
      kOperation, Job::here().decide(kOperation, count, type, comm), call,
      [&](const ArgumentChecker& argument_checker, int ranks) {
        return argument_checker.check_reduce(send, receive, static_cast<int>(count), type, op, root,
                                             rank_in(comm), ranks);
      },
      [&](const Job::Decision& decision) {
        run_reduce(decision, send, receive, reduction_of(count, type, op), root);
      });
}

std::optional<int> replace_allreduce(const void* send, void* receive, MPI_Count count,
                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept {
  constexpr Operation kOperation = Operation::kAllreduce;
  const ReductionCall call{send, receive, type, op, comm};
  return replace_reduction(
      kOperation, Job::here().decide(kOperation, count, type, comm), call,
      [&](const ArgumentChecker& argument_checker, int) {
        return argument_checker.check_allreduce(send, receive, static_cast<int>(count), type, op);
      },
      [&](const Job::Decision& decision) {
        run_allreduce(decision, send, receive, reduction_of(count, type, op));
      });
}

std::optional<int> replace_reduce_scatter_block(const void* send, void* receive, MPI_Count count,
                                                MPI_Datatype type, MPI_Op op,
                                                MPI_Comm comm) noexcept {
  constexpr Operation kOperation = Operation::kReduceScatterBlock;
  const ReductionCall call{send, receive, type, op, comm};
  return replace_reduction(
      kOperation, Job::here().decide(kOperation, count, type, comm), call,
      [&](const ArgumentChecker& argument_checker, int) {
        return argument_checker.check_reduce_scatter_block(send, receive, static_cast<int>(count),
                                                           type, op);
      },
      [&](const Job::Decision& decision) {
        reduce_and_scatter(decision, call, [&](std::size_t) { return count; });
      });
}

std::optional<int> replace_reduce_scatter(const void* send, void* receive, const Counts& counts,
                                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept {
  constexpr Operation kOperation = Operation::kReduceScatter;
  const ReductionCall call{send, receive, type, op, comm};
  return replace_reduction(
      kOperation, Job::here().decide_by_mean(kOperation, counts, type, comm), call,
      [&](const ArgumentChecker& argument_checker, int) {
        return argument_checker.check_reduce_scatter(send, receive, counts, type, op,
                                                     rank_in(comm));
      },
      [&](const Job::Decision& decision) {
        reduce_and_scatter(decision, call, [&](std::size_t rank) { return counts[rank]; });
      });
}

// All ranks receive the same number of bytes from each; a sender may describe them in another way.
std::optional<int> replace_allgather(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                     void* receive, MPI_Count receive_count,
                                     MPI_Datatype receive_type, MPI_Comm comm) noexcept {
  const BlocksCall call{send, send_count, send_type, receive, receive_count, receive_type, comm};
  return replace_blocks(Operation::kAllgather, call, [&](const Job::Decision& decision) {
    PackedBuffer all(receive, static_cast<int>(receive_count) * decision.ranks(), receive_type,
                     comm);
    std::byte* own = all.data() + static_cast<std::uint64_t>(rank_in(comm)) * decision.bytes;
    if (send == MPI_IN_PLACE) {
      all.pack();
    } else {
      give(own, send, send_count, send_type, comm, decision.bytes);
    }
    run_allgather(decision, all.data());
    all.unpack(decision.bytes * static_cast<std::uint64_t>(decision.ranks()));
  });
}

// In place, what is sent is copied first: blocks arrive before others have left.
std::optional<int> replace_alltoall(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                    void* receive, MPI_Count receive_count,
                                    MPI_Datatype receive_type, MPI_Comm comm) noexcept {
  const BlocksCall call{send, send_count, send_type, receive, receive_count, receive_type, comm};
  return replace_blocks(Operation::kAlltoall, call, [&](const Job::Decision& decision) {
    const int ranks = decision.ranks();
    const std::uint64_t bytes = decision.bytes * static_cast<std::uint64_t>(ranks);
    PackedBuffer received(receive, static_cast<int>(receive_count) * ranks, receive_type, comm);
    if (send == MPI_IN_PLACE) {
      received.pack();
      const std::vector<std::byte> own(received.data(), received.data() + bytes);
      run_alltoall(decision, own.data(), received.data());
    } else {
      expect_size(send_count, send_type, decision.bytes);
      PackedBuffer sent(const_cast<void*>(send), static_cast<int>(send_count) * ranks, send_type,
                        comm);
      sent.pack();
      run_alltoall(decision, sent.data(), received.data());
    }
    received.unpack(bytes);
  });
}

std::optional<int> replace_allgatherv(const void* send, MPI_Count send_count,
                                      MPI_Datatype send_type, const UnequalBlocks& receive,
                                      MPI_Comm comm) noexcept {
  constexpr Operation kOperation = Operation::kAllgatherv;
  Job::Decision decision =
      Job::here().decide_by_mean(kOperation, receive.counts(), receive.type(), comm);
  if (!decision.acts()) return decision.otherwise;
  const int code = Job::here().argument_checker().check_allgatherv(
      send, send_count, send_type, receive, rank_in(comm), decision.ranks());
  if (code != MPI_SUCCESS) return leave_out(decision, comm, code);
  if (!Job::here().prepare(
          decision, comm,
          {begin_of(send, send_type), begin_of(receive.buffer(), receive.type())})) {
    return decision.otherwise;
  }
  return Job::here().act(kOperation, decision, comm, [&] {
    const auto ranks = static_cast<std::size_t>(decision.ranks());
    const auto self = static_cast<std::size_t>(rank_in(comm));
    bool too_large = false;  // which decide_by_mean() has excluded
    const std::vector<std::uint64_t> sizes = sizes_of(receive, ranks, &too_large);
    PackedBlocks received(receive, ranks, comm);
    if (send == MPI_IN_PLACE) {
      received.pack();
    } else if (sizes[self] > 0) {
      give(received.places()[self], send, send_count, send_type, comm, sizes[self]);
    } else if (send_count > 0) {
      expect_size(send_count, send_type, 0);
    }
    gather_unequal(decision, self, received.places(), sizes);
    received.unpack(sizes);
  });
}

std::optional<int> replace_gather(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                  void* receive, MPI_Count receive_count, MPI_Datatype receive_type,
                                  int root, MPI_Comm comm) noexcept {
  const BlocksCall call{send, send_count, send_type, receive, receive_count, receive_type, comm};
  return replace_rooted(Operation::kGather, call, root, [&](const Job::Decision& decision) {
    const std::uint64_t bytes = decision.bytes;
    if (rank_in(comm) != root) {
      PackedBuffer own(const_cast<void*>(send), static_cast<int>(send_count), send_type, comm);
      own.pack();
      run_gather(decision, own.data(), nullptr, root);
      return;
    }
    PackedBuffer all(receive, static_cast<int>(receive_count) * decision.ranks(), receive_type,
                     comm);
    if (send == MPI_IN_PLACE) {
      all.pack();
    } else {
      give(all.data() + static_cast<std::uint64_t>(root) * bytes, send, send_count, send_type, comm,
           bytes);
    }
    run_gather(decision, nullptr, all.data(), root);
    all.unpack(bytes * static_cast<std::uint64_t>(decision.ranks()));
  });
}

std::optional<int> replace_scatter(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                   void* receive, MPI_Count receive_count,
                                   MPI_Datatype receive_type, int root, MPI_Comm comm) noexcept {
  const BlocksCall call{send, send_count, send_type, receive, receive_count, receive_type, comm};
  return replace_rooted(Operation::kScatter, call, root, [&](const Job::Decision& decision) {
    const std::uint64_t bytes = decision.bytes;
    const bool is_root = rank_in(comm) == root, in_place = receive == MPI_IN_PLACE;
    if (is_root && !in_place) expect_size(receive_count, receive_type, bytes);
    PackedBuffer own(receive, in_place ? 0 : static_cast<int>(receive_count),
                     in_place ? MPI_BYTE : receive_type, comm);
    if (is_root) {
      PackedBuffer all(const_cast<void*>(send), static_cast<int>(send_count) * decision.ranks(),
                       send_type, comm);
      all.pack();
      run_scatter(decision, all.data(), nullptr, root);
      if (in_place) return;
      std::memcpy(own.data(), all.data() + static_cast<std::uint64_t>(root) * bytes, bytes);
    } else {
      run_scatter(decision, nullptr, own.data(), root);
    }
    own.unpack(bytes);
  });
}

// All ranks agree on the sizes first, of which the algorithm follows: ours, or the MPI's own.
std::optional<int> replace_alltoallv(const UnequalBlocks& send, const UnequalBlocks& receive,
                                     MPI_Comm comm) noexcept {
  constexpr Operation kOperation = Operation::kAlltoallv;
  Job::Decision decision = Job::here().decide_to_look(kOperation, comm);
  if (!decision.acts()) return decision.otherwise;
  const int code = Job::here().argument_checker().check_alltoallv(send, receive, rank_in(comm),
                                                                  decision.ranks());
  if (code != MPI_SUCCESS) return leave_out(decision, comm, code);
  if (!Job::here().prepare(
          decision, comm,
          {begin_of(send.buffer(), send.type()), begin_of(receive.buffer(), receive.type())})) {
    if (!decision.otherwise) decision.comm_state->unequal.found(false);
    return decision.otherwise;
  }
  const bool in_place = send.buffer() == MPI_IN_PLACE;
  UnequalSizes sizes;
  AgreedSizes agreed;
  const int looked = Job::here().run(decision, comm, [&] {
    const auto ranks = static_cast<std::size_t>(decision.ranks());
    sizes.received = sizes_of(receive, ranks, &sizes.are_too_large);
    sizes.sent = in_place ? sizes.received : sizes_of(send, ranks, &sizes.are_too_large);
    agreed = agree_on_sizes(decision.hierarchy(), sizes);
  });
  if (looked != MPI_SUCCESS) return looked;
  Job::here().choose(kOperation, agreed.are_too_large ? 0 : agreed.typical_bytes, decision);
  if (!decision.acts()) return std::nullopt;
  return Job::here().act(kOperation, decision, comm,
                         [&] { exchange_unequal(decision, sizes, agreed, send, receive, comm); });
}

}  // namespace nmt::collectives
