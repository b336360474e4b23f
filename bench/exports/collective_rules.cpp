// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on four hosts of four ranks: sampled within a quarter of an hour, and the files of
// rules as they were written against the library's own choice, launches in turns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "bench/exports/groups.h"
#include "bench/exports/stage.h"
#include "bench/output_of.h"
#include "bench/row.h"
#include "core/statistics.h"
#include "stacks/stacks.h"

namespace nmt::bench {
namespace {

constexpr std::uint32_t kTurns = 9;
constexpr double kSampledWithinS = 900;

constexpr int kRanks = 16;

using Which = std::pair<std::string, std::uint64_t>;  // operation, size
using Cells = std::map<Which, stacks::ByRound>;

// What nmad-sample's ranks time of the library's own choice, rules included where it has some.
void time_own_choice(const std::string& mpi, const std::string& settings,
                     const std::string& launcher, const std::set<Which>& which, std::uint32_t turn,
                     Cells& cells) {
  std::map<std::string, std::vector<std::uint64_t>> sizes_bytes;
  for (const auto& [operation, size_bytes] : which) sizes_bytes[operation].push_back(size_bytes);
  for (const auto& [operation, sizes] : sizes_bytes) {
    const std::string out =
        output_of(fmt::format("env {} {} nmad-sample --stack {} --json --quiet --turn "
                              "operation:{}/candidates:0x0/sizes:{}/budget:5000000000/seed:1",
                              settings, launcher, mpi, operation, fmt::join(sizes, ",")));
    const json::Value document = json::parse(out, "nmad-sample");
    const json::Reader reader(document, "nmad-sample");
    for (const json::Reader& cell : reader["collectives"]["cells"].items()) {
      if (cell["ranks"].integer(1, 1 << 20) != kRanks) continue;
      std::vector<double> rounds_ns;
      for (const json::Reader& round : cell["rounds_ns"].items()) {
        rounds_ns.push_back(round.number());
      }
      cells[{operation, cell["size_bytes"].unsigned_integer()}][turn] = median(rounds_ns);
    }
  }
}

// Every size that was sampled over all ranks, and of those the ones at which some algorithm of the
// library beats its own choice by more than 10 %.
struct Sizes {
  std::set<Which> all, improvable;
};
Sizes sizes_in(const json::Value& sampled) {
  Sizes sizes;
  const json::Reader reader(sampled, "nmad-sample");
  for (const json::Reader& cell : reader["cells"].items()) {
    if (cell["ranks"].integer(1, 1 << 20) != kRanks) continue;
    const Which which{cell["operation"].text(), cell["size_bytes"].unsigned_integer()};
    sizes.all.insert(which);
    if (cell["best_gain"].number() > 1.1) sizes.improvable.insert(which);
  }
  return sizes;
}

// With the files as they were written, in the environment.
std::string rules_in(const std::string& mpi, const std::string& folder) {
  std::string words;
  for (const auto& [name, value] : stacks::rules_settings(mpi, folder + "/files/")) {
    words += fmt::format("{}{}={} ", stacks::find_stack(mpi).environment_prefix, name, value);
  }
  return words;
}

void rules_of(const std::string& mpi) {
  const Stage stage("cluster --hosts 4 --rate 1000mbit --queue 400kb --mtu 8000 --burst 66kb");
  const std::string launcher = stage.launcher(mpi, "--per-host 4");
  const auto title = [&](std::string_view what) {
    return mpi == "openmpi" ? std::string(what) : fmt::format("{}: {}", mpi, what);
  };
  double elapsed_s = 0;
  const Sizes sizes = sizes_in(stage.sample(
      fmt::format("--stack {} --parts collectives --launcher '{}'", mpi, launcher), &elapsed_s));
  print_row("exports", title("sampling collectives on 16 ranks"), elapsed_s, "s", Goal::kAtMost,
            kSampledWithinS);
  const std::string folder = stage.folder().string();
  const json::Value written = stage.tune(fmt::format("export {} -o {}/files/", mpi, folder));
  if (json::Reader(written, "nmad-tune export")["files"].items().empty()) return;
  Cells before, after;
  for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
    time_own_choice(mpi, "A=", launcher, sizes.all, turn, before);
    time_own_choice(mpi, rules_in(mpi, folder), launcher, sizes.all, turn, after);
  }
  double worst = INFINITY, sum = 0;
  for (const auto& [which, times] : before) {
    const stacks::Ratio ratio = stacks::ratio_of(times, after.at(which));  // of each turn
    worst = std::min(worst, ratio.value);
    if (ratio.slower()) {
      std::fprintf(stderr, "exports: %s of %" PRIu64 " B: %.3f times, %.3f to %.3f\n",
                   which.first.c_str(), which.second, ratio.value, ratio.low, ratio.high);
    }
    if (sizes.improvable.contains(which)) sum += std::log(ratio.value);
  }
  const auto improvable = static_cast<double>(sizes.improvable.size());
  print_row("exports", title("collectives: the slowest cell against the default"), worst, "times",
            Goal::kAtLeast, 0.98);
  print_row("exports", title("collectives: cells with an algorithm more than 10 % faster"),
            improvable, "");
  print_row("exports", title("collectives: those, in geometric mean"),
            std::exp(sum / std::max(1.0, improvable)), "times", Goal::kAtLeast, 1.3);
}

}  // namespace

void collective_rules() { rules_of("openmpi"); }
void mpich_rules() { rules_of("mpich"); }

}  // namespace nmt::bench
