// SPDX-License-Identifier: BSD-3-Clause
//
// A job of up to 128 ranks on 32 hosts: what its ranks hold above what MPI_Init leaves, and how
// large the profile is.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/cluster/live.h"
#include "bench/output_of.h"
#include "bench/row.h"
#include "bench/stage.h"

namespace nmt::bench {
namespace {

constexpr int kPerHost = 4;
constexpr double kMegabyte = 1e6;

// What each rank left in FOLDER/RANK: of rank 0, and the most of the others.
struct Memory {
  double first_mb = 0, others_mb = 0;
};
Memory memory_in(const std::filesystem::path& folder) {
  Memory memory;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    double bytes = 0;
    std::ifstream(entry.path()) >> bytes;
    double& most = entry.path().filename() == "0" ? memory.first_mb : memory.others_mb;
    most = std::max(most, bytes / kMegabyte);
  }
  return memory;
}

std::string build(const Stage& stage, const std::string& compiler, const std::string& name) {
  const std::string program = stage.folder() / name;
  output_of(fmt::format("{} -O2 {}/{}.c -o {}", compiler, NMT_MEMORY_PROGRAMS, name, program));
  return program;
}

}  // namespace

void many_ranks() {
  const Stage stage("cluster --hosts 32 --rate 1000mbit --queue 400kb --mtu 8000 --burst 66kb");
  const std::string peak = build(stage, "cc", "peak_memory");
  const std::string after_init = build(stage, "mpicc.openmpi", "after_init");
  for (const int ranks : {8, 16, 32, 64, 128}) {
    const std::filesystem::path folder = stage.folder() / std::to_string(ranks);
    std::filesystem::create_directories(folder / "init");
    std::filesystem::create_directories(folder / "peak");
    const std::string launcher =
        stage.launcher("openmpi", fmt::format("-n {} --per-host {}", ranks, kPerHost));
    output_of(fmt::format("{} {} {}/init", launcher, after_init, folder.string()));
    stage.sample_behind(
        fmt::format("{} {} {}/peak", launcher, peak, folder.string()),
        fmt::format("--parts node,pairs,mpi --budget 60s --db {}/profile.db", folder.string()));
    const Memory before = memory_in(folder / "init"), most = memory_in(folder / "peak");
    const std::string title = fmt::format("{} ranks on {} hosts: ", ranks, ranks / kPerHost);
    const bool all = ranks == 128;
    print_row("cluster", title + "rank 0 at most, above its size after MPI_Init",
              most.first_mb - before.first_mb, "MB", all ? Goal::kAtMost : Goal::kNone, 200);
    print_row("cluster", title + "the largest of the others, above the same",
              most.others_mb - before.others_mb, "MB");
    print_row("cluster", title + "profile",
              static_cast<double>(std::filesystem::file_size(folder / "profile.db")) / kMegabyte,
              "MB", all ? Goal::kAtMost : Goal::kNone, 20);
  }
}

}  // namespace nmt::bench
