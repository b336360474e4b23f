// SPDX-License-Identifier: BSD-3-Clause
//
// What it saves that two cores submit the chunks of an eager message at the same time, where a
// submission occupies its core (paper "multirail on multicore", figures 4 and 9: measured, where
// the paper estimates by equation 1).
//
// No card here has programmed I/O. So its rails are described, and a core that submits computes for
// as long as described, by the wall clock. Each message goes in three ways, in turns: both chunks
// by one core, one after the other (figure 4 a); whole over the better rail (4 b); and as the
// strategy `offload` sends it (4 c), by what nmad-sample measures of handing over on this machine.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "bench/rails/groups.h"
#include "bench/row.h"
#include "core/clock.h"
#include "core/statistics.h"
#include "node/node.h"
#include "sampler/rail/offload.h"
#include "tests/engine/programmed_io.h"
#include "tests/runtime/planted.h"
#include "tuner/tuner.h"

namespace nmt::bench {
namespace {

using engine::ProgrammedIoCouple;
using engine::ProgrammedIoRail;

// The paper's networks, so much slower that little of a time is what two engines do besides, both
// of which run on the core that sends.
constexpr double kTimesAsSlow = 10;
// What two engines do besides may take so much of the ratio of two times.
constexpr double kTolerance = 1.1;

constexpr std::size_t kSizesBytes[] = {2048, 4096, 8192, 16384, 32768};
constexpr int kTurns = 301;
constexpr int kFirstMessages = 11;          // show in which chunks a message goes
constexpr double kCampaignNs = 20e9;        // of which handing over would be measured
constexpr std::uint64_t kRestNs = 100'000;  // after it, a helper without work sleeps

void keep_busy(const Clock& clock, std::uint64_t duration_ns) {
  const std::uint64_t end_ns = clock.now_ns() + duration_ns;
  while (clock.now_ns() < end_ns) {
  }
}

// Two engines, of which the near one sends by one strategy.
class Sender {
 public:
  Sender(const std::vector<ProgrammedIoRail>& rails, const engine::EngineOptions& options)
      : clock_(*options.clock), couple_(rails, options, [&clock = clock_](double duration_ns) {
          keep_busy(clock, static_cast<std::uint64_t>(duration_ns));
        }) {}

  double message_ns(const std::vector<std::size_t>& segments_bytes) {
    keep_busy(clock_, kRestNs);
    return couple_.transfer_ns(segments_bytes);
  }

  // What goes over either rail of a message in one segment.
  std::vector<std::size_t> chunks(std::size_t size_bytes) {
    std::vector<double> first;
    for (int i = 0; i < kFirstMessages; ++i) {
      const std::size_t before_bytes = couple_.bytes_sent(0);
      message_ns({size_bytes});
      first.push_back(static_cast<double>(couple_.bytes_sent(0) - before_bytes));
    }
    const auto first_bytes = static_cast<std::size_t>(median(first));
    return {first_bytes, size_bytes - first_bytes};
  }

 private:
  const Clock& clock_;
  ProgrammedIoCouple couple_;
};

// Medians of messages of one size.
struct Times {
  std::size_t size_bytes = 0;
  std::vector<std::size_t> chunks;  // one is empty where it does not pay to hand over the other
  double one_core_ns = 0;           // for these chunks
  double better_rail_ns = 0;
  double two_cores_ns = 0;

  bool in_chunks() const { return chunks[0] > 0 && chunks[1] > 0; }
};

Times measure(Sender& one_core, Sender& better_rail, Sender& two_cores, std::size_t size_bytes) {
  Times times{.size_bytes = size_bytes, .chunks = two_cores.chunks(size_bytes)};
  std::vector<double> one_ns, better_ns, two_ns;
  for (int turn = 0; turn < kTurns; ++turn) {
    if (times.in_chunks()) one_ns.push_back(one_core.message_ns(times.chunks));
    better_ns.push_back(better_rail.message_ns({size_bytes}));
    two_ns.push_back(two_cores.message_ns({size_bytes}));
  }
  if (times.in_chunks()) times.one_core_ns = median(one_ns);
  times.better_rail_ns = median(better_ns);
  times.two_cores_ns = median(two_ns);
  return times;
}

void print_times(const std::string& helper, const Times& times,
                 const std::vector<ProgrammedIoRail>& rails, double handing_over_ns) {
  const std::string name = fmt::format("programmed I/O, {} B, {}: ", times.size_bytes, helper);
  print_row("rails", name + "whole over the better rail", times.better_rail_ns / 1e3, "us");
  print_row("rails", name + "by two cores where advised", times.two_cores_ns / 1e3, "us");
  if (!times.in_chunks()) return;
  const double first_ns = rails[0].submission_ns(times.chunks[0]);
  const double second_ns = rails[1].submission_ns(times.chunks[1]);
  // As the paper has it: nothing begins before the handing over.
  const double equation_ns = handing_over_ns + std::max(first_ns, second_ns);
  print_row("rails", name + "in the same chunks by one core", times.one_core_ns / 1e3, "us");
  print_row("rails", name + "two cores, of one core's time (at most equation 1 and 10 %)",
            times.two_cores_ns / times.one_core_ns, "times", Goal::kAtMost,
            kTolerance * equation_ns / (first_ns + second_ns));
  print_row("rails", name + "sooner than whole over the better rail",
            100 * (1 - times.two_cores_ns / times.better_rail_ns), "%");
}

void compare(const Clock& clock, const std::vector<OffloadCost>& costs, bool spins) {
  const node::CorePair cores = node::nearest_cores();
  const std::string placement = node::placement(cores.near, cores.far) + (spins ? " spinning" : "");
  const auto cost = std::ranges::find_if(costs, [&](const OffloadCost& each) {
    return !each.preempting && each.placement == placement;
  });
  if (cost == costs.end()) {
    std::fprintf(stderr, "rails: programmed-io: there is one core only\n");
    return;
  }
  const std::string helper = spins ? "helper spins" : "helper sleeps";
  print_row("rails", "handing over to another core, " + helper, cost->cost_ns / 1e3, "us");
  const std::vector<ProgrammedIoRail> rails = engine::published_rails(kTimesAsSlow);
  const planted::Profile profile(engine::plan_of(rails, costs));
  const auto sender = [&](const char* strategy) {
    return Sender(rails, {.strategy = strategy,
                          .profile = profile.get(),
                          .clock = &clock,
                          .helpers_max = 1,
                          .spinning_helpers = spins ? 1u : 0u});
  };
  // Helpers take other cores than that of the thread that makes them, and keep to its limits.
  do {
    const node::OnCores here(cores.near);
  } while (::sched_getcpu() != cores.near);
  Sender two_cores = sender("offload");
  if (::sched_getcpu() != cores.near) {
    std::fprintf(stderr, "rails: programmed-io: the kernel moved this thread; run it again\n");
    return;
  }
  Sender one_core = sender("greedy"), better_rail = sender("aggregate");
  const node::OnCores pinned(cores.near);
  double worst = -1;
  for (const std::size_t size_bytes : kSizesBytes) {
    const Times times = measure(one_core, better_rail, two_cores, size_bytes);
    print_times(helper, times, rails, cost->cost_ns);
    worst = std::max(worst, times.two_cores_ns / times.better_rail_ns - 1);
  }
  print_row(
      "rails",
      fmt::format("programmed I/O, {}: two cores where advised, behind one, at worst", helper),
      100 * worst, "%", Goal::kAtMost, 2);
}

}  // namespace

void programmed_io() {
  const RealClock clock;
  const SampleSet set{.samples =
                          sampler::sample_offload(clock, sampler::offload_budget_ns(kCampaignNs))};
  const std::vector<OffloadCost> costs =
      tuner::derive_plan(Id::random(), std::span(&set, 1), {}).offloads;
  for (const bool spins : {false, true}) compare(clock, costs, spins);
}

}  // namespace nmt::bench
