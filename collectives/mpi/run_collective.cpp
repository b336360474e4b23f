// SPDX-License-Identifier: BSD-3-Clause
//
// Runs one collective for sampling and benchmarks.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collectives.h"
#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/communicator/comm_state.h"
#include "collectives/mpi/library/library_algorithms.h"
#include "core/collective_sample.h"
#include "core/error.h"

namespace nmt::collectives {
namespace {

enum { kDone = 0, kUnknown = 1, kFailed = 2 };

// Separate from those that replace MPI's functions, whose rules do not matter here.
std::map<int, std::unique_ptr<NodeHierarchy>> played;  // by leaders per node

MPI_Comm part = MPI_COMM_NULL;  // of MPI_COMM_WORLD; null: all of it

MPI_Comm playing() { return part == MPI_COMM_NULL ? MPI_COMM_WORLD : part; }

void forget_choices();  // frees their communicators

void end_playing() {
  played.clear();
  forget_choices();
  if (part != MPI_COMM_NULL) PMPI_Comm_free(&part);
}

void end_playing_with_mpi() {
  static bool registered = false;
  if (!registered) call_at_end(end_playing);
  registered = true;
}

void play_within(const int* ranks, int count) {
  constexpr int kTag = 0;
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  end_playing();
  end_playing_with_mpi();
  check(PMPI_Comm_group(MPI_COMM_WORLD, &all));
  check(PMPI_Group_incl(all, count, ranks, &some));
  check(PMPI_Comm_create_group(MPI_COMM_WORLD, some, kTag, &part));
  PMPI_Group_free(&some);
  PMPI_Group_free(&all);
}

NodeHierarchy& hierarchy_of(int leaders) {
  end_playing_with_mpi();
  std::unique_ptr<NodeHierarchy>& hierarchy = played[leaders];
  if (!hierarchy)
    hierarchy = std::make_unique<NodeHierarchy>(playing(), options_from_environment(leaders));
  return *hierarchy;
}

NodeHierarchy& hierarchy_for(const nmt_collective_play& play) {
  return hierarchy_of(play.leaders == 0 ? 1 : static_cast<int>(play.leaders));
}

// The blocks of one rank in an alltoallv.
struct PlayedBlocks {
  UnequalSizes sizes;
  std::vector<int> sent_counts, sent_places, received_counts, received_places;  // in bytes
};

// The numbers from 0 on, in an order drawn at random.
std::vector<std::uint64_t> shuffled(std::uint64_t count, std::uint32_t seed) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::shuffle(numbers, std::mt19937(seed));
  return numbers;
}

// As nmt_collective_play says. The sizes are drawn anew for each root, so that a median stands for
// calls of any sizes: where the largest blocks of all ranks are in one round, an algorithm that
// goes by rounds is better than it is for a program's calls.
PlayedBlocks blocks_of(const nmt_collective_play& play) {
  int rank = 0, ranks = 0;
  check(PMPI_Comm_rank(playing(), &rank));
  check(PMPI_Comm_size(playing(), &ranks));
  const auto count = static_cast<std::uint64_t>(ranks);
  const std::vector<std::uint64_t> place = shuffled(count, static_cast<std::uint32_t>(play.root));
  const auto size_to = [&](int from, int to) -> std::uint64_t {
    if (ranks == 1) return play.size_bytes;
    const std::uint64_t ahead =
        (place[static_cast<std::size_t>(to)] + count - place[static_cast<std::size_t>(from)]) %
        count;
    return 2 * play.size_bytes * ahead / (count - 1);
  };
  PlayedBlocks blocks;
  int sent_place = 0, received_place = 0;
  for (int other = 0; other < ranks; ++other) {
    blocks.sizes.sent.push_back(size_to(rank, other));
    blocks.sizes.received.push_back(size_to(other, rank));
    blocks.sent_counts.push_back(static_cast<int>(blocks.sizes.sent.back()));
    blocks.received_counts.push_back(static_cast<int>(blocks.sizes.received.back()));
    blocks.sent_places.push_back(sent_place);
    blocks.received_places.push_back(received_place);
    sent_place += blocks.sent_counts.back();
    received_place += blocks.received_counts.back();
  }
  return blocks;
}

// The sizes of blocks by rank, from 0 to twice `mean`, which is their mean.
std::vector<std::uint64_t> uneven(std::uint64_t mean) {
  int ranks = 0;
  check(PMPI_Comm_size(playing(), &ranks));
  const auto count = static_cast<std::uint64_t>(ranks);
  std::vector<std::uint64_t> sizes(count, mean);
  for (std::uint64_t rank = 0; count > 1 && rank < count; ++rank) {
    sizes[rank] = 2 * mean * rank / (count - 1);
  }
  return sizes;
}

int by_library(const nmt_collective_play& play, MPI_Comm on) {
  const std::string_view operation = play.operation;
  const int bytes = static_cast<int>(play.size_bytes);
  const int doubles = static_cast<int>(play.size_bytes / sizeof(double));
  if (operation == "barrier") {
    check(PMPI_Barrier(on));
  } else if (operation == "bcast") {
    check(PMPI_Bcast(play.to, bytes, MPI_BYTE, play.root, on));
  } else if (operation == "reduce") {
    check(PMPI_Reduce(play.from, play.to, doubles, MPI_DOUBLE, MPI_SUM, play.root, on));
  } else if (operation == "allreduce") {
    check(PMPI_Allreduce(play.from, play.to, doubles, MPI_DOUBLE, MPI_SUM, on));
  } else if (operation == "allgather") {
    check(PMPI_Allgather(play.from, bytes, MPI_BYTE, play.to, bytes, MPI_BYTE, on));
  } else if (operation == "allgatherv") {
    const std::vector<std::uint64_t> sizes = uneven(play.size_bytes);
    const std::vector<int> counts(sizes.begin(), sizes.end());
    std::vector<int> places(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    int rank = 0;
    check(PMPI_Comm_rank(on, &rank));
    check(PMPI_Allgatherv(play.from, counts[static_cast<std::size_t>(rank)], MPI_BYTE, play.to,
                          counts.data(), places.data(), MPI_BYTE, on));
  } else if (operation == "alltoall") {
    check(PMPI_Alltoall(play.from, bytes, MPI_BYTE, play.to, bytes, MPI_BYTE, on));
  } else if (operation == "reduce_scatter_block") {
    check(PMPI_Reduce_scatter_block(play.from, play.to, doubles, MPI_DOUBLE, MPI_SUM, on));
  } else if (operation == "reduce_scatter") {
    const std::vector<std::uint64_t> elements = uneven(play.size_bytes / sizeof(double));
    const std::vector<int> counts(elements.begin(), elements.end());
    check(PMPI_Reduce_scatter(play.from, play.to, counts.data(), MPI_DOUBLE, MPI_SUM, on));
  } else if (operation == "gather") {
    check(PMPI_Gather(play.from, bytes, MPI_BYTE, play.to, bytes, MPI_BYTE, play.root, on));
  } else if (operation == "scatter") {
    check(PMPI_Scatter(play.from, bytes, MPI_BYTE, play.to, bytes, MPI_BYTE, play.root, on));
  } else if (operation == "alltoallv") {
    const PlayedBlocks blocks = blocks_of(play);
    check(PMPI_Alltoallv(play.from, blocks.sent_counts.data(), blocks.sent_places.data(), MPI_BYTE,
                         play.to, blocks.received_counts.data(), blocks.received_places.data(),
                         MPI_BYTE, on));
  } else {
    return kUnknown;
  }
  return kDone;
}

// An algorithm that the MPI does not choose itself. The last one is remembered: it runs again and
// again, and the time to look for it would be measured too.
struct PlayedChoice {
  std::string operation, algorithm;
  LibraryChoice choice = {};
  ShadowCommunicator shadow = {};

  bool is_of(const nmt_collective_play& play) const {
    return operation == play.operation && algorithm == play.algorithm &&
           choice.segment_bytes == play.segment_bytes;
  }
};
std::deque<PlayedChoice> played_choices;
const PlayedChoice* last_choice = nullptr;

void forget_choices() {
  last_choice = nullptr;
  for (PlayedChoice& each : played_choices) free_shadow(each.shadow);
  played_choices.clear();
}

// Null if it cannot be set.
const PlayedChoice* played_choice(const nmt_collective_play& play) {
  if (last_choice != nullptr && last_choice->is_of(play)) return last_choice;
  const auto known = std::ranges::find_if(
      played_choices, [&](const PlayedChoice& each) { return each.is_of(play); });
  if (known != played_choices.end()) return last_choice = &*known;
  const auto choice = find_library_choice(play.operation, play.algorithm, play.segment_bytes);
  if (!choice) return nullptr;
  end_playing_with_mpi();
  PlayedChoice& added = played_choices.emplace_back(
      PlayedChoice{.operation = play.operation, .algorithm = play.algorithm, .choice = *choice});
  if (kNeedsShadow) added.shadow = make_shadow(playing(), *choice);
  return last_choice = &added;
}

int by_librarys_algorithm(const nmt_collective_play& play) {
  const PlayedChoice* found = played_choice(play);
  if (found == nullptr) return kUnknown;
  if (kNeedsShadow) {
    if (found->shadow.comm == MPI_COMM_NULL) {
      throw Error(Fault::kFailed,
                  "the MPI could not make a communicator for " + std::string(play.algorithm));
    }
    return by_library(play, found->shadow.comm);
  }
  const LibrarySetting setting(found->choice);
  return by_library(play, playing());
}

int by_leaders(const nmt_collective_play& play, const PipelineOptions& pipeline) {
  const std::string_view operation = play.operation;
  const Reduction sum{MPI_DOUBLE, MPI_SUM, sizeof(double), play.size_bytes / sizeof(double)};
  const auto* from = static_cast<const std::byte*>(play.from);
  auto* to = static_cast<std::byte*>(play.to);
  if (operation == "bcast") {
    bcast(hierarchy_for(play), to, play.size_bytes, play.root, pipeline);
  } else if (operation == "reduce") {
    reduce(hierarchy_for(play), from, to, sum, play.root, pipeline);
  } else if (operation == "allreduce") {
    allreduce(hierarchy_for(play), from, to, sum, pipeline);
  } else {
    return kUnknown;
  }
  return kDone;
}

int gather_unequal_for_all(const nmt_collective_play& play, AllgatherAlgorithm algorithm) {
  auto* all = static_cast<std::byte*>(play.to);
  NodeHierarchy& hierarchy = hierarchy_for(play);
  const std::vector<std::uint64_t> sizes = uneven(play.size_bytes);
  const auto own = sizes.begin() + hierarchy.rank();
  std::memcpy(all + std::reduce(sizes.begin(), own), play.from, *own);
  allgatherv(hierarchy, all, sizes, algorithm, play.segment_bytes);
  return kDone;
}

int gather_for_all(const nmt_collective_play& play, AllgatherAlgorithm allgather_algorithm) {
  auto* all = static_cast<std::byte*>(play.to);
  NodeHierarchy& hierarchy = hierarchy_for(play);
  std::memcpy(all + static_cast<std::uint64_t>(hierarchy.rank()) * play.size_bytes, play.from,
              play.size_bytes);
  allgather(hierarchy, all, play.size_bytes, allgather_algorithm, play.segment_bytes);
  return kDone;
}

int scatter_sums(const nmt_collective_play& play) {
  NodeHierarchy& hierarchy = hierarchy_for(play);
  const std::uint64_t mean = play.size_bytes / sizeof(double);
  const std::vector<std::uint64_t> counts =
      std::string_view(play.operation) == "reduce_scatter"
          ? uneven(mean)
          : std::vector<std::uint64_t>(static_cast<std::size_t>(hierarchy.size()), mean);
  const Reduction sum{MPI_DOUBLE, MPI_SUM, sizeof(double),
                      std::reduce(counts.begin(), counts.end())};
  reduce_scatter(hierarchy, static_cast<const std::byte*>(play.from),
                 static_cast<std::byte*>(play.to), sum, counts, play.segment_bytes);
  return kDone;
}

// With the copy of the root's own block, because a call makes it too.
int move_by_root(const nmt_collective_play& play) {
  NodeHierarchy& hierarchy = hierarchy_for(play);
  const auto* from = static_cast<const std::byte*>(play.from);
  auto* to = static_cast<std::byte*>(play.to);
  const std::uint64_t bytes = play.size_bytes;
  const std::uint64_t own = static_cast<std::uint64_t>(play.root) * bytes;
  const bool is_root = hierarchy.rank() == play.root;
  if (std::string_view(play.operation) == "gather") {
    if (is_root) std::memcpy(to + own, from, bytes);
    gather(hierarchy, from, to, bytes, play.root, play.segment_bytes);
  } else {
    scatter(hierarchy, from, to, bytes, play.root, play.segment_bytes);
    if (is_root) std::memcpy(to, from + own, bytes);
  }
  return kDone;
}

int exchange(const nmt_collective_play& play, AlltoallAlgorithm algorithm) {
  alltoall(hierarchy_for(play), static_cast<const std::byte*>(play.from),
           static_cast<std::byte*>(play.to), play.size_bytes, algorithm, play.segment_bytes);
  return kDone;
}

// What a call costs: with the agreement on the sizes.
int exchange_unequal(const nmt_collective_play& play, AlltoallAlgorithm algorithm) {
  NodeHierarchy& hierarchy = hierarchy_for(play);
  const PlayedBlocks blocks = blocks_of(play);
  const auto ranks = static_cast<std::size_t>(hierarchy.size());
  std::vector<const std::byte*> from(ranks);
  std::vector<std::byte*> to(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    from[rank] = static_cast<const std::byte*>(play.from) + blocks.sent_places[rank];
    to[rank] = static_cast<std::byte*>(play.to) + blocks.received_places[rank];
  }
  const AgreedSizes agreed = agree_on_sizes(hierarchy, blocks.sizes);
  alltoallv(hierarchy, {.places = from.data()}, {.places = to.data()}, blocks.sizes, agreed,
            algorithm, play.segment_bytes);
  return kDone;
}

int run_collective(const nmt_collective_play& play) {
  const std::string_view algorithm = play.algorithm;
  if (algorithm == kLibraryAlgorithm) return by_library(play, playing());
  if (is_of_library(algorithm)) return by_librarys_algorithm(play);
  if (std::string_view(play.operation) == "barrier") {
    if (algorithm != kDissemination) return kUnknown;
    barrier(hierarchy_for(play));
    return kDone;
  }
  if (gathers_for_all(play.operation)) {
    const auto allgather_algorithm = parse_allgather_algorithm(algorithm);
    if (!allgather_algorithm) return kUnknown;
    return std::string_view(play.operation) == "allgather"
               ? gather_for_all(play, *allgather_algorithm)
               : gather_unequal_for_all(play, *allgather_algorithm);
  }
  if (const std::string_view operation = play.operation; exchanges(operation)) {
    const auto alltoall_algorithm = parse_alltoall_algorithm(algorithm);
    if (!alltoall_algorithm) return kUnknown;
    return operation == "alltoall" ? exchange(play, *alltoall_algorithm)
                                   : exchange_unequal(play, *alltoall_algorithm);
  }
  if (scatters_sums(play.operation)) {
    return algorithm == kByLeaders ? scatter_sums(play) : kUnknown;
  }
  if (is_of_root_blocks(play.operation)) {
    return algorithm == kByNodes ? move_by_root(play) : kUnknown;
  }
  const auto pipeline = pipeline_options(play.operation, algorithm, play.segment_bytes);
  return pipeline ? by_leaders(play, *pipeline) : kUnknown;
}

// The names of the operation's algorithms that can be set on all ranks, separated by commas.
std::string settable_on_all(std::string_view operation) {
  constexpr int kNumbers = 64;  // of algorithms; MPIs have about ten
  const auto& names = library_algorithms_of(operation).names();
  std::array<int, kNumbers> can{};
  int ranks = 0;
  check(PMPI_Comm_size(playing(), &ranks));
  for (const auto& [number, name] : names) {
    const bool is_word = name.find_first_of(", ") == std::string::npos;
    const std::string algorithm = std::string(kLibraryPrefix) + name;
    if (number > 0 && number < kNumbers && is_word && suits_ranks(algorithm, ranks)) {
      can[static_cast<std::size_t>(number)] = 1;
    }
  }
  check(PMPI_Allreduce(MPI_IN_PLACE, can.data(), kNumbers, MPI_INT, MPI_MIN, playing()));
  std::string all;
  for (const auto& [number, name] : names) {
    if (number <= 0 || number >= kNumbers || can[static_cast<std::size_t>(number)] == 0) continue;
    all += (all.empty() ? "" : ",") + name;
  }
  return all;
}

}  // namespace
}  // namespace nmt::collectives

extern "C" __attribute__((visibility("default"))) int nmt_play_within(const int* ranks, int count) {
  using namespace nmt::collectives;
  try {
    play_within(ranks, count);
    return kDone;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nmadtune: %s\n", error.what());
  }
  return kFailed;
}

extern "C" __attribute__((visibility("default"))) int nmt_play_collective(
    const nmt_collective_play* play) {
  using namespace nmt::collectives;
  if (play->struct_bytes != sizeof *play) return kUnknown;
  try {
    return run_collective(*play);
  } catch (const nmt::Error& error) {
    std::fprintf(stderr, "nmadtune: %s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nmadtune: %s\n", error.what());
  }
  return kFailed;
}

extern "C" __attribute__((visibility("default"))) int nmt_collective_leaders(uint32_t* leaders,
                                                                             int capacity) {
  using namespace nmt::collectives;
  try {
    const std::vector<int>& others = hierarchy_of(1).other_leaders();
    const int count = static_cast<int>(others.size());
    for (int i = 0; i < std::min(count, capacity); ++i) {
      leaders[i] = static_cast<uint32_t>(others[static_cast<std::size_t>(i)]);
    }
    return count;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nmadtune: %s\n", error.what());
  }
  return -1;
}

extern "C" __attribute__((visibility("default"))) int nmt_collective_algorithms(
    const char* operation, char* names, int names_bytes_max) {
  using namespace nmt::collectives;
  try {
    const std::string all = settable_on_all(operation);
    if (all.size() >= static_cast<std::size_t>(std::max(names_bytes_max, 0))) return -1;
    std::memcpy(names, all.c_str(), all.size() + 1);
    return static_cast<int>(all.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nmadtune: %s\n", error.what());
  }
  return -1;
}
