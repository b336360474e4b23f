// SPDX-License-Identifier: BSD-3-Clause
//
// Records launches of two hosts beside a neighbour, for replays (recorded.h). The machine must be
// quiet otherwise: everything else that runs is recorded too.
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

constexpr int kLaunches = 24;  // as many as without a neighbour
constexpr std::chrono::seconds kBurst{2}, kRest{2};

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

}  // namespace

void record_launches() {
  const RecordedLaunches known = read_launches();
  std::size_t launch = 0;
  for (const char* rail : {"r0", "r1"}) {
    for (const std::size_t each : launches_of(known.durations_ns, rail)) {
      launch = std::max(launch, each + 1);
    }
  }
  const Stage stage("two-rails");
  for (int i = 0; i < kLaunches; ++i, ++launch) {
    const std::string profile = fmt::format("{}/{}.db", stage.folder().string(), i);
    {
      const Neighbour neighbour;
      stage.sample_behind(
          stage.in("one"),
          fmt::format("--no-pairs --budget 16s --max-size 64K --peer two --launcher '{} --lab {} "
                      "run' --db {}",
                      NMT_LAB_SCRIPT, stage.name(), profile));
    }
    std::ofstream file(NMT_RECORDED_LAUNCHES, std::ios::app);
    int cells = 0;
    for (const auto& [cell, duration_ns] : durations_in(profile)) {
      if (!known.durations_ns.contains(cell)) continue;  // of no other launch
      file << fmt::format("{},1,{},{},{},{:.0f}\n", launch, cell.rail, cell.method, cell.size_bytes,
                          duration_ns);
      ++cells;
    }
    std::fprintf(stderr, "cluster: launch %d of %d: %d cells\n", i + 1, kLaunches, cells);
  }
}

}  // namespace nmt::bench
