// SPDX-License-Identifier: BSD-3-Clause
//
// UCX's own benchmark over the same rails, in turns with the engine: half round trips over one rail
// and over both, the rate of small messages, and half round trips through shared memory. Takes
// about ten minutes, 80 s of them for sampling.
//
// To be fair to UCX: each of its results is that of its best way to wait and, over both rails, of
// its best settings; and in some hosts of the lab, both of its lanes end on one rail, so the hosts
// are made again until it uses both. In each turn, its time is the mean of one test of some tenths
// of a second, and ours the mean of one repetition as long; both are medians over the turns.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "bench/rails/groups.h"
#include "bench/rails/two_hosts.h"
#include "bench/rails/ucx_perftest.h"
#include "bench/row.h"
#include "core/statistics.h"
#include "core/units.h"
#include "node/node.h"

namespace nmt::bench {
namespace {

constexpr int kTurns = 5;
constexpr int kHostsMax = 10;  // made until UCX uses both rails
constexpr const char* kSizes = "8,1K,16K,32K,64K,128K,1M,16M";
constexpr std::uint64_t kSizesBytes[] = {8,        1 << 10,   16 << 10, 32 << 10,
                                         64 << 10, 128 << 10, 1 << 20,  16 << 20};
constexpr const char* kSharedSizes = "8,64K";
constexpr std::uint64_t kSharedSizesBytes[] = {8, 64 << 10};
constexpr std::uint64_t kRateBytes = 8;
constexpr unsigned kUnderWay = 64;
constexpr unsigned kRateMessages = 100'000;  // nmad-bench has no more in one repetition
// The figure of nmad-bench is then the mean of one repetition, as that of UCX is of one test.
constexpr const char* kOneTest = "--rounds 1 --repetition 300ms";

using Times = std::map<std::uint64_t, std::vector<double>>;  // nanoseconds, by size

// A test takes about as long as kOneTest.
unsigned round_trips(std::uint64_t size_bytes) {
  constexpr double kTestNs = 3e8, kStartNs = 1e4, kNsPerByte = 8;
  constexpr unsigned kLeast = 3;
  const double round_trip_ns = 2 * (kStartNs + kNsPerByte * static_cast<double>(size_bytes));
  return std::max(kLeast, static_cast<unsigned>(kTestNs / round_trip_ns));
}

UcxEnds between(const TwoHosts& hosts) {
  return {.server = hosts.lab() + " run two",
          .client = hosts.lab() + " run one",
          .address = "10.77.0.2"};
}

std::string tcp_over(const char* rails, int eager_rails = 1) {
  return fmt::format("UCX_TLS=tcp UCX_NET_DEVICES={} UCX_MAX_RNDV_RAILS=2 UCX_MAX_EAGER_RAILS={}",
                     rails, eager_rails);
}

// What host "one" has sent over r0 and over r1, and what it has received.
std::vector<double> bytes_moved(const TwoHosts& hosts) {
  std::string command = "cat";
  for (const char* direction : {"tx", "rx"}) {
    for (const char* rail : {"r0", "r1"}) {
      command += fmt::format(" /sys/class/net/{}/statistics/{}_bytes", rail, direction);
    }
  }
  std::istringstream numbers(hosts.run(command));
  std::vector<double> bytes(4);
  for (double& each : bytes) numbers >> each;
  return bytes;
}

// Whether large messages go over both rails, both ways.
bool uses_both_rails(const TwoHosts& hosts) {
  constexpr double kShareMin = 0.2;
  constexpr std::uint64_t kSizeBytes = 1 << 20;
  const std::vector<double> before = bytes_moved(hosts);
  UcxPerftest(between(hosts), {tcp_over("r0,r1")})
      .run({.name = "tag_lat", .size_bytes = kSizeBytes, .iterations = 20});
  std::vector<double> moved = bytes_moved(hosts);
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= before[i];
  const auto shared = [&](std::size_t first) {
    const double sum = moved[first] + moved[first + 1];
    if (sum < kSizeBytes) return false;  // UCX did not run
    return std::min(moved[first], moved[first + 1]) >= kShareMin * sum;
  };
  return shared(0) && shared(2);
}

struct FairHosts {
  std::unique_ptr<TwoHosts> hosts;
  std::string note;  // for rows about both rails
};

FairHosts make_hosts() {
  FairHosts made;
  for (int tries = 1; tries <= kHostsMax; ++tries) {
    made.hosts.reset();  // the next ones have the same name
    made.hosts = std::make_unique<TwoHosts>(std::vector<unsigned>{1000, 600});
    if (uses_both_rails(*made.hosts)) return made;
  }
  made.note = fmt::format("UCX did not use both rails in any of {} pairs of hosts", kHostsMax);
  return made;
}

void print_us(const std::string& name, double time_ns, const std::string& note = "") {
  print_row("rails", name, time_ns / 1e3, "us", Goal::kNone, 0, note);
}

constexpr const char* kNoResult = "ucx_perftest gave no result";

// Ours over theirs; missed where they gave nothing.
void print_over(const std::string& name, const Times& ours, std::uint64_t size_bytes,
                std::optional<double> theirs_ns, double limit, const std::string& note = "") {
  if (!theirs_ns) {
    print_missed("rails", name, "times", Goal::kAtMost, limit, kNoResult);
    return;
  }
  print_row("rails", name, median(ours.at(size_bytes)) / *theirs_ns, "times", Goal::kAtMost, limit,
            note);
}

void take_turns(std::vector<std::function<void()>> contenders) {
  std::mt19937_64 random(std::random_device{}());
  for (int turn = 0; turn < kTurns; ++turn) {
    std::ranges::shuffle(contenders, random);
    for (const std::function<void()>& run : contenders) run();
  }
}

// -- Half round trips over the rails --------------------------------------------------------------

struct RailTimes {
  Times single, adaptive;
  UcxPerftest ucx_one, ucx_both;
};

void print_table(const RailTimes& times, const std::string& note) {
  for (const std::uint64_t size_bytes : kSizesBytes) {
    const std::string size = format_bytes(size_bytes);
    print_us(size + ": engine, one rail", median(times.single.at(size_bytes)));
    if (const auto time_ns = times.ucx_one.best_ns(size_bytes)) {
      print_us(size + ": UCX, one rail", *time_ns);
    }
    print_us(size + ": engine, both rails", median(times.adaptive.at(size_bytes)));
    if (const auto time_ns = times.ucx_both.best_ns(size_bytes)) {
      print_us(size + ": UCX, both rails", *time_ns, note);
    }
  }
}

void print_against_ucx(const RailTimes& times, const std::string& note) {
  struct Limit {
    std::uint64_t size_bytes;
    double limit;
  };
  for (const auto& [size_bytes, limit] :
       {Limit{8, 1.1}, Limit{1 << 10, 1.1}, Limit{64 << 10, 1}, Limit{1 << 20, 1}}) {
    print_over(format_bytes(size_bytes) + ": engine over UCX, one rail", times.single, size_bytes,
               times.ucx_one.best_ns(size_bytes), limit);
  }
  for (const auto& [size_bytes, limit] :
       {Limit{16 << 10, 0.9}, Limit{32 << 10, 0.9}, Limit{64 << 10, 0.9}, Limit{128 << 10, 0.9},
        Limit{1 << 20, 0.75}, Limit{16 << 20, 0.75}}) {
    const std::optional<double> one_ns = times.ucx_one.best_ns(size_bytes);
    const std::optional<double> both_ns = times.ucx_both.best_ns(size_bytes);
    const std::optional<double> best_ns =
        one_ns && both_ns ? std::min(*one_ns, *both_ns) : (one_ns ? one_ns : both_ns);
    std::string noted = note;
    if (!one_ns) noted = "UCX gave no result over one rail";
    if (!both_ns) noted = "UCX gave no result over both rails";
    print_over(format_bytes(size_bytes) + ": engine over both rails, over UCX on one or both",
               times.adaptive, size_bytes, best_ns, limit, noted);
  }
}

void over_rails(const FairHosts& fair) {
  const TwoHosts& hosts = *fair.hosts;
  RailTimes times{.ucx_one = {between(hosts), {tcp_over("r0")}},
                  .ucx_both = {between(hosts), {tcp_over("r0,r1"), tcp_over("r0,r1", 2)}}};
  const auto run_all = [](UcxPerftest& ucx) {
    for (const std::uint64_t size_bytes : kSizesBytes) {
      ucx.run({.name = "tag_lat", .size_bytes = size_bytes, .iterations = round_trips(size_bytes)});
    }
  };
  take_turns({[&] { run_all(times.ucx_one); }, [&] { run_all(times.ucx_both); },
              [&] {
                const ByStrategy all = hosts.measure("single:r0,adaptive", kSizes, kOneTest);
                for (const std::uint64_t size_bytes : kSizesBytes) {
                  times.single[size_bytes].push_back(all.at("single:r0").at(size_bytes).latency_ns);
                  times.adaptive[size_bytes].push_back(
                      all.at("adaptive").at(size_bytes).latency_ns);
                }
              }});
  print_table(times, fair.note);
  print_against_ucx(times, fair.note);
}

// -- Small messages per second --------------------------------------------------------------------

// Of UCX, messages under way are sends that have not ended; of ours, likewise.
void small_messages(const TwoHosts& hosts) {
  UcxPerftest ucx(between(hosts), {tcp_over("r0"), tcp_over("r0,r1")});
  std::vector<double> single, adaptive;  // per second
  take_turns({[&] {
                ucx.run({.name = "tag_bw",
                         .size_bytes = kRateBytes,
                         .iterations = kRateMessages,
                         .outstanding = kUnderWay});
              },
              [&] {
                const ByStrategy all = hosts.measure(
                    "single:r0,adaptive", std::to_string(kRateBytes),
                    fmt::format("--pattern stream --at-once {} {}", kUnderWay, kOneTest));
                single.push_back(all.at("single:r0").at(kRateBytes).messages_per_second);
                adaptive.push_back(all.at("adaptive").at(kRateBytes).messages_per_second);
              }});
  const std::string name = fmt::format("messages of {} B, {} under way: ", kRateBytes, kUnderWay);
  print_row("rails", name + "engine, one rail", median(single), "/s");
  print_row("rails", name + "engine, both rails", median(adaptive), "/s");
  const std::string ratio_name = name + "engine over both rails, of UCX's rate";
  const std::optional<double> theirs_ns = ucx.best_ns(kRateBytes);
  if (!theirs_ns) {
    print_missed("rails", ratio_name, "times", Goal::kAtLeast, 1, kNoResult);
    return;
  }
  print_row("rails", name + "UCX, one rail or both", 1e9 / *theirs_ns, "/s");
  print_row("rails", ratio_name, median(adaptive) * *theirs_ns / 1e9, "times", Goal::kAtLeast, 1);
}

// -- Shared memory --------------------------------------------------------------------------------

// Both libraries have the same two cores. Each end of UCX keeps to one of them.
void through_shared_memory(const TwoHosts& hosts) {
  constexpr unsigned kSmallRoundTrips = 100'000, kLargeRoundTrips = 10'000;
  const node::CorePair cores = node::nearest_cores();
  const std::string both_cores = fmt::format("{},{}", cores.near, cores.far);
  hosts.run("nmad-sample --rails shm --budget 20s --json >/dev/null || test $? -eq 4");
  UcxPerftest ucx({.server = fmt::format("taskset -c {}", cores.far),
                   .client = fmt::format("taskset -c {}", cores.near),
                   .address = "127.0.0.1",
                   .both = hosts.lab() + " run one"},
                  {"UCX_TLS=posix,self", "UCX_TLS=shm,self"});
  Times ours;
  take_turns({[&] {
                for (const std::uint64_t size_bytes : kSharedSizesBytes) {
                  ucx.run({.name = "tag_lat",
                           .size_bytes = size_bytes,
                           .iterations = size_bytes > 1024 ? kLargeRoundTrips : kSmallRoundTrips});
                }
              },
              [&] {
                for (const auto& [size_bytes, measured] :
                     hosts.measure_shared_memory(both_cores, kSharedSizes, kOneTest)) {
                  ours[size_bytes].push_back(measured.latency_ns);
                }
              }});
  for (const std::uint64_t size_bytes : kSharedSizesBytes) {
    const std::string name = format_bytes(size_bytes) + " through shared memory: ";
    const std::optional<double> theirs_ns = ucx.best_ns(size_bytes);
    print_us(name + "engine", median(ours.at(size_bytes)));
    if (theirs_ns) print_us(name + "UCX", *theirs_ns);
    print_over(name + "engine over UCX", ours, size_bytes, theirs_ns, 1);
  }
}

}  // namespace

void beside_ucx() {
  if (!UcxPerftest::is_installed()) {
    std::fprintf(stderr,
                 "rails: no ucx_perftest here; scripts/install-packages bench brings it "
                 "(ucx-utils)\n");
    return;
  }
  const FairHosts fair = make_hosts();
  fair.hosts->sample("60s");
  over_rails(fair);
  small_messages(*fair.hosts);
  through_shared_memory(*fair.hosts);
}

}  // namespace nmt::bench
