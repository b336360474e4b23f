// SPDX-License-Identifier: BSD-3-Clause
//
// This node's real rails, five times in a row, as a user would: nmad-sample --budget 60s --verify.
// During the third run a neighbour keeps both cores busy for some seconds, rests, and starts again.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "bench/row.h"
#include "bench/sampling/groups.h"
#include "core/error.h"
#include "core/json.h"
#include "core/plan_json.h"
#include "profiledb/profiledb.h"
#include "tuner/tuner.h"

namespace nmt::bench {
namespace {

constexpr int kRuns = 5;
constexpr int kDisturbedRun = 2;  // counted from 0
constexpr double kBudgetSeconds = 60;
constexpr int kBusySeconds = 4;

struct Run {
  double elapsed_seconds = 0;
  double resident_mib = 0;
  double profile_mib = 0;
  bool disturbed = false;
  Verification verification;
  std::vector<RailPlan> plans;  // hot
};

[[noreturn]] void be_a_busy_neighbour() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (;;) {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
    if (seconds / kBusySeconds % 2 == 1) ::usleep(100'000);
  }
}

std::vector<pid_t> start_neighbours() {
  std::vector<pid_t> neighbours;
  for (long i = 0; i < ::sysconf(_SC_NPROCESSORS_ONLN); ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) be_a_busy_neighbour();
    neighbours.push_back(pid);
  }
  return neighbours;
}

Run sample_once(const std::string& folder, int number) {
  const std::string database = folder + "/run" + std::to_string(number) + ".db";
  const std::string output = folder + "/run" + std::to_string(number) + ".json";
  const auto start = std::chrono::steady_clock::now();
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int file = ::open(output.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::execlp("nmad-sample", "nmad-sample", "--budget", "60s", "--verify", "--json", "--db",
             database.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(pid, &status, 0, &usage);
  Run run;
  run.elapsed_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.resident_mib = double(usage.ru_maxrss) / 1024;
  struct stat file {};
  ::stat(database.c_str(), &file);
  run.profile_mib = double(file.st_size) / (1 << 20);

  const json::Value document = json::parse_file(output);
  const json::Reader reader(document, output);
  run.disturbed = reader["campaign"]["disturbed"].boolean();
  run.verification = verification_from_json(reader["verify"]);
  const profiledb::ProfileDb db(database, {});
  const auto plan = db.plan(db.platforms().front().id);
  for (const RailPlan& rail : plan->rails) {
    if (rail.regime == "hot") run.plans.push_back(rail);
  }
  ::unlink(database.c_str());
  ::unlink(output.c_str());
  return run;
}

std::string run_name(std::size_t run) { return "run " + std::to_string(run + 1); }

void print_run(std::size_t number, const Run& run) {
  const std::string name = run_name(number) + ": ";
  print_row("sampling", name + "wall time", run.elapsed_seconds, "s", Goal::kAtMost,
            1.1 * kBudgetSeconds);
  double regret = 0;
  for (const auto& decision : run.verification.decisions) {
    regret = std::max(regret, decision.regret_p95);
  }
  print_row("sampling", name + "regret p95, worst decision", 100 * regret, "%", Goal::kAtMost, 2);
  double ratio = 0;
  for (const auto& prediction : run.verification.predictions) {
    if (prediction.noise_floor > 0) {
      ratio = std::max(ratio, prediction.error_median / prediction.noise_floor);
    }
  }
  print_row("sampling", name + "median prediction error, times the repeat noise, worst method",
            ratio, "x", Goal::kAtMost, 1.5);
}

// What the thresholds of one run cost under the curves of another, over all pairs of runs.
void print_agreement(const std::vector<Run>& runs) {
  double worst_mean = 0;
  for (std::size_t rail = 0; rail < runs.front().plans.size(); ++rail) {
    std::vector<RailPlan> plans;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (rail >= runs[i].plans.size()) continue;
      plans.push_back(runs[i].plans[rail]);
      plans.back().rail = run_name(i) + " " + plans.back().rail;
    }
    for (const tuner::ForeignRegret& foreign : tuner::compare(plans)) {
      worst_mean = std::max(worst_mean, foreign.mean);
    }
  }
  print_row("sampling", "five runs: mean regret of one run's decisions in another, worst pair",
            100 * worst_mean, "%", Goal::kAtMost, 2);
}

}  // namespace

void real_rails() {
  char folder[] = "/tmp/nmadtune-bench-XXXXXX";
  NMT_CHECK(::mkdtemp(folder) != nullptr);
  std::vector<Run> runs;
  for (int i = 0; i < kRuns; ++i) {
    std::fprintf(stderr, "real rails: run %d of %d%s\n", i + 1, kRuns,
                 i == kDisturbedRun ? ", with a busy neighbour" : "");
    std::vector<pid_t> neighbours;
    if (i == kDisturbedRun) neighbours = start_neighbours();
    runs.push_back(sample_once(folder, i));
    for (const pid_t pid : neighbours) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    print_run(std::size_t(i), runs.back());
  }
  ::rmdir(folder);
  print_row("sampling", "the disturbed run says so", runs[kDisturbedRun].disturbed ? 1 : 0, "",
            Goal::kAtLeast, 1);
  print_agreement(runs);
  double resident_mib = 0;
  double profile_mib = 0;
  for (const Run& run : runs) {
    resident_mib = std::max(resident_mib, run.resident_mib);
    profile_mib = std::max(profile_mib, run.profile_mib);
  }
  print_row("sampling", "resident memory of the largest process", resident_mib, "MiB",
            Goal::kAtMost, 200);
  print_row("sampling", "profile of one campaign", profile_mib, "MiB", Goal::kAtMost, 5);
}

}  // namespace nmt::bench
