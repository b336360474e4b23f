// SPDX-License-Identifier: BSD-3-Clause
//
// What evaluating a curve, copying memory and writing and reading the profile cost.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/core/groups.h"
#include "bench/row.h"
#include "core/curve.h"
#include "core/error.h"
#include "core/sample.h"
#include "profiledb/profiledb.h"

namespace {

using nmt::Curve;
using nmt::Id;
using nmt::Point;
namespace profiledb = nmt::profiledb;

constexpr std::size_t kPoints = 30;  // of a curve from 1 B to 16 MiB
constexpr std::size_t kCells = 8;    // that one block of a campaign stores
constexpr std::size_t kSizes = 45;

Curve curve() {
  std::vector<Point> points;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double size_bytes = std::round(std::exp2(24.0 * double(i) / (kPoints - 1))) + double(i);
    points.push_back({size_bytes, 1000 + size_bytes / 2});
  }
  return Curve(points);
}

std::vector<double> random_sizes() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> exponent(0, 24);
  std::vector<double> sizes(4096);
  for (double& size : sizes) size = std::exp2(exponent(random));
  return sizes;
}

void curve_at(benchmark::State& state) {
  const Curve measured = curve();
  const std::vector<double> sizes = random_sizes();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(measured.at(sizes[++i % sizes.size()]));
}
BENCHMARK(curve_at)->Name("curve: duration at a random size");

void curve_inverse(benchmark::State& state) {
  const Curve measured = curve();
  const std::vector<double> sizes = random_sizes();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(measured.inverse(sizes[++i % sizes.size()]));
}
BENCHMARK(curve_inverse)->Name("curve: bytes within a random duration");

void copy_memory(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  std::vector<char> from(size, 'x');
  std::vector<char> to(size);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), size);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(copy_memory)->Name("memcpy")->Arg(64)->Arg(4096)->Arg(262144)->Arg(16777216);

// A database in a folder of its own, gone at the end.
class TemporaryProfile {
 public:
  TemporaryProfile() {
    NMT_CHECK(::mkdtemp(folder_) != nullptr);
    db_.emplace(file(), profiledb::ProfileDb::Options{.mode = profiledb::ProfileDb::Mode::kWrite});
    platform_ = db_->ensure_platform({Id::random(), "bench", {{"cpu_model", "bench"}}});
    const nmt::Node node = db_->ensure_node({Id::random(), "bench"}, platform_.id);
    path_ = db_->ensure_path({Id::random(), node.id, node.id, {"shm", "", {}}, {"shm", "", {}}});
    campaign_.id = Id::random();
    campaign_.platform = platform_.id;
    db_->begin_campaign(campaign_);
    session_.id = Id::random();
    db_->begin_session(session_, campaign_.id);
  }
  ~TemporaryProfile() {
    db_.reset();
    ::unlink(file().c_str());
    ::rmdir(folder_);
  }
  std::string file() const { return std::string(folder_) + "/profile.db"; }

  void store(std::uint64_t size_bytes) {
    std::vector<nmt::Sample> block(kCells);
    for (std::size_t i = 0; i < kCells; ++i) {
      block[i].condition.benchmark = "transfer";
      block[i].condition.method = "method" + std::to_string(i);
      block[i].size_bytes = size_bytes;
      for (std::uint32_t k = 0; k < 24; ++k) {
        block[i].repetitions.push_back({1000 + size_bytes + k * k, 2, k / 12, false});
      }
    }
    db_->store_samples(session_.id, path_.id, block);
  }
  std::size_t load() const { return db_->sample_sets(campaign_.id).size(); }

 private:
  char folder_[32] = "/tmp/nmadtune-bench-XXXXXX";
  std::optional<profiledb::ProfileDb> db_;
  nmt::Platform platform_;
  nmt::Path path_;
  nmt::Campaign campaign_;
  nmt::Session session_;
};

void database_store(benchmark::State& state) {
  TemporaryProfile profile;
  std::uint64_t size_bytes = 0;
  for (auto _ : state) profile.store(++size_bytes % kSizes);
}
BENCHMARK(database_store)->Name("database: one block of eight cells stored")->UseRealTime();

void database_load(benchmark::State& state) {
  TemporaryProfile profile;
  for (std::uint64_t i = 0; i < kSizes; ++i) profile.store(i);
  for (auto _ : state) benchmark::DoNotOptimize(profile.load());
}
BENCHMARK(database_load)->Name("database: samples of one campaign read back")->UseRealTime();

// Prints a row per benchmark instead of a table.
class RowReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      std::string name = run.run_name.function_name;
      if (!run.run_name.args.empty()) name += " of " + run.run_name.args + " B";
      nmt::bench::print_row("core", name, run.GetAdjustedRealTime(), "ns");
    }
  }
};

}  // namespace

namespace nmt::bench {

void operations() {
  int argc = 1;
  char name[] = "core";
  char* argv[] = {name, nullptr};
  ::benchmark::Initialize(&argc, argv);
  RowReporter reporter;
  ::benchmark::RunSpecifiedBenchmarks(&reporter);
}

}  // namespace nmt::bench
