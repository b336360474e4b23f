// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rails/ucx_perftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "bench/output_of.h"
#include "core/statistics.h"

namespace nmt::bench {
namespace {

constexpr int kFirstPort = 14000;  // each test has a port of its own
constexpr int kTimeoutSeconds = 60;
constexpr int kTriesMax = 100;  // of a client, until the server listens
constexpr int kTestTries = 2;   // of a test that gives no result

std::string command_of(const std::string& settings, const std::string& wait, const UcxTest& test,
                       int port) {
  return fmt::format("env {} ucx_perftest -p {} -t {} -s {} -n {} -w {} -O {} -E {} -f -v",
                     settings, port, test.name, test.size_bytes, test.iterations,
                     test.iterations / 10 + 1, test.outstanding, wait);
}

// Both ends of one test, as a shell runs them; prints what the client prints. Without single
// quotes, for it may stand in them.
std::string script_of(const UcxEnds& ends, const std::string& command) {
  const std::string client =
      fmt::format("timeout {} {} {} {}", kTimeoutSeconds, ends.client, command, ends.address);
  return fmt::format(
      "timeout {0} {1} {2} >/dev/null 2>&1 & tries=0; "
      "until {3} 2>/dev/null; do tries=$((tries + 1)); "
      "if [ $tries -ge {4} ]; then {3} >&2; break; fi; sleep 0.05; done; wait; true",
      kTimeoutSeconds, ends.server, command, client, kTriesMax);
}

// The line of results: iterations, latencies in microseconds (percentile, of the last interval, of
// all), bandwidths and message rates (of the last interval, of all). Other lines are UCX's log.
std::optional<double> result_ns(const std::string& output, const UcxTest& test) {
  std::istringstream lines(output);
  std::optional<double> result;
  for (std::string line; std::getline(lines, line);) {
    double latency_us = 0, messages_per_second = 0;
    if (std::sscanf(line.c_str(), "%*f,%*f,%*f,%lf,%*f,%*f,%*f,%lf", &latency_us,
                    &messages_per_second) != 2) {
      continue;
    }
    result = test.name == "tag_bw" ? 1e9 / messages_per_second : 1e3 * latency_us;
  }
  return result;
}

}  // namespace

bool UcxPerftest::is_installed() { return std::system("command -v ucx_perftest >/dev/null") == 0; }

UcxPerftest::UcxPerftest(const UcxEnds& ends, const std::vector<std::string>& settings)
    : ends_(ends) {
  for (const std::string& each : settings) {
    for (const char* wait : {"poll", "sleep"}) ways_.push_back({.settings = each, .wait = wait});
  }
}

void UcxPerftest::run(const UcxTest& test) {
  static int port = kFirstPort;
  for (Way& way : ways_) {
    std::optional<double> time_ns;
    for (int tries = 0; way.works && !time_ns && tries < kTestTries; ++tries) {
      std::string script = script_of(ends_, command_of(way.settings, way.wait, test, port++));
      if (!ends_.both.empty()) script = fmt::format("{} sh -c '{}'", ends_.both, script);
      time_ns = result_ns(output_of(script), test);
    }
    if (time_ns) {
      way.times_ns[test.size_bytes].push_back(*time_ns);
    } else if (way.works) {
      way.works = false;
      std::fprintf(stderr,
                   "rails: ucx_perftest gave no result in %d runs with %s -E %s; it is not run so "
                   "again, and what it gave before counts\n",
                   kTestTries, way.settings.c_str(), way.wait.c_str());
    }
  }
}

std::optional<double> UcxPerftest::best_ns(std::uint64_t size_bytes) const {
  std::optional<double> least_ns;
  for (const Way& way : ways_) {
    const auto times = way.times_ns.find(size_bytes);
    if (times == way.times_ns.end()) continue;
    const double time_ns = median(times->second);
    least_ns = std::min(least_ns.value_or(time_ns), time_ns);
  }
  return least_ns;
}

}  // namespace nmt::bench
