// SPDX-License-Identifier: BSD-3-Clause
//
// Eager chunks submitted by other cores, as in the paper "multirail on multicore" (figure 8): what
// the strategy `offload` makes of the measured cost of waking a core, against the better of
// splitting and not.
#include <fmt/format.h>

#include <algorithm>

#include "bench/rails/groups.h"
#include "bench/rails/two_hosts.h"
#include "bench/row.h"

namespace nmt::bench {

void offloaded_chunks() {
  const TwoHosts hosts({1000, 1000});
  hosts.sample("60s");
  const ByStrategy all =
      hosts.measure("single:r0,adaptive,offload", "512,1K,2K,4K,8K,16K,32K", "--rounds 25");
  double worst = 0;
  for (const auto& [size_bytes, chosen] : all.at("offload")) {
    const double adaptive_ns = all.at("adaptive").at(size_bytes).latency_ns;
    const double best_ns = std::min(adaptive_ns, chosen.latency_ns);
    print_row("rails", fmt::format("eager of {} B, this core alone", size_bytes), adaptive_ns / 1e3,
              "us");
    print_row("rails", fmt::format("eager of {} B, with other cores where advised", size_bytes),
              chosen.latency_ns / 1e3, "us");
    worst = std::max(worst, chosen.latency_ns / best_ns - 1);
  }
  print_row("rails", "offload behind the better of the two, at worst", 100 * worst, "%",
            Goal::kAtMost, 2);
}

}  // namespace nmt::bench
