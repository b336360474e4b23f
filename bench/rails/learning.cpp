// SPDX-License-Identifier: BSD-3-Clause
//
// What the engine makes of a profile that is not true (any more), on rails of the lab, message by
// message: tests/engine/learning_test.cpp has the same in virtual time.
//
// "wrong": one rail's curves say 30 % more than was sampled, the other's 30 % less. The message
// right after the first ten is compared with the same message of the best fixed strategy, which has
// the profile as it was sampled. Takes four minutes.
// "falls": a rail falls from 1000 to 500 Mbit/s between two messages. The message right after the
// next 20 is compared with the sum of what each rail alone carries then. Takes four minutes.
//
// Engines go on learning, so each of these messages goes between engines that begin anew, and the
// median over many such couples counts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/rails/echo_couple.h"
#include "bench/rails/groups.h"
#include "bench/rails/two_hosts.h"
#include "bench/row.h"
#include "core/clock.h"
#include "core/statistics.h"
#include "core/units.h"
#include "profiledb/profiledb.h"
#include "runtime/runtime.h"

namespace nmt::bench {
namespace {

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
  std::string strategy;
  const nmt_profile* profile;
  std::vector<double> times_ns;  // of the size that is measured
};

// Turns end once this time is over, but not before there are so many.
class Turns {
 public:
  Turns(double duration_ns, int least, int most)
      : duration_ns_(duration_ns), least_(least), most_(most) {}

  bool another() {
    const auto elapsed_ns = static_cast<double>(clock_.now_ns() - begun_ns_);
    const bool begins = turns_ < least_ || (turns_ < most_ && elapsed_ns < duration_ns_);
    ++turns_;
    return begins;
  }

 private:
  RealClock clock_;
  std::uint64_t begun_ns_ = clock_.now_ns();
  double duration_ns_;
  int least_, most_;
  int turns_ = 0;
};

void send(EchoCouple& couple, std::size_t size_bytes, int messages) {
  for (int i = 0; i < messages; ++i) couple.half_round_trip_ns(size_bytes);
}

// Turns of all contenders: in each, the message right after so many.
void take_turns(const TwoHosts& hosts, std::vector<Contender>& contenders, std::size_t size_bytes,
                int messages_before) {
  constexpr double kDurationNs = 25e9;
  constexpr int kLeast = 21, kMost = 201;
  std::mt19937_64 random(std::random_device{}());
  std::vector<Contender*> order;
  for (Contender& each : contenders) {
    each.times_ns.clear();
    order.push_back(&each);
  }
  for (Turns turns(kDurationNs, kLeast, kMost); turns.another();) {
    std::ranges::shuffle(order, random);
    for (Contender* each : order) {
      EchoCouple couple(hosts, each->strategy, each->profile, size_bytes);
      send(couple, size_bytes, messages_before);
      each->times_ns.push_back(couple.half_round_trip_ns(size_bytes));
    }
  }
}

double median_of(const std::vector<Contender>& contenders, const std::string& name) {
  const auto found = std::ranges::find(contenders, name, &Contender::name);
  return median(found->times_ns);
}

}  // namespace

void wrong_profile() {
  constexpr int kLearned = 10;  // messages, before the one that is measured
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
    contenders.push_back({strategy, strategy, sampled.get(), {}});
  }
  for (int i = 0; i < 2; ++i) {
    contenders.push_back({kWrong[i], "adaptive", wrong[i].get(), {}});
  }
  double worst[] = {-1, -1};
  std::size_t worst_bytes[] = {0, 0};
  for (const std::size_t size_bytes : kSizesBytes) {
    take_turns(hosts, contenders, size_bytes, kLearned);
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
  constexpr int kMessagesBefore = 30, kMessagesAfter = 20;
  constexpr double kDurationNs = 60e9;
  constexpr int kLeast = 7, kMost = 41;
  const TwoHosts hosts({kBefore, 1000});
  hosts.sample("60s");
  const Profile profile = opened(sampled_plan(hosts));
  for (const std::size_t size_bytes : {256 << 10, 1 << 20, 16 << 20}) {
    constexpr const char* kAlone[] = {"single:tcp:r0", "single:tcp:r1"};
    std::array<std::unique_ptr<EchoCouple>, 2> alone;  // they learn nothing, and stay
    for (std::size_t i = 0; i < alone.size(); ++i) {
      alone[i] = std::make_unique<EchoCouple>(hosts, kAlone[i], profile.get(), size_bytes);
    }
    std::vector<double> adaptive_ns;
    std::array<std::vector<double>, 2> alone_ns;
    for (Turns turns(kDurationNs, kLeast, kMost); turns.another();) {
      EchoCouple adaptive(hosts, "adaptive", profile.get(), size_bytes);
      send(adaptive, size_bytes, kMessagesBefore);
      hosts.rate("r0", kAfter);
      send(adaptive, size_bytes, kMessagesAfter);
      adaptive_ns.push_back(adaptive.half_round_trip_ns(size_bytes));
      for (std::size_t i = 0; i < alone.size(); ++i) {
        send(*alone[i], size_bytes, 1);  // wakes the far end, and finds the rail's new rate
        alone_ns[i].push_back(alone[i]->half_round_trip_ns(size_bytes));
      }
      hosts.rate("r0", kBefore);
    }
    // At best, both rails carry what each of them carries alone.
    const double optimum_ns = 1 / (1 / median(alone_ns[0]) + 1 / median(alone_ns[1]));
    print_row("rails",
              fmt::format("a rail falls from {} to {} Mbit/s: behind the new optimum after {} "
                          "messages, {}",
                          kBefore, kAfter, kMessagesAfter, format_bytes(size_bytes)),
              100 * (median(adaptive_ns) / optimum_ns - 1), "%", Goal::kAtMost, 5);
  }
}

}  // namespace nmt::bench
