// SPDX-License-Identifier: BSD-3-Clause
//
// Records launches of two hosts, alone and beside a neighbour by turns, for replays (recorded.h),
// in place of those recorded before. The machine must be quiet otherwise: everything else that runs
// is recorded too.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/cluster/parts.h"
#include "bench/cluster/recorded.h"
#include "bench/stage.h"
#include "core/method.h"
#include "core/statistics.h"
#include "profiledb/profiledb.h"

namespace nmt::bench {
namespace {

constexpr int kLaunches = 24;  // of each kind
constexpr std::chrono::seconds kBurst{2}, kRest{2};

bool is_disturbed(int launch) { return launch % 2 == 1; }  // by turns: in the same hour

// Computes on one core for a while, rests, and starts again, as a compiler or a script does.
class Neighbour {
 public:
  Neighbour() : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    using Clock = std::chrono::steady_clock;
    for (;;) {
      for (const auto end = Clock::now() + kBurst; Clock::now() < end;) {
      }
      ::sleep(kRest.count());
    }
  }
  ~Neighbour() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

 private:
  pid_t pid_;
};

// Transfers between the hosts, in hot buffers, as diff compares them.
std::map<RecordedCell, double> durations_in(const std::string& profile) {
  std::map<RecordedCell, double> found;
  const profiledb::ProfileDb db(profile, {});
  for (const Platform& platform : db.platforms()) {
    for (const SampleSet& set : db.sample_sets_in_force(platform.id)) {
      if (set.path.from_node == set.path.to_node || !set.others.empty()) continue;
      for (const Sample& sample : set.samples) {
        const Condition& condition = sample.condition;
        const std::vector<Repetition> repetitions = trusted(sample.repetitions);
        if (condition.benchmark != benchmark::kTransfer || condition.regime != "hot" ||
            !condition.is_alone() || sample.held_out || repetitions.empty()) {
          continue;
        }
        std::vector<double> durations_ns;
        for (const Repetition& each : repetitions) durations_ns.push_back(each.each_ns());
        found[{set.path.from.name, condition.method, sample.size_bytes}] = median(durations_ns);
      }
    }
  }
  return found;
}

// Of one launch, beside a neighbour or alone.
std::map<RecordedCell, double> durations_of_a_launch(const Stage& stage, bool disturbed,
                                                     int launch) {
  const std::string profile = fmt::format("{}/{}.db", stage.folder().string(), launch);
  const auto neighbour = disturbed ? std::make_unique<Neighbour>() : nullptr;
  stage.sample_behind(
      stage.in("one"),
      fmt::format("--no-pairs --budget 16s --max-size 64K --peer two --launcher '{} --lab {} run' "
                  "--db {}",
                  NMT_LAB_SCRIPT, stage.name(), profile));
  return durations_in(profile);
}

}  // namespace

void record_launches() {
  const Stage stage("two-rails");
  std::map<RecordedCell, int> times_measured;
  std::vector<std::map<RecordedCell, double>> launches;
  for (int launch = 0; launch < 2 * kLaunches; ++launch) {
    launches.push_back(durations_of_a_launch(stage, is_disturbed(launch), launch));
    for (const auto& [cell, duration_ns] : launches.back()) ++times_measured[cell];
    std::fprintf(stderr, "cluster: launch %d of %d: %zu cells\n", launch + 1, 2 * kLaunches,
                 launches.back().size());
  }
  std::ofstream file(NMT_RECORDED_LAUNCHES);
  file << "launch,neighbour,rail,method,size_bytes,duration_ns\n";
  for (int launch = 0; launch < 2 * kLaunches; ++launch) {
    for (const auto& [cell, duration_ns] : launches[launch]) {
      if (times_measured[cell] < kLaunches / 2) continue;  // too few to say what is usual
      file << fmt::format("{},{:d},{},{},{},{:.0f}\n", launch, is_disturbed(launch), cell.rail,
                          cell.method, cell.size_bytes, duration_ns);
    }
  }
}

}  // namespace nmt::bench
