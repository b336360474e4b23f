// SPDX-License-Identifier: BSD-3-Clause
//
// One collective as it is ordered: for sampling and benchmarks.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

#include "collectives/collectives.h"
#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/teams.h"
#include "core/error.h"

namespace nmt::collectives {
namespace {

enum { kDone = 0, kUnknown = 1, kFailed = 2 };

// Beside those that stand in for MPI's functions, whose rules are of no matter here.
std::map<int, std::unique_ptr<Team>> played;  // by leaders of a node

Team& world(int leaders) {
  if (played.empty()) call_at_end([] { played.clear(); });
  std::unique_ptr<Team>& team = played[leaders];
  if (!team) team = std::make_unique<Team>(MPI_COMM_WORLD, options_from_environment(leaders));
  return *team;
}

Team& team_for(const nmt_collective_play& play) {
  return world(play.leaders == 0 ? 1 : static_cast<int>(play.leaders));
}

int by_library(const nmt_collective_play& play) {
  const std::string_view operation = play.operation;
  const int bytes = static_cast<int>(play.size_bytes);
  const int doubles = static_cast<int>(play.size_bytes / sizeof(double));
  if (operation == "bcast") {
    check(PMPI_Bcast(play.to, bytes, MPI_BYTE, play.root, MPI_COMM_WORLD));
  } else if (operation == "reduce") {
    check(PMPI_Reduce(play.from, play.to, doubles, MPI_DOUBLE, MPI_SUM, play.root, MPI_COMM_WORLD));
  } else if (operation == "allreduce") {
    check(PMPI_Allreduce(play.from, play.to, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  } else if (operation == "allgather") {
    check(PMPI_Allgather(play.from, bytes, MPI_BYTE, play.to, bytes, MPI_BYTE, MPI_COMM_WORLD));
  } else {
    return kUnknown;
  }
  return kDone;
}

int by_tree(const nmt_collective_play& play, Shape shape) {
  const std::string_view operation = play.operation;
  const Pipeline pipeline{shape, play.segment_bytes};
  const Reduction sum{MPI_DOUBLE, MPI_SUM, sizeof(double), play.size_bytes / sizeof(double)};
  const auto* from = static_cast<const std::byte*>(play.from);
  auto* to = static_cast<std::byte*>(play.to);
  if (operation == "bcast") {
    bcast(team_for(play), to, play.size_bytes, play.root, pipeline);
  } else if (operation == "reduce") {
    reduce(team_for(play), from, to, sum, play.root, pipeline);
  } else if (operation == "allreduce") {
    allreduce(team_for(play), from, to, sum, pipeline);
  } else {
    return kUnknown;
  }
  return kDone;
}

int gather(const nmt_collective_play& play, Around around) {
  auto* all = static_cast<std::byte*>(play.to);
  Team& team = team_for(play);
  std::memcpy(all + static_cast<std::uint64_t>(team.rank()) * play.size_bytes, play.from,
              play.size_bytes);
  allgather(team, all, play.size_bytes, around, play.segment_bytes);
  return kDone;
}

int play_it(const nmt_collective_play& play) {
  const std::string_view algorithm = play.algorithm;
  if (algorithm == "library") return by_library(play);
  if (std::string_view(play.operation) == "allgather") {
    const auto around = parse_around(algorithm);
    return around ? gather(play, *around) : kUnknown;
  }
  const auto shape = parse_shape(algorithm);
  return shape ? by_tree(play, *shape) : kUnknown;
}

}  // namespace
}  // namespace nmt::collectives

extern "C" __attribute__((visibility("default"))) int nmt_play_collective(
    const nmt_collective_play* play) {
  using namespace nmt::collectives;
  if (play->struct_bytes != sizeof *play) return kUnknown;
  try {
    return play_it(*play);
  } catch (const nmt::Error& error) {
    std::fprintf(stderr, "nmadtune: %s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nmadtune: %s\n", error.what());
  }
  return kFailed;
}

extern "C" __attribute__((visibility("default"))) int nmt_collective_leaders(uint32_t* leaders,
                                                                             int room) {
  using namespace nmt::collectives;
  try {
    const std::vector<int>& others = world(1).other_leaders();
    const int count = static_cast<int>(others.size());
    for (int i = 0; i < std::min(count, room); ++i) {
      leaders[i] = static_cast<uint32_t>(others[static_cast<std::size_t>(i)]);
    }
    return count;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nmadtune: %s\n", error.what());
  }
  return -1;
}
