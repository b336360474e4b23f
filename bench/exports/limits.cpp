// SPDX-License-Identifier: BSD-3-Clause
//
// Thresholds of Open MPI, MPICH, UCX and libfabric over TCP and shared memory: no size slower than
// the default, and what the exported threshold costs at each size of a forced sweep that was not
// used to find it. Where the cores of a virtual machine are nearer or further apart than they were,
// another threshold is right (tools/stack/stack_recorder.h), so there is a second sweep then.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bench/exports/compared.h"
#include "bench/exports/groups.h"
#include "bench/row.h"
#include "bench/stage.h"
#include "core/statistics.h"
#include "core/units.h"
#include "sampler/sampler.h"

namespace nmt::bench {
namespace {

// Three times as many as a sampling takes: the sweep is the truth. UCX itself sends up to 683 KiB
// eagerly over TCP.
constexpr int kSweepRounds = 21;
constexpr int kComparedRounds = 11;
constexpr int kMoreRounds = 33;  // where some size is not known well enough to be judged
constexpr std::uint64_t kSweepBytes = 1 << 20;
constexpr std::uint64_t kLargeBytes = 1 << 20;
constexpr int kSweepsMax = 2;
constexpr double kRegretMax = 2;  // percent

// In percent, at each size of a sweep, where the transport sends eagerly up to so many bytes.
std::vector<double> regrets(const json::Reader& sweep, const std::string& transport,
                            std::uint64_t eager_bytes_max) {
  std::vector<double> all;
  for (const json::Reader& cell : sweep["protocols"].items()) {
    if (cell["transport"].text() != transport) continue;
    const double gain = cell["eager_gain"].number();  // of eager over rendezvous
    const bool eager = cell["size_bytes"].unsigned_integer() <= eager_bytes_max;
    all.push_back(100 * (std::max(1.0, eager ? 1 / gain : gain) - 1));
  }
  return all;
}

// Of large messages over several rails: a value replaces UCX's `auto`, which knows the rails.
void print_large(const std::string& name, const std::vector<Compared>& cells) {
  for (const Compared& cell : cells) {
    if (cell.size_bytes < kLargeBytes || !cell.rail.ends_with("/tcp")) continue;
    print(row_of("exports",
                 fmt::format("{}, {}: times as fast as the default", name,
                             format_bytes(cell.size_bytes)),
                 cell.ratio)
              .set("goal", nullptr)
              .set("holds", nullptr));
  }
}

// With more rounds, unless the first ones were enough: all sizes are known, or one is slower, which
// takes its setting back, so that it would be gone from a second comparison.
std::vector<Compared> compared(const Stage& stage, const std::string& stack,
                               const std::string& launcher) {
  std::vector<Compared> cells;
  for (const int rounds : {kComparedRounds, kMoreRounds}) {
    const std::vector<Compared> again = compared_in(
        stage.tune(fmt::format("ab {} --rounds {} --launcher '{}'", stack, rounds, launcher)));
    if (!again.empty()) cells = again;
    const auto is_known = [](const Compared& each) { return each.ratio.is_known(); };
    const auto is_slower = [](const Compared& each) { return each.ratio.high < 1; };
    if (std::ranges::all_of(cells, is_known) || std::ranges::any_of(cells, is_slower)) break;
  }
  return cells;
}

bool in_same_state(const json::Value& found, const json::Value& sweep) {
  const double before_ns = json::Reader(found, "nmad-sample")["core_exchange_ns"].number(0);
  const double now_ns = json::Reader(sweep, "nmad-sample")["core_exchange_ns"].number(0);
  return before_ns == 0 || now_ns == 0 ||
         std::abs(std::log(now_ns / before_ns)) <= sampler::kStateTolerance;
}

}  // namespace

void limits(const std::string& stack, const std::string& mpi, const std::string& rails) {
  const Stage stage("rails " + rails);
  const bool several = rails.find(' ') != std::string::npos;
  const std::string name =
      several ? fmt::format("{} over rails of {} Mbit/s", stack, rails) : stack;
  const std::string launcher = stage.launcher(mpi, "--per-host 2");
  const std::string arguments = fmt::format("--stack {} --launcher '{}'", stack, launcher);
  const json::Value found = stage.sample(arguments);
  const std::vector<Compared> cells = compared(stage, stack, launcher);
  std::vector<TimesAsFast> ratios;
  for (const Compared& cell : cells) ratios.push_back(cell.ratio);
  print_never_slower("exports", name + ": the slowest size against the default", ratios);
  if (several) print_large(name, cells);
  json::Value sweep;
  bool is_same_state = false;
  for (int i = 0; i < kSweepsMax && !is_same_state; ++i) {
    sweep = stage.sample(fmt::format("{} --parts protocols --rounds {} --max-size {}", arguments,
                                     kSweepRounds, kSweepBytes),
                         nullptr, fmt::format("sweep{}.db", i));
    is_same_state = in_same_state(found, sweep);
  }
  const auto title = [&](const std::string& transport) {
    return name + ", " + transport + ": regret of the threshold, p95";
  };
  std::set<std::string> missing = {"shm", "tcp"};
  for (const json::Reader& limit : json::Reader(found, "nmad-sample")["in_force"].items()) {
    const std::string transport = limit["transport"].text();
    missing.erase(transport);
    const std::vector<double> all = regrets(json::Reader(sweep, "nmad-sample"), transport,
                                            limit["eager_bytes_max"].unsigned_integer());
    if (transport == "shm" && !is_same_state) {
      print_missed("exports", title(transport), "%", Goal::kAtMost, kRegretMax,
                   "the cores were nearer or further apart during the sweep than before");
    } else if (all.empty()) {
      print_missed("exports", title(transport), "%", Goal::kAtMost, kRegretMax,
                   "the sweep has no size of it");
    } else {
      print_row("exports", title(transport), quantile(all, 0.95), "%", Goal::kAtMost, kRegretMax);
    }
  }
  for (const std::string& transport : missing) {
    print_missed("exports", title(transport), "%", Goal::kAtMost, kRegretMax,
                 "its limit was left alone");
  }
}

}  // namespace nmt::bench
