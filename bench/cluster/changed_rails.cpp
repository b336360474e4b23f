// SPDX-License-Identifier: BSD-3-Clause
//
// Two hosts with rails of 1000 and 600 Mbit/s, sampled launch after launch.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "bench/cluster/parts.h"
#include "bench/output_of.h"
#include "bench/row.h"
#include "bench/stage.h"
#include "core/statistics.h"

namespace nmt::bench {
namespace {

constexpr int kTimes = 20;
constexpr int kLaunches = 5;  // of each side

std::string to_peer(const Stage& stage) {
  return fmt::format("--peer two --launcher '{} --lab {} run'", NMT_LAB_SCRIPT, stage.name());
}

void sample(const Stage& stage, const std::string& profile) {
  stage.sample_behind(stage.in("one"),
                      fmt::format("--no-pairs --budget 12s {} --db {}", to_peer(stage), profile));
}

// The exit code of a command whose output does not matter.
int exit_code(const std::string& command) {
  const std::string code = output_of(fmt::format("{} >&2; echo $?", command));
  return std::atoi(code.c_str());
}

}  // namespace

void unchanged_rails() {
  const Stage stage("two-rails");
  std::vector<std::string> profiles;
  for (int i = 0; i < kTimes - 1 + 2 * kLaunches; ++i) {
    profiles.push_back(fmt::format("{}/{}.db", stage.folder().string(), i));
    sample(stage, profiles.back());
  }
  const auto merged = [&](const std::string& name, int first) {
    const std::string side = fmt::format("{}/{}.db", stage.folder().string(), name);
    std::string sources;
    for (int i = first; i < first + kLaunches; ++i) sources += " " + profiles[std::size_t(i)];
    output_of(fmt::format("rm -f {0}; nmad-tune db merge --db {0} {1} >&2", side, sources));
    return side;
  };
  int alarms = 0, silent = 0;
  for (int i = 0; i < kTimes; ++i) {
    const std::string before = merged("before", i), after = merged("after", i + kLaunches);
    const std::string found =
        output_of(fmt::format("nmad-tune diff {} {} --json || test $? -eq 8", before, after));
    const json::Value document = json::parse(found, "nmad-tune diff");
    const json::Reader diff(document, "nmad-tune diff");
    std::fprintf(stderr, "cluster: %s\n", diff["sentence"].text().c_str());
    alarms += diff["slower"].unsigned_integer() + diff["faster"].unsigned_integer() > 0;
    silent += !diff["can_say"].boolean();
  }
  print_row(kGroup, "diff of rails that did not change, live: alarms", alarms,
            fmt::format("of {}", kTimes), Goal::kAtMost, 0);
  print_row(kGroup, "the same: cannot say", silent, fmt::format("of {}", kTimes), Goal::kAtMost, 0);
}

void checked_rails() {
  constexpr int kSlower = 8;  // the exit code
  const Stage stage("two-rails");
  const std::string profile = stage.folder() / "profile.db";
  for (int i = 0; i < kLaunches + 1; ++i) sample(stage, profile);
  const std::string check = fmt::format("{} nmad-sample --quiet --confirm {} --db {}",
                                        stage.in("one"), to_peer(stage), profile);
  std::vector<double> elapsed_s;
  int alarms = 0, found = 0;
  for (int i = 0; i < kTimes; ++i) {
    const auto start = std::chrono::steady_clock::now();
    alarms += exit_code(check) == kSlower;
    elapsed_s.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    stage.lab("rate r1 540");
    found += exit_code(check) == kSlower;
    stage.lab("rate r1 600");
  }
  print_row(kGroup, "check of two rails between two hosts, live", median(elapsed_s), "s",
            Goal::kAtMost, 2);
  print_row(kGroup, "the same: a rail that lost 10 % is found", found, fmt::format("of {}", kTimes),
            Goal::kAtLeast, kTimes - 1);
  print_row(kGroup, "the same: false alarms", alarms, fmt::format("of {}", kTimes));
}

}  // namespace nmt::bench
