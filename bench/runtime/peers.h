// SPDX-License-Identifier: BSD-3-Clause
//
// How others choose a method for a size, rebuilt to be measured beside ours: the shape of their
// data and the order of their steps, on our profile's choices. What they do around it (finding the
// endpoint, building the request) is left out, to their advantage.
//
// - UCX, src/ucp/proto/proto_select.{h,inl,c}: a key of 64 bits against the one used last, then a
//   list of ranges, each with its protocol's configuration and its last size; the first three are
//   compared in line, the rest in a loop of a function.
// - NCCL, src/enqueue.cc (updateCollCostTable, topoGetAlgoInfo) and src/graph/tuning.cc
//   (ncclTopoGetAlgoTime): a table of 7 algorithms times 3 protocols is cleared, filled with
//   latency + size / bandwidth for those that this communicator can use, and searched for its
//   least. Here two algorithms have numbers, as on several nodes without SHARP and NVLink SHARP.
// - A profile asked in SQL: a prepared statement on a table in memory, with the index it needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan.h"
#include "runtime/transfer.h"

struct sqlite3;
struct sqlite3_stmt;

namespace nmt::bench {

class UcxShaped {
 public:
  explicit UcxShaped(std::span<const runtime::MethodRange> ranges);

  int method_for(std::uint64_t key, std::uint64_t size_bytes) const {
    if (key != cached_key_) [[unlikely]]
      return -1;  // would be looked up in a hash
    const Threshold* thresholds = cached_;
    for (int i = 0; i < 3; ++i) {
      if (size_bytes <= thresholds[i].size_bytes_max) [[likely]]
        return static_cast<int>(thresholds[i].method);
    }
    return static_cast<int>(search_slowly(thresholds + 3, size_bytes)->method);
  }

 private:
  struct Threshold {      // ucp_proto_threshold_elem_t
    std::int64_t method;  // stands for the protocol
    const void* private_data;
    std::uint8_t endpoint_config;
    std::uint8_t key_config;
    std::uint64_t select_param;
    std::uint64_t size_bytes_max;  // inclusive
  };
  static const Threshold* search_slowly(const Threshold* thresholds, std::uint64_t size_bytes);

  std::vector<Threshold> thresholds_;
  std::uint64_t cached_key_ = 1;
  const Threshold* cached_;
};

class NcclShaped {
 public:
  static constexpr int kAlgorithms = 7;
  static constexpr int kProtocols = 3;

  // The lines nearest to these curves, by their ends, one per usable cell in turn.
  explicit NcclShaped(std::span<const Curve> curves);

  int cell_for(std::uint64_t size_bytes) const;

 private:
  enum Algorithm { kTree, kRing, kDirect, kChain, kNvls, kNvlsTree, kPat };
  using Table = float[kAlgorithms][kProtocols];

  float time_of(int algorithm, int protocol, std::uint64_t size_bytes, int operations) const;
  void fill(Table& table, std::uint64_t size_bytes) const;

  Table latency_{};
  Table bandwidth_{};  // 0: not usable
  float correction_[kProtocols][23];
  int ranks_ = 16;
  int nodes_ = 2;
  int channels_ = 2;
  bool collnet_ = false;
  bool nvls_ = false;
};

class SqlLookup {
 public:
  explicit SqlLookup(std::span<const RailPlan> rails);
  ~SqlLookup();
  SqlLookup(const SqlLookup&) = delete;

  int method_for(int path, std::uint64_t size_bytes) const;

 private:
  sqlite3* database_ = nullptr;
  sqlite3_stmt* query_ = nullptr;
};

}  // namespace nmt::bench
