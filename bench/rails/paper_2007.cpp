// SPDX-License-Identifier: BSD-3-Clause
//
// Figures of the paper "multi-rail strategies": messages of several segments, aggregated or not,
// greedy over two rails against one, and the latency of the best rail with idle ones polled beside
// it; figure 2 of "sampling-based auto-tuning", one length in k packets.
#include <fmt/format.h>

#include <algorithm>

#include "bench/rails/groups.h"
#include "bench/rails/two_hosts.h"
#include "bench/row.h"
#include "core/statistics.h"

namespace nmt::bench {
namespace {

void segments(const TwoHosts& hosts) {
  for (const unsigned segments : {1u, 2u, 4u}) {
    const ByStrategy all = hosts.measure("single:r0,greedy,aggregate", "64,4K,1M",
                                         fmt::format("--rounds 15 --segments {}", segments));
    for (const auto& [size_bytes, alone] : all.at("single:r0")) {
      const std::string name = fmt::format("{} B in {} segments: ", size_bytes, segments);
      print_row("rails", name + "one rail, one by one", alone.latency_ns / 1e3, "us");
      print_row("rails", name + "aggregated", all.at("aggregate").at(size_bytes).latency_ns / 1e3,
                "us");
      print_row("rails", name + "greedy over two rails",
                all.at("greedy").at(size_bytes).latency_ns / 1e3, "us");
    }
  }
}

void one_length_in_packets(const TwoHosts& hosts) {
  for (const unsigned packets : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const ByStrategy all = hosts.measure("single:r0,aggregate", "16K",
                                         fmt::format("--rounds 15 --segments {}", packets), 1);
    print_row("rails", fmt::format("16 KiB in {} packets, one by one", packets),
              all.at("single:r0").begin()->second.latency_ns / 1e3, "us");
    print_row("rails", fmt::format("16 KiB in {} packets, aggregated", packets),
              all.at("aggregate").begin()->second.latency_ns / 1e3, "us");
  }
}

void aggregation(const TwoHosts& hosts) {
  const ByStrategy at_once =
      hosts.measure("single:r0,aggregate", "256", "--at-once 16 --rounds 25", 1);
  print_row("rails", "16 messages of 256 B at once: aggregated, faster than one by one",
            at_once.at("single:r0").begin()->second.latency_ns /
                at_once.at("aggregate").begin()->second.latency_ns,
            "times", Goal::kAtLeast, 2);
  const ByStrategy rates = hosts.measure("single:r0,aggregate", "8,256", "--pattern rate", 1);
  for (const auto& [size_bytes, alone] : rates.at("single:r0")) {
    print_row("rails", fmt::format("messages of {} B, one by one", size_bytes),
              alone.messages_per_second, "/s");
    print_row("rails", fmt::format("messages of {} B, out of the window", size_bytes),
              rates.at("aggregate").at(size_bytes).messages_per_second, "/s");
  }
}

// In turns, so that all see the same states of the machine.
void idle_rails_polled(const TwoHosts& hosts) {
  constexpr int kTurns = 7;
  std::vector<double> latencies_ns[3];
  for (int turn = 0; turn < kTurns; ++turn) {
    for (unsigned idle = 0; idle < 3; ++idle) {
      const ByStrategy all = hosts.measure("single:r0", "1", "--rounds 25", 1 + idle);
      latencies_ns[idle].push_back(all.at("single:r0").begin()->second.latency_ns);
    }
  }
  for (unsigned idle = 0; idle < 3; ++idle) {
    print_row("rails", fmt::format("1 B over the best rail, {} idle ones polled", idle),
              median(latencies_ns[idle]) / 1e3, "us");
    if (idle == 0) continue;
    print_row("rails", fmt::format("penalty of {} idle rails", idle),
              100 * (median(latencies_ns[idle]) / median(latencies_ns[0]) - 1), "%", Goal::kAtMost,
              5);
  }
}

}  // namespace

void paper_2007() {
  const TwoHosts hosts({1000, 600, 600});
  hosts.sample("60s");
  segments(hosts);
  one_length_in_packets(hosts);
  aggregation(hosts);
  idle_rails_polled(hosts);
}

}  // namespace nmt::bench
