// SPDX-License-Identifier: BSD-3-Clause
//
// Opening and closing a profile of eight rails, from files that the page cache holds.
#include <benchmark/benchmark.h>

#include "bench/runtime/asked.h"

namespace nmt::bench {
namespace {

void open_snapshot(::benchmark::State& state) {
  for (auto _ : state) nmt_close(open(files().snapshot()));
}
BENCHMARK(open_snapshot)->Name("open snapshot")->UseRealTime();

void open_database(::benchmark::State& state) {
  for (auto _ : state) nmt_close(open(files().database()));
}
BENCHMARK(open_database)->Name("open database")->UseRealTime();

}  // namespace
}  // namespace nmt::bench
