// SPDX-License-Identifier: BSD-3-Clause
#include "bench/runtime/peers.h"

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace nmt::bench {
namespace {

int number_of(const runtime::MethodRange& range) {
  return range.method ? static_cast<int>(*range.method) : -1;
}

}  // namespace

UcxShaped::UcxShaped(std::span<const runtime::MethodRange> ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::uint64_t last = i + 1 < ranges.size() ? ranges[i + 1].from_bytes - 1 : UINT64_MAX;
    thresholds_.push_back({number_of(ranges[i]), nullptr, 0, 0, 0, last});
  }
  cached_ = thresholds_.data();
}

[[gnu::noinline]] const UcxShaped::Threshold* UcxShaped::search_slowly(const Threshold* thresholds,
                                                                       std::uint64_t size_bytes) {
  unsigned i = 0;
  while (size_bytes > thresholds[i].size_bytes_max) ++i;
  return &thresholds[i];
}

NcclShaped::NcclShaped(std::span<const Curve> curves) {
  std::fill_n(&correction_[0][0], sizeof correction_ / sizeof(float), 1.0f);
  std::size_t next = 0;
  for (const int algorithm : {kTree, kRing}) {
    for (int protocol = 0; protocol < kProtocols; ++protocol) {
      const auto points = curves[next++ % curves.size()].points();
      const double ns_per_byte = (points.back().duration_ns - points.front().duration_ns) /
                                 (points.back().size_bytes - points.front().size_bytes);
      latency_[algorithm][protocol] = static_cast<float>(points.front().duration_ns);
      bandwidth_[algorithm][protocol] = static_cast<float>(1e-3 / ns_per_byte);
    }
  }
}

// ncclTopoGetAlgoTime
[[gnu::noinline]] float NcclShaped::time_of(int algorithm, int protocol, std::uint64_t size_bytes,
                                            int operations) const {
  float bandwidth = bandwidth_[algorithm][protocol];
  float latency = latency_[algorithm][protocol];
  if (bandwidth == 0) return -1;
  const int log_size = static_cast<int>(std::bit_width(size_bytes >> 6)) - 1;
  if (algorithm == kTree && log_size >= 0 && log_size < 23) {
    bandwidth *= correction_[protocol][log_size];
  }
  const auto parts = static_cast<std::uint64_t>(channels_ * ranks_);
  if (algorithm == kRing && protocol == 2 && nodes_ > 1 && size_bytes / parts >= 64) {
    latency *= 1.0f;  // a factor there; the multiplication is what counts here
  }
  const int latencies = algorithm == kRing ? operations : (operations + 7) / 8;
  return latency * static_cast<float>(latencies) +
         static_cast<float>(size_bytes) / (1000 * bandwidth);
}

// updateCollCostTable
[[gnu::noinline]] void NcclShaped::fill(Table& table, std::uint64_t size_bytes) const {
  for (int algorithm = 0; algorithm < kAlgorithms; ++algorithm) {
    if ((algorithm == kDirect || algorithm == kChain) && !collnet_) continue;
    if ((algorithm == kNvls || algorithm == kNvlsTree) && !nvls_) continue;
    for (int protocol = 0; protocol < kProtocols; ++protocol) {
      table[algorithm][protocol] = time_of(algorithm, protocol, size_bytes, 1);
    }
  }
}

// topoGetAlgoInfo
[[gnu::noinline]] int NcclShaped::cell_for(std::uint64_t size_bytes) const {
  constexpr float kIgnore = -1;
  Table table;
  std::fill_n(&table[0][0], kAlgorithms * kProtocols, kIgnore);
  fill(table, size_bytes);
  float least = 3.6e9f;
  int best = -1;
  for (int algorithm = 0; algorithm < kAlgorithms; ++algorithm) {
    for (int protocol = 0; protocol < kProtocols; ++protocol) {
      const float time = table[algorithm][protocol];
      if (time == kIgnore) continue;
      if (time >= 0 && time < least) {
        best = algorithm * kProtocols + protocol;
        least = time;
      }
    }
  }
  return best;
}

namespace {

void require(int result, sqlite3* database) {
  if (result != SQLITE_OK && result != SQLITE_DONE) {
    throw std::runtime_error(sqlite3_errmsg(database));
  }
}

}  // namespace

SqlLookup::SqlLookup(std::span<const RailPlan> rails) {
  require(sqlite3_open(":memory:", &database_), database_);
  require(sqlite3_exec(database_,
                       "CREATE TABLE method (path INTEGER, from_bytes INTEGER, method INTEGER,"
                       " PRIMARY KEY (path, from_bytes)) WITHOUT ROWID",
                       nullptr, nullptr, nullptr),
          database_);
  sqlite3_stmt* insert = nullptr;
  require(
      sqlite3_prepare_v2(database_, "INSERT INTO method VALUES (?, ?, ?)", -1, &insert, nullptr),
      database_);
  for (std::size_t path = 0; path < rails.size(); ++path) {
    for (const runtime::MethodRange& range : runtime::method_ranges(rails[path])) {
      sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(path));
      sqlite3_bind_int64(insert, 2, static_cast<sqlite3_int64>(range.from_bytes));
      sqlite3_bind_int64(insert, 3, number_of(range));
      require(sqlite3_step(insert), database_);
      sqlite3_reset(insert);
    }
  }
  sqlite3_finalize(insert);
  require(sqlite3_prepare_v2(database_,
                             "SELECT method FROM method WHERE path = ? AND from_bytes <= ?"
                             " ORDER BY from_bytes DESC LIMIT 1",
                             -1, &query_, nullptr),
          database_);
}

SqlLookup::~SqlLookup() {
  sqlite3_finalize(query_);
  sqlite3_close(database_);
}

int SqlLookup::method_for(int path, std::uint64_t size_bytes) const {
  sqlite3_bind_int64(query_, 1, path);
  sqlite3_bind_int64(query_, 2, static_cast<sqlite3_int64>(size_bytes));
  const int method = sqlite3_step(query_) == SQLITE_ROW ? sqlite3_column_int(query_, 0) : -1;
  sqlite3_reset(query_);
  return method;
}

}  // namespace nmt::bench
