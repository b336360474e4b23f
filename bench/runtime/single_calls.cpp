// SPDX-License-Identifier: BSD-3-Clause
//
// Calls timed one by one: the exact solver, of which the slow questions matter, and the first call
// after something else has had the caches.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "bench/runtime/asked.h"
#include "bench/runtime/stopwatch.h"
#include "runtime/profile.h"
#include "runtime/runtime.h"

namespace nmt::bench {
namespace {

// Manual time for Google Benchmark, and the quantiles beside it.
void report(::benchmark::State& state, const std::vector<double>& times_ns) {
  state.counters["median"] = quantile(times_ns, 0.5);
  state.counters["p99"] = quantile(times_ns, 0.99);
}

template <class Call>
double timed(::benchmark::State& state, const Stopwatch& stopwatch, Call call) {
  const double time_ns = stopwatch.time_ns(call);
  state.SetIterationTime(std::max(0.0, time_ns) * 1e-9);
  return time_ns;
}

// -- Busy rails -----------------------------------------------------------------------------------

// Each rail is released at some time up to what the message would take on it alone.
std::vector<std::vector<double>> random_releases(int rails) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<> part(0, 1);
  std::vector<std::vector<double>> all(kQuestions);
  for (std::size_t i = 0; i < kQuestions; ++i) {
    for (int path = 0; path < rails; ++path) {
      const double whole_ns = nmt_duration_ns(profile(), path, random_sizes()[i]);
      all[i].push_back(part(random) * whole_ns);
    }
  }
  return all;
}

void solver(::benchmark::State& state) {
  const auto rails = static_cast<int>(state.range(0));
  const nmt_profile* asked = profile();
  const Stopwatch stopwatch;
  const std::vector<std::vector<double>> releases = random_releases(rails);
  nmt_share shares[kRails] = {};
  for (int i = 0; i < rails; ++i) {
    shares[i].struct_bytes = sizeof(nmt_share);
    shares[i].path = i;
  }
  nmt_split_result result{};
  result.struct_bytes = sizeof result;
  std::vector<double> times_ns;
  std::size_t i = 0;
  for (auto _ : state) {
    for (int path = 0; path < rails; ++path) {
      shares[path].release_ns = releases[i][static_cast<std::size_t>(path)];
    }
    const std::uint64_t size = random_sizes()[i];
    times_ns.push_back(timed(state, stopwatch, [&] {
      nmt_split(asked, size, shares, static_cast<std::uint32_t>(rails), &result);
    }));
    i = (i + 1) % kQuestions;
  }
  report(state, times_ns);
}
BENCHMARK(solver)->Name("solver")->Arg(2)->Arg(4)->Arg(8)->Iterations(kQuestions)->UseManualTime();

// -- Cold caches ----------------------------------------------------------------------------------

// The profile's lines and the function's own out of every cache; and with these, by walking memory
// that is twice what the last cache holds, the tables of address translation, which a machine on a
// hypervisor has two of.
class Eviction {
 public:
  explicit Eviction(const nmt_profile& asked) : asked_(asked), memory_(bytes_to_walk(), 1) {}

  void lines() const {
    constexpr std::size_t kFunctionBytes = 512;
    flush({reinterpret_cast<const std::byte*>(&nmt_method_for), kFunctionBytes});
    flush({reinterpret_cast<const std::byte*>(&asked_), sizeof asked_});
    flush(runtime::snapshot_bytes(asked_));
  }
  void translations() {
    for (std::size_t at = 0; at < memory_.size(); at += kLine) ++memory_[at];
    ::benchmark::ClobberMemory();
  }

 private:
  static constexpr std::size_t kLine = 64;

  static std::size_t bytes_to_walk() {
    constexpr long kUnknown = 256 << 20;
    const long last_cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    return static_cast<std::size_t>(last_cache > 0 ? 2 * last_cache : kUnknown);
  }
  static void flush(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
    for (std::size_t at = 0; at < bytes.size(); at += kLine) _mm_clflush(bytes.data() + at);
    _mm_mfence();
#else
    static_cast<void>(bytes);  // the walk does it
#endif
  }

  const nmt_profile& asked_;
  std::vector<unsigned char> memory_;
};

void cold(::benchmark::State& state) {
  const nmt_profile* asked = profile();
  const Stopwatch stopwatch;
  Eviction evict(*asked);
  const bool translations = state.range(0) != 0;
  std::vector<double> times_ns;
  std::size_t i = 0;
  int method = 0;
  for (auto _ : state) {
    const std::uint64_t size = random_sizes()[i++];
    evict.lines();
    if (translations) evict.translations();
    times_ns.push_back(timed(state, stopwatch, [&] { method = nmt_method_for(asked, 0, size); }));
    ::benchmark::DoNotOptimize(method);
  }
  report(state, times_ns);
}
BENCHMARK(cold)->Name("cold")->Arg(0)->Arg(1)->Iterations(50)->UseManualTime();

}  // namespace
}  // namespace nmt::bench
