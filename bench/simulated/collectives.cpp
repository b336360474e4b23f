// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of all ranks under SimGrid, by collectives/mpi and by SimGrid's own:
//
//   simulated_collectives OPERATION:SIZE:ALGORITHM:SEGMENT...
//
// Rank 0 prints each with its milliseconds, from the common start to the slowest rank's end. Once
// is enough: simulated time is always the same. An algorithm "library" is SimGrid's, as smpirun was
// told to choose it. Ranks are threads of one process there, so nothing here is global. Buffers of
// all are folded into the same memory; a node's ranks copy by messages.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string_view>
#include <vector>

#include "bench/simulated/way.h"
#include "collectives/mpi/algorithms/algorithms.h"

namespace {

using namespace nmt::collectives;
using nmt::bench::Way;

constexpr double kStartS = 0.01;  // all have heard of it by then

int play_library(const Way& way, const std::byte* from, std::byte* to) {
  const auto bytes = static_cast<int>(way.size_bytes);
  const auto doubles = static_cast<int>(way.size_bytes / sizeof(double));
  if (way.operation == "bcast") return MPI_Bcast(to, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (way.operation == "reduce") {
    return MPI_Reduce(from, to, doubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  if (way.operation == "allreduce") {
    return MPI_Allreduce(from, to, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

void play(NodeHierarchy& hierarchy, const Way& way, const std::byte* from, std::byte* to) {
  const auto pipeline = pipeline_options(way.operation, way.algorithm, way.segment_bytes);
  const auto algorithm = parse_allgather_algorithm(way.algorithm);
  const Reduction sum{MPI_DOUBLE, MPI_SUM, sizeof(double), way.size_bytes / sizeof(double)};
  if (way.operation == "bcast" && pipeline) {
    bcast(hierarchy, to, way.size_bytes, 0, *pipeline);
  } else if (way.operation == "reduce" && pipeline) {
    reduce(hierarchy, from, to, sum, 0, *pipeline);
  } else if (way.operation == "allreduce" && pipeline) {
    allreduce(hierarchy, from, to, sum, *pipeline);
  } else if (way.operation == "allgather" && algorithm) {
    allgather(hierarchy, to, way.size_bytes, *algorithm, way.segment_bytes);
  } else {
    std::fprintf(stderr, "simulated_collectives: no such algorithm: %s\n", way.text.data());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

// All ranks return at the same simulated time.
void start_together() {
  double own_s = MPI_Wtime(), last_s = own_s;
  MPI_Allreduce(&own_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double left_s = last_s + kStartS - MPI_Wtime();
  const timespec nap{.tv_sec = 0, .tv_nsec = std::max(0L, static_cast<long>(left_s * 1e9))};
  nanosleep(&nap, nullptr);
}

void run(const std::vector<Way>& ways) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::uint64_t from_bytes = 0, to_bytes = 0;
  bool ours = false;
  for (const Way& way : ways) {
    const int blocks = way.operation == "allgather" ? ranks : 1;
    from_bytes = std::max(from_bytes, way.size_bytes);
    to_bytes = std::max(to_bytes, way.size_bytes * static_cast<std::uint64_t>(blocks));
    ours = ours || way.algorithm != "library";
  }
  auto* const from = static_cast<std::byte*>(SMPI_SHARED_MALLOC(from_bytes));
  auto* const to = static_cast<std::byte*>(SMPI_SHARED_MALLOC(to_bytes));
  std::unique_ptr<NodeHierarchy> hierarchy;
  if (ours)
    hierarchy =
        std::make_unique<NodeHierarchy>(MPI_COMM_WORLD, HierarchyOptions{CopyMethod::kMessages});
  for (const Way& way : ways) {
    start_together();
    const double start_s = MPI_Wtime();
    if (way.algorithm == "library") {
      play_library(way, from, to);
    } else {
      play(*hierarchy, way, from, to);
    }
    double own_s = MPI_Wtime() - start_s, slowest_s = own_s;
    MPI_Allreduce(&own_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%s %.6f\n", way.text.data(), slowest_s * 1e3);
    std::fflush(stdout);
  }
  hierarchy.reset();
  SMPI_SHARED_FREE(from);
  SMPI_SHARED_FREE(to);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<Way> ways;
  for (int i = 1; i < argc; ++i) ways.push_back(nmt::bench::parse_way(argv[i]));
  run(ways);
  MPI_Finalize();
  return 0;
}
