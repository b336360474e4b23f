// SPDX-License-Identifier: BSD-3-Clause
//
// Rails that are busy: how well the end of what occupies one is foreseen (as the engine predicted
// it when it gave the transfer to the rail, and as it was), and what mixed flows gain from it
// against greedy, which gives each packet to the first idle rail.
#include <fmt/format.h>

#include <algorithm>

#include "bench/rails/groups.h"
#include "bench/rails/two_hosts.h"
#include "bench/row.h"

namespace nmt::bench {
namespace {

constexpr const char* kFlows[] = {"64K,256K,1M,4M", "1M,1M,1M", "4M,64K,64K,64K", "16M,1M,256K"};

}  // namespace

void busy_rails() {
  const TwoHosts hosts({1000, 600});
  hosts.sample("60s");
  const ByStrategy alone = hosts.measure("single:r0,single:r1", "256K,1M,4M,16M", "--rounds 9");
  double worst = 0;
  for (const auto& [strategy, sizes] : alone) {
    for (const auto& [size_bytes, measured] : sizes) {
      worst = std::max(worst, measured.release_error);
    }
  }
  print_row("rails", "error of a busy rail's predicted release, at worst", 100 * worst, "%",
            Goal::kAtMost, 5);
  for (const char* flows : kFlows) {
    const ByStrategy mixed =
        hosts.measure("greedy,strip,adaptive", flows, "--pattern flows --rounds 15");
    const auto of = [&](const char* strategy) {
      return mixed.at(strategy).begin()->second.latency_ns;
    };
    print_row("rails", fmt::format("flows of {}: sooner through than greedy", flows),
              100 * (1 - of("adaptive") / of("greedy")), "%", Goal::kAtLeast, 15);
    print_row("rails", fmt::format("flows of {}: sooner through than strip", flows),
              100 * (1 - of("adaptive") / of("strip")), "%");
  }
}

}  // namespace nmt::bench
