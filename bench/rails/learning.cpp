// SPDX-License-Identifier: BSD-3-Clause
//
// What the engine makes of a profile that is not true (any more), on rails of the lab, message by
// message: tests/engine/learning_test.cpp has the same in virtual time.
//
// "wrong": one rail's curves say 30 % more than was sampled, the other's 30 % less. After ten
// messages of a size, adaptive is compared with the best fixed strategy, which has the profile as
// it was sampled. Takes two minutes.
// "falls": a rail falls from 1000 to 500 Mbit/s while messages go over it. After 20 more messages,
// adaptive is compared with the sum of what each rail alone carries then. Takes three minutes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/rails/echo_couple.h"
#include "bench/rails/groups.h"
#include "bench/rails/two_hosts.h"
#include "bench/row.h"
#include "core/statistics.h"
#include "core/units.h"
#include "profiledb/profiledb.h"
#include "runtime/runtime.h"

namespace nmt::bench {
namespace {

constexpr int kTurns = 41;
constexpr double kTurnNs = 2e6;  // small messages go several times in one turn

using Profile = std::unique_ptr<nmt_profile, void (*)(nmt_profile*)>;

Profile opened(const Plan& plan) { return {runtime::open_plan(plan), nmt_close}; }

// As nmad-sample left it in host "one".
Plan sampled_plan(const TwoHosts& hosts) {
  const profiledb::ProfileDb database(hosts.profile_file("one"), {});
  for (const Platform& platform : database.platforms()) {
    if (std::optional<Plan> plan = database.plan(platform.id)) return *plan;
  }
  std::fprintf(stderr, "rails: nmad-sample left no plan in %s\n", database.file().c_str());
  std::exit(1);
}

Curve scaled(const Curve& curve, double factor) {
  if (curve.empty()) return curve;
  std::vector<Point> points(curve.points().begin(), curve.points().end());
  for (Point& point : points) point.duration_ns *= factor;
  return Curve(std::move(points));
}

// All that the plan says of these rails takes so many times as long.
Plan scaled(Plan plan, const std::vector<std::pair<std::string, double>>& factors) {
  for (const auto& [name, factor] : factors) {
    for (RailPlan& rail : plan.rails) {
      if (rail.rail != name) continue;
      for (PlanCurve& curve : rail.curves) {
        curve.duration = scaled(curve.duration, factor);
        curve.low = scaled(curve.low, factor);
        curve.high = scaled(curve.high, factor);
      }
    }
  }
  return plan;
}

struct Contender {
  std::string name;
  std::unique_ptr<EchoCouple> couple;
  std::vector<double> times_ns;  // of the size that is measured
};

Contender contender(const TwoHosts& hosts, const std::string& name, const std::string& strategy,
                    const nmt_profile* profile, std::size_t size_bytes_max) {
  return {name, std::make_unique<EchoCouple>(hosts, strategy, profile, size_bytes_max), {}};
}

void learn(EchoCouple& couple, std::size_t size_bytes, int messages) {
  for (int i = 0; i < messages; ++i) couple.half_round_trip_ns(size_bytes);
}

// Small messages go in a row, after one that wakes the far end, and their mean counts.
double turn_ns(EchoCouple& couple, std::size_t size_bytes) {
  const double guess_ns = couple.half_round_trip_ns(size_bytes);
  const int messages = std::max(1, static_cast<int>(kTurnNs / guess_ns));
  double sum_ns = 0;
  for (int i = 0; i < messages; ++i) sum_ns += couple.half_round_trip_ns(size_bytes);
  return sum_ns / messages;
}

void take_turns(std::vector<Contender>& contenders, std::size_t size_bytes, int turns) {
  std::mt19937_64 random(std::random_device{}());
  std::vector<Contender*> order;
  for (Contender& each : contenders) {
    each.times_ns.clear();
    order.push_back(&each);
  }
  for (int turn = 0; turn < turns; ++turn) {
    std::ranges::shuffle(order, random);
    for (Contender* each : order) each->times_ns.push_back(turn_ns(*each->couple, size_bytes));
  }
}

double median_of(const std::vector<Contender>& contenders, const std::string& name) {
  const auto found = std::ranges::find(contenders, name, &Contender::name);
  return median(found->times_ns);
}

}  // namespace

void wrong_profile() {
  constexpr int kLearned = 10;  // messages of a size, before it is measured
  constexpr std::array<std::size_t, 6> kSizesBytes = {8,        1 << 10,   16 << 10,
                                                      64 << 10, 256 << 10, 1 << 20};
  constexpr const char* kWrong[] = {"r0 too slow, r1 too fast", "r0 too fast, r1 too slow"};
  constexpr const char* kFixed[] = {"single:tcp:r0", "single:tcp:r1", "iso", "strip"};
  const TwoHosts hosts({1000, 600});
  hosts.sample("60s");
  const Plan plan = sampled_plan(hosts);
  const Profile sampled = opened(plan);
  const Profile wrong[] = {opened(scaled(plan, {{"tcp:r0", 1.3}, {"tcp:r1", 0.7}})),
                           opened(scaled(plan, {{"tcp:r0", 0.7}, {"tcp:r1", 1.3}}))};
  std::vector<Contender> contenders;
  for (const char* strategy : kFixed) {
    contenders.push_back(contender(hosts, strategy, strategy, sampled.get(), kSizesBytes.back()));
  }
  for (int i = 0; i < 2; ++i) {
    contenders.push_back(
        contender(hosts, kWrong[i], "adaptive", wrong[i].get(), kSizesBytes.back()));
  }
  double worst[] = {-1, -1};
  std::size_t worst_bytes[] = {0, 0};
  for (const std::size_t size_bytes : kSizesBytes) {
    for (Contender& each : contenders) learn(*each.couple, size_bytes, kLearned);
    take_turns(contenders, size_bytes, kTurns);
    double best_ns = median_of(contenders, kFixed[0]);
    for (const char* strategy : kFixed) {
      best_ns = std::min(best_ns, median_of(contenders, strategy));
    }
    for (int i = 0; i < 2; ++i) {
      const double behind = median_of(contenders, kWrong[i]) / best_ns - 1;
      print_row("rails",
                fmt::format("profile wrong by 30 %, {}: behind the best fixed strategy, {}",
                            kWrong[i], format_bytes(size_bytes)),
                100 * behind, "%");
      if (behind <= worst[i]) continue;
      worst[i] = behind;
      worst_bytes[i] = size_bytes;
    }
  }
  for (int i = 0; i < 2; ++i) {
    print_row("rails",
              fmt::format("profile wrong by 30 %, {}: behind the best fixed strategy after {} "
                          "messages, at worst ({})",
                          kWrong[i], kLearned, format_bytes(worst_bytes[i])),
              100 * worst[i], "%", Goal::kAtMost, 2);
  }
}

void fallen_rail() {
  constexpr unsigned kBefore = 1000, kAfter = 500;  // Mbit/s
  constexpr int kMessagesBefore = 30, kMessagesAfter = 20, kTurnsAfter = 21;
  const TwoHosts hosts({kBefore, 1000});
  hosts.sample("60s");
  const Profile profile = opened(sampled_plan(hosts));
  for (const std::size_t size_bytes : {256 << 10, 1 << 20, 16 << 20}) {
    std::vector<Contender> contenders;
    contenders.push_back(contender(hosts, "adaptive", "adaptive", profile.get(), size_bytes));
    for (const char* strategy : {"single:tcp:r0", "single:tcp:r1"}) {
      contenders.push_back(contender(hosts, strategy, strategy, profile.get(), size_bytes));
    }
    EchoCouple& adaptive = *contenders.front().couple;
    learn(adaptive, size_bytes, kMessagesBefore);
    std::atomic<bool> fallen = false;
    std::thread falls([&] {
      hosts.rate("r0", kAfter);
      fallen = true;
    });
    while (!fallen) learn(adaptive, size_bytes, 1);
    falls.join();
    learn(adaptive, size_bytes, kMessagesAfter);
    take_turns(contenders, size_bytes, kTurnsAfter);
    // At best, both rails carry what each of them carries alone.
    const double optimum_ns = 1 / (1 / median_of(contenders, "single:tcp:r0") +
                                   1 / median_of(contenders, "single:tcp:r1"));
    print_row("rails",
              fmt::format("a rail falls from {} to {} Mbit/s: behind the new optimum after {} "
                          "messages, {}",
                          kBefore, kAfter, kMessagesAfter, format_bytes(size_bytes)),
              100 * (median_of(contenders, "adaptive") / optimum_ns - 1), "%", Goal::kAtMost, 5);
    hosts.rate("r0", kBefore);
  }
}

}  // namespace nmt::bench
