// SPDX-License-Identifier: BSD-3-Clause
//
// A job of up to 128 ranks on 32 hosts: what its ranks hold above what MPI_Init leaves, how many
// messages the control of the campaign takes, how both grow, and how large the profile is.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "bench/cluster/parts.h"
#include "bench/output_of.h"
#include "bench/row.h"
#include "bench/stage.h"
#include "tests/control/growth.h"

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

// What collectives of a rank sent, as Open MPI's monitoring wrote it: "I FROM TO N bytes N msgs
// sent ..." for each rank that it sent to.
double sent_by_collectives(const std::filesystem::path& file) {
  std::ifstream lines(file);
  double sent = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, from, to, bytes, unit;
    double messages = 0;
    if (words >> kind >> from >> to >> bytes >> unit >> messages && kind == "I") sent += messages;
  }
  return sent;
}

// Messages that a rank sent for one text that rank 0 broadcast, such as an order: the broadcast
// itself, barriers and results. Of rank 0, and the most of the others.
struct Control {
  double first = 0, others = 0;
};
Control control_in(const std::filesystem::path& folder, int ranks) {
  Control control;
  for (int rank = 0; rank < ranks; ++rank) {
    double broadcasts = 0, texts = 0;
    std::ifstream(folder / std::to_string(rank)) >> broadcasts >> texts;
    const double sent = texts + sent_by_collectives(folder / fmt::format("sent.{}.prof", rank));
    const double orders = broadcasts / 2;  // the size of a text, then the text
    double& most = rank == 0 ? control.first : control.others;
    most = std::max(most, sent / std::max(1.0, orders));
  }
  return control;
}

std::string build(const Stage& stage, const std::string& compiler, const std::string& name) {
  const std::string program = stage.folder() / name;
  output_of(fmt::format("{} -O2 {}/{}.c -o {}", compiler, NMT_MEMORY_PROGRAMS, name, program));
  return program;
}

// What was counted at each number of ranks.
struct Counted {
  testing::ByRanks first_mb, others_mb;
  testing::ByRanks first_messages, others_messages;
};

// By least squares, of all numbers of ranks.
void print_growth(const Counted& counted) {
  const auto memory = [](const std::string& of, const testing::ByRanks& mb) {
    print_row(kGroup, "memory of " + of + ", exponent of N", testing::exponent_of(mb), "",
              Goal::kAtMost, 1);
  };
  memory("rank 0", counted.first_mb);
  memory("the largest of the others", counted.others_mb);
  const auto messages = [](const std::string& of, const testing::ByRanks& sent) {
    const testing::LogFit fit = testing::fit_log2(sent);
    const std::string title = of + " for an order, as a line over log2 N: ";
    print_row(kGroup, title + "for each doubling", fit.slope, "");
    print_row(kGroup, title + "the furthest from it", 100 * fit.error, "%", Goal::kAtMost, 10);
    print_row(kGroup, title + "at 10,000 ranks", fit.at(10'000), "");
  };
  messages("messages of rank 0", counted.first_messages);
  messages("the most messages of another rank", counted.others_messages);
}

}  // namespace

void many_ranks() {
  const Stage stage("cluster --hosts 32 --rate 1000mbit --queue 400kb --mtu 8000 --burst 66kb");
  const std::string peak = build(stage, "cc", "peak_memory");
  const std::string after_init = build(stage, "mpicc.openmpi", "after_init");
  const std::string count = build(stage, "mpicc.openmpi -shared -fPIC", "count_control");
  Counted counted;
  for (const int ranks : {8, 16, 32, 64, 128}) {
    const std::filesystem::path folder = stage.folder() / std::to_string(ranks);
    std::filesystem::create_directories(folder / "init");
    std::filesystem::create_directories(folder / "peak");
    std::filesystem::create_directories(folder / "sent");
    const std::string launcher =
        stage.launcher("openmpi", fmt::format("-n {} --per-host {}", ranks, kPerHost));
    output_of(fmt::format("{} {} {}/init", launcher, after_init, folder.string()));
    const std::string counting = fmt::format(
        "env LD_PRELOAD={0} NMT_COUNTS={1}/sent OMPI_MCA_pml_monitoring_enable=2 "
        "OMPI_MCA_pml_monitoring_enable_output=3 OMPI_MCA_pml_monitoring_filename={1}/sent/sent",
        count, folder.string());
    stage.sample_behind(
        fmt::format("{} {} {}/peak {}", launcher, peak, folder.string(), counting),
        fmt::format("--parts node,pairs,mpi --budget 60s --db {}/profile.db", folder.string()));
    const Memory before = memory_in(folder / "init"), most = memory_in(folder / "peak");
    const std::string title = fmt::format("{} ranks on {} hosts: ", ranks, ranks / kPerHost);
    const bool all = ranks == 128;
    print_row(kGroup, title + "rank 0 at most, above its size after MPI_Init",
              most.first_mb - before.first_mb, "MB", all ? Goal::kAtMost : Goal::kNone, 200);
    print_row(kGroup, title + "the largest of the others, above the same",
              most.others_mb - before.others_mb, "MB");
    const Control control = control_in(folder / "sent", ranks);
    print_row(kGroup, title + "messages that rank 0 sends for an order", control.first, "");
    print_row(kGroup, title + "the most that another rank sends for it", control.others, "");
    counted.first_mb[ranks] = most.first_mb - before.first_mb;
    counted.others_mb[ranks] = most.others_mb - before.others_mb;
    counted.first_messages[ranks] = control.first;
    counted.others_messages[ranks] = control.others;
    print_row(kGroup, title + "profile",
              static_cast<double>(std::filesystem::file_size(folder / "profile.db")) / kMegabyte,
              "MB", all ? Goal::kAtMost : Goal::kNone, 20);
  }
  print_growth(counted);
}

}  // namespace nmt::bench
