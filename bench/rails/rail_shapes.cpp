// SPDX-License-Identifier: BSD-3-Clause
//
// Rails of several ratios: what `adaptive` reaches, against the optimum of the sampled curves
// (docs/engine.md: all chunks end together), the sum of the rails alone, the best of them, and the
// best fixed way to use them: one rail, equal parts, or the ratio of their bandwidths. All of one
// run with the strategies interleaved. "shapes" takes 20 minutes.
//
// "neighbour" does it again for two shapes, beside a process that takes half a core. The profile
// was sampled before that process began. Four minutes.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bench/rails/groups.h"
#include "bench/rails/two_hosts.h"
#include "bench/row.h"

namespace nmt::bench {
namespace {

constexpr const char* kSizes = "1,64,1K,4K,16K,64K,256K,1M,4M,16M";
constexpr const char* kStreamSizes = "64K,256K,1M";
constexpr std::uint64_t kSplitFrom = 64 << 10;
constexpr std::uint64_t kLargeFrom = 1 << 20;

struct Shape {
  std::vector<unsigned> rates_mbits_per_s;
  const char* budget;
  double iso_ratio_min;  // asked of adaptive against iso; 0: nothing
};

const Shape kShapes[] = {{{1000, 600}, "60s", 0},          {{1000, 1000}, "60s", 0},
                         {{1000, 500}, "60s", 1.45},       {{1000, 250}, "60s", 0},
                         {{1000, 125}, "60s", 0},          {{1000, 600, 300}, "90s", 0},
                         {{600, 300, 200, 100}, "120s", 0}};

const Shape kShapesBesideNeighbour[] = {{{1000, 600}, "60s", 0}, {{1000, 250}, "60s", 0}};

// Of all rails alone, together.
double sum_of_rails(const ByStrategy& all, unsigned rails, std::uint64_t size_bytes) {
  double sum = 0;
  for (unsigned i = 0; i < rails; ++i) {
    sum += all.at(fmt::format("single:r{}", i)).at(size_bytes).bandwidth;
  }
  return sum;
}

double best_rail_ns(const ByStrategy& all, unsigned rails, std::uint64_t size_bytes) {
  double best_ns = all.at("single:r0").at(size_bytes).latency_ns;
  for (unsigned i = 1; i < rails; ++i) {
    best_ns = std::min(best_ns, all.at(fmt::format("single:r{}", i)).at(size_bytes).latency_ns);
  }
  return best_ns;
}

void print_against_optimum(const TwoHosts& hosts, const ByStrategy& all) {
  double worst_medium = -1, worst_large = -1;
  for (const auto& [size_bytes, measured] : all.at("adaptive")) {
    if (size_bytes < kSplitFrom) continue;
    const double behind = measured.latency_ns / hosts.optimum_ns(size_bytes) - 1;
    double& worst = size_bytes < kLargeFrom ? worst_medium : worst_large;
    worst = std::max(worst, behind);
  }
  print_row("rails", hosts.name() + ": behind the curves' optimum, from 64 KiB", 100 * worst_medium,
            "%", Goal::kAtMost, 2);
  print_row("rails", hosts.name() + ": behind the curves' optimum, from 1 MiB", 100 * worst_large,
            "%", Goal::kAtMost, 1);
}

void print_against_sum(const TwoHosts& hosts, const ByStrategy& all, const ByStrategy& streams) {
  double share = 10, stream_share = 10, apart = 0;
  for (const auto& [size_bytes, measured] : all.at("adaptive")) {
    if (size_bytes < kLargeFrom) continue;
    share = std::min(share, measured.bandwidth / sum_of_rails(all, hosts.rails(), size_bytes));
    apart = std::max(apart, measured.chunks_apart);
  }
  for (const auto& [size_bytes, measured] : streams.at("adaptive")) {
    const double sum = sum_of_rails(streams, hosts.rails(), size_bytes);
    stream_share = std::min(stream_share, measured.bandwidth / sum);
  }
  print_row("rails", hosts.name() + ": share of the rails' sum, ping-pong from 1 MiB", 100 * share,
            "%", Goal::kAtLeast, 98);
  print_row("rails", hosts.name() + ": share of the rails' sum, streams from 64 KiB",
            100 * stream_share, "%", Goal::kAtLeast, 98);
  print_row("rails", hosts.name() + ": ends of chunks apart, from 1 MiB", 100 * apart, "%",
            Goal::kAtMost, 1);
}

// Of one rail, equal parts, and the ratio of the bandwidths.
double best_fixed_ns(const ByStrategy& all, unsigned rails, std::uint64_t size_bytes) {
  return std::min({best_rail_ns(all, rails, size_bytes), all.at("iso").at(size_bytes).latency_ns,
                   all.at("strip").at(size_bytes).latency_ns});
}

// At worst of all sizes; `best_ns` is what adaptive is compared with.
void print_behind(const std::string& name, const TwoHosts& hosts, const ByStrategy& all,
                  double (*best_ns)(const ByStrategy&, unsigned, std::uint64_t)) {
  double worst = -1;
  std::uint64_t worst_bytes = 0;
  for (const auto& [size_bytes, measured] : all.at("adaptive")) {
    const double behind = measured.latency_ns / best_ns(all, hosts.rails(), size_bytes) - 1;
    if (behind <= worst) continue;
    worst = behind;
    worst_bytes = size_bytes;
  }
  print_row("rails", fmt::format("{}, at worst ({} B)", name, worst_bytes), 100 * worst, "%",
            Goal::kAtMost, 2);
}

void print_against_one(const TwoHosts& hosts, const ByStrategy& all) {
  double logs = 0;
  for (const auto& [size_bytes, measured] : all.at("adaptive")) {
    logs += std::log(measured.latency_ns / best_rail_ns(all, hosts.rails(), size_bytes));
  }
  const double sizes = static_cast<double>(all.at("adaptive").size());
  print_row("rails", hosts.name() + ": time against the best rail, mean of all sizes",
            std::exp(logs / sizes), "times", Goal::kAtMost, 1);
  print_behind(hosts.name() + ": behind the best rail", hosts, all, best_rail_ns);
  print_behind(hosts.name() + ": behind the best of one rail, equal parts, ratio of bandwidths",
               hosts, all, best_fixed_ns);
}

void print_against_iso(const Shape& shape, const TwoHosts& hosts, const ByStrategy& all) {
  constexpr std::uint64_t kSize = 16 << 20;
  const double ratio = all.at("iso").at(kSize).latency_ns / all.at("adaptive").at(kSize).latency_ns;
  const std::string name = hosts.name() + ": faster than equal chunks, 16 MiB";
  if (shape.iso_ratio_min > 0) {
    print_row("rails", name, ratio, "times", Goal::kAtLeast, shape.iso_ratio_min);
  } else {
    print_row("rails", name, ratio, "times");
  }
}

std::string all_strategies(const TwoHosts& hosts) {
  return singles(hosts.rails()) + ",iso,strip,adaptive";
}

// A process that takes half a core: it computes for 5 ms and sleeps for 5 ms. It ends with the
// object, or with this process.
class Neighbour {
 public:
  Neighbour() : process_(::fork()) {
    if (process_ < 0) {
      std::perror("fork");
      std::exit(1);
    }
    if (process_ == 0) live();
  }
  ~Neighbour() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Neighbour(const Neighbour&) = delete;

 private:
  [[noreturn]] static void live() {
    using SteadyClock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kPart{5};
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
      const SteadyClock::time_point end = SteadyClock::now() + kPart;
      while (SteadyClock::now() < end) {
      }
      std::this_thread::sleep_for(kPart);
    }
  }

  pid_t process_;
};

}  // namespace

void beside_a_neighbour() {
  for (const Shape& shape : kShapesBesideNeighbour) {
    const TwoHosts hosts(shape.rates_mbits_per_s);
    hosts.sample(shape.budget);
    const Neighbour neighbour;
    const ByStrategy all = hosts.measure(all_strategies(hosts), kSizes, "--rounds 9");
    const std::string name = hosts.name() + " beside a neighbour: ";
    print_behind(name + "behind the best rail", hosts, all, best_rail_ns);
    print_behind(name + "behind the best of one rail, equal parts, ratio of bandwidths", hosts, all,
                 best_fixed_ns);
  }
}

void rail_shapes() {
  for (const Shape& shape : kShapes) {
    const TwoHosts hosts(shape.rates_mbits_per_s);
    hosts.sample(shape.budget);
    const ByStrategy all = hosts.measure(all_strategies(hosts), kSizes, "--rounds 9");
    const ByStrategy streams = hosts.measure(singles(hosts.rails()) + ",adaptive", kStreamSizes,
                                             "--pattern stream --repetition 100ms --rounds 9");
    print_against_optimum(hosts, all);
    print_against_sum(hosts, all, streams);
    print_against_one(hosts, all);
    print_against_iso(shape, hosts, all);
  }
}

}  // namespace nmt::bench
