// SPDX-License-Identifier: BSD-3-Clause
//
// Ten hosts; in each run the port of another one loses a fifth of its rate.
#include <fmt/format.h>

#include <cstdio>
#include <random>
#include <set>

#include "bench/cluster/parts.h"
#include "bench/cluster/recorded.h"
#include "bench/output_of.h"
#include "bench/row.h"
#include "bench/stage.h"

namespace nmt::bench {
namespace {

constexpr int kRuns = 20;
constexpr std::size_t kHosts = 10;

std::string names_in(const std::string& outliers) {
  const json::Value document = json::parse(outliers, "nmad-tune outliers");
  std::string names;
  for (const json::Reader& each : json::Reader(document, "nmad-tune")["outliers"].items()) {
    names +=
        fmt::format("{} {} {}, ", each["kind"].text(), each["node"].text(), each["figure"].text());
  }
  return names;
}

}  // namespace

void slow_port() {
  const Stage stage(fmt::format("cluster --hosts {}", kHosts));
  std::mt19937_64 random(1);
  int named = 0, others = 0;
  for (int run = 0; run < kRuns; ++run) {
    const std::string slow = fmt::format("h{}", draw(random, kHosts));
    const std::string profile = fmt::format("{}/{}.db", stage.folder().string(), run);
    stage.lab(fmt::format("rate {} 80mbit", slow));
    stage.sample_behind(stage.launcher("openmpi", ""),
                        fmt::format("--parts pairs --budget 15s --db {}", profile));
    stage.lab(fmt::format("rate {} 100mbit", slow));
    const std::string found =
        names_in(output_of(fmt::format("nmad-tune outliers --json --db {}", profile)));
    std::fprintf(stderr, "cluster: %s is slow; found: %s\n", slow.c_str(), found.c_str());
    const std::string wanted = fmt::format("node {} bandwidth, ", slow);
    named += found.find(wanted) != std::string::npos;
    others += !found.empty() && found != wanted;
  }
  print_row(kGroup, "ten hosts, one port slower by 20 %: the host is named", named,
            fmt::format("of {}", kRuns), Goal::kAtLeast, kRuns);
  print_row(kGroup, "the same: anything else is named too", others, fmt::format("of {}", kRuns));
}

}  // namespace nmt::bench
