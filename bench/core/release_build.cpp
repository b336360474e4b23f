// SPDX-License-Identifier: BSD-3-Clause
//
// Preset release in a fresh folder, all of it compiled: ccache passes on what it is asked for.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "bench/core/groups.h"
#include "bench/output_of.h"
#include "bench/row.h"
#include "core/error.h"

namespace nmt::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Of all processes that have ended below this one.
double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void release_build() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  char folder[] = "/tmp/nmadtune-build-XXXXXX";
  NMT_CHECK(::mkdtemp(folder) != nullptr);
  const double processor_before = processor_seconds();
  const auto before = std::chrono::steady_clock::now();
  output_of(
      fmt::format("cd '{0}' && export CCACHE_DISABLE=1 && cmake --preset release -B {1} >&2 && "
                  "cmake --build {1} --parallel {2} >&2",
                  NMT_SOURCE_DIR, folder, cores));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - before;
  print_row("core", "release build: processor time", processor_seconds() - processor_before, "s");
  print_row("core", fmt::format("release build: wall clock, {} cores", cores), elapsed.count(),
            "s");
  output_of(fmt::format("rm -rf {}", folder));
}

}  // namespace nmt::bench
