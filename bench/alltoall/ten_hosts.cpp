// SPDX-License-Identifier: BSD-3-Clause
//
// Ten hosts on a switch whose ports carry 100 Mbit/s and queue 64 KB (scripts/lab), where messages
// do get lost. Fitted at 4, 5 and 6 ranks, how far off are predictions at 8 and 10, and how far
// those of the published method, fitted at 6? (And at 10, since 6 do not saturate it.) Under both
// MPIs, by three campaigns each.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/alltoall/groups.h"
#include "bench/alltoall/held_out.h"
#include "bench/output_of.h"
#include "bench/row.h"
#include "contention/samples.h"
#include "core/statistics.h"
#include "profiledb/profiledb.h"

namespace nmt::bench {
namespace {

constexpr char kGroup[] = "alltoall";
constexpr std::int64_t kFitted[] = {4, 5, 6};
constexpr int kRuns = 3;
constexpr int kBudgetS = 150;  // of the three minutes; the rest is for starting and ending the job

class Cluster {
 public:
  Cluster() : lab_(fmt::format("{} --lab b{}", NMT_LAB_SCRIPT, ::getpid())) {
    output_of(fmt::format("{} --owner {} up cluster --hosts 10 --rate 100mbit --queue 64kb", lab_,
                          ::getpid()));
  }
  ~Cluster() { output_of(lab_ + " down"); }
  Cluster(const Cluster&) = delete;

  // Of one campaign, by algorithm. One that is too disturbed to trust ends with 4, and is what this
  // machine gives.
  std::map<std::string, contention::AlltoallTimes> sample(const std::string& mpi) const {
    const std::string folder = made_folder();
    const std::string file = folder + "/profile.db";
    output_of(
        fmt::format("{} mpi {} nmad-sample --parts alltoall --ranks 4,5,6,8,10 --budget {}s "
                    "--db {} --json >/dev/null || test $? -eq 4",
                    lab_, mpi, kBudgetS, file));
    std::map<std::string, contention::AlltoallTimes> times;
    {
      const profiledb::ProfileDb db(file, {});
      for (const Platform& platform : db.platforms()) {
        for (contention::AlltoallTimes& each :
             contention::alltoall_times(db.sample_sets_in_force(platform.id))) {
          const std::string algorithm = each.algorithm.substr(0, each.algorithm.find(' '));
          times[algorithm] = std::move(each);
        }
      }
    }
    std::filesystem::remove_all(folder);
    return times;
  }

 private:
  static std::string made_folder() {
    std::string name = std::filesystem::temp_directory_path() / "nmadtune-bench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    return name;
  }

  std::string lab_;  // the command that makes it, and runs in it
};

std::vector<double> errors(const std::vector<HeldOut>& cells, double (HeldOut::*error)() const,
                           std::int64_t ranks = 0) {
  std::vector<double> all;
  for (const HeldOut& cell : cells) {
    if (ranks == 0 || cell.ranks == ranks) all.push_back(100 * (cell.*error)());
  }
  return all;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double share(std::size_t part, std::size_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// Of the cells of each run, those that every other run's interval holds too.
double agreement(const std::vector<std::vector<HeldOut>>& runs) {
  std::size_t agree = 0;
  std::size_t all = 0;
  for (const std::vector<HeldOut>& one : runs) {
    for (const std::vector<HeldOut>& other : runs) {
      if (&one == &other) continue;
      for (const HeldOut& cell : one) {
        for (const HeldOut& same : other) {
          if (same.ranks != cell.ranks || same.size_bytes != cell.size_bytes) continue;
          ++all;
          agree += same.interval_ns.low <= cell.predicted_ns &&
                   cell.predicted_ns <= same.interval_ns.high;
        }
      }
    }
  }
  return share(agree, std::max<std::size_t>(all, 1));
}

void print_runs(const std::string& name, const std::vector<std::vector<HeldOut>>& runs) {
  std::vector<HeldOut> all;
  for (const std::vector<HeldOut>& run : runs) all.insert(all.end(), run.begin(), run.end());
  std::vector<HeldOut> large;
  std::ranges::copy_if(all, std::back_inserter(large), &HeldOut::large);
  const double ours = mean(errors(all, &HeldOut::error));
  const double ordinary = mean(errors(all, &HeldOut::ordinary_error));
  const double generalized = mean(errors(all, &HeldOut::generalized_error));
  const auto row = [&](const std::string& what, double value, Goal goal = Goal::kNone,
                       double limit = 0) {
    print_row(kGroup, name + ": " + what, value, "%", goal, limit);
  };
  row("mean error at 8 and 10 ranks", ours, Goal::kAtMost, 10);
  for (const std::int64_t ranks : {8, 10}) {
    row(fmt::format("mean error at {} ranks", ranks), mean(errors(all, &HeldOut::error, ranks)));
  }
  if (!large.empty()) {
    row("median error from M on", median(errors(large, &HeldOut::error)), Goal::kAtMost, 5);
  }
  const auto published = [&](const std::string& squares, double error) {
    row("mean error of the published method, " + squares + " squares", error);
    row("our mean error, as a share of that by " + squares + " squares", 100 * ours / error,
        Goal::kAtMost, 60);
  };
  published("ordinary", ordinary);
  published("generalized", generalized);
  row("mean error of the published method, ordinary squares, fitted at 10 ranks themselves",
      mean(errors(all, &HeldOut::ordinary_at_most_error)));
  row("mean error of the published method, generalized squares, fitted at 10 ranks themselves",
      mean(errors(all, &HeldOut::generalized_at_most_error)));
  row("intervals that hold the truth",
      share(static_cast<std::size_t>(std::ranges::count_if(all, &HeldOut::covered)), all.size()),
      Goal::kAtLeast, 90);
  row("predictions within the other runs' intervals", agreement(runs), Goal::kAtLeast, 100);
}

}  // namespace

void ten_hosts() {
  const Cluster cluster;
  for (const std::string mpi : {"openmpi", "mpich"}) {
    std::map<std::string, std::vector<std::vector<HeldOut>>> runs;
    double longest_s = 0;
    for (int run = 0; run < kRuns; ++run) {
      std::fprintf(stderr, "alltoall: ten hosts, %s, run %d of %d\n", mpi.c_str(), run + 1, kRuns);
      const auto begin = std::chrono::steady_clock::now();
      for (const auto& [algorithm, times] : cluster.sample(mpi)) {
        runs[algorithm].push_back(held_out(times, kFitted));
      }
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      longest_s = std::max(longest_s, took.count());
    }
    for (const auto& [algorithm, each] : runs) {
      print_runs(fmt::format("{}, {}", mpi, algorithm == "direct" ? "direct exchange" : algorithm),
                 each);
    }
    print_row(kGroup, mpi + ": the campaign on ten hosts, longest", longest_s, "s", Goal::kAtMost,
              180);
  }
}

}  // namespace nmt::bench
