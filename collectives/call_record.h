// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank remembers of the collectives that a program calls, for the report of call_report.h.
//
// Calls are summed for each ordered group of ranks, collective and class of sizes. Of some calls
// the rank also keeps when it entered and left. Which ones depends on their number alone, so that
// all ranks keep the same ones without a word between them: those whose number, once mixed, ends
// with enough zeros. Memory is bounded. Not thread-safe; nothing here knows an MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace nmt::collectives {

enum class Collective : std::uint8_t {
  kBarrier,
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kExscan
};
std::string_view to_string(Collective collective);  // "bcast"; as in Rule, where there are rules

// Whose data all others wait for: the root's, or everybody's.
bool begins_at_root(Collective collective);

// A class is a range from 4^n up to below 4^(n+1) bytes, the first one from 0.
inline constexpr std::int16_t kNoSize = -1;      // a barrier
inline constexpr std::int16_t kUnlikeSize = -2;  // ranks may have different ones
std::int16_t size_class(std::uint64_t size_bytes);
std::uint64_t class_begin(std::int16_t size_class);

struct CallKind {
  Collective collective = Collective::kBarrier;
  bool blocks = true;  // else MPI_I..., whose time nobody knows
  std::int16_t size_class = kNoSize;
  auto operator<=>(const CallKind&) const = default;
};

struct SampledCall {
  std::uint64_t number = 0;     // among calls of its kind in its group
  std::int32_t root = 0;        // in the group
  std::int32_t position = 0;    // in the group, of this rank
  std::int64_t entered_ns = 0;  // by the clock of the rank's node
  std::int64_t took_ns = 0;
};

struct CallSums {
  std::uint64_t calls = 0;
  std::uint64_t size_bytes = 0;  // of all
  std::int64_t took_ns = 0;
};

class CallLog {
 public:
  explicit CallLog(std::size_t sampled_max) : sampled_max_(sampled_max) {}

  // `call` but for its number.
  void add(std::uint64_t size_bytes, SampledCall call);
  const CallSums& sums() const { return sums_; }
  const std::vector<SampledCall>& sampled() const { return sampled_; }

 private:
  CallSums sums_;
  std::size_t sampled_max_;
  int zeros_ = 0;  // that a mixed number must end with
  std::vector<SampledCall> sampled_;
};

// Ranks that call collectives together, whatever communicators they do it in.
struct GroupHead {
  std::uint64_t name = 0;           // the same on all of them; 0: their calls are not sampled
  std::int32_t members = 0;         // ranks of this job
  std::int32_t position = 0;        // of this rank
  std::int32_t nodes = 0;           // 0: not only ranks of this job
  std::int32_t ranks_per_node = 0;  // the most
};

struct GroupLog {
  GroupHead head;
  std::map<CallKind, CallLog> kinds;
};

// All logs of a rank, to be sent to rank 0; with sampled calls or with sums only.
std::vector<std::byte> pack(std::span<const GroupLog* const> groups, bool with_sampled);

// Reads them back, kind by kind.
struct PackedKind {
  GroupHead group;
  CallKind kind;
  CallSums sums;
  std::vector<SampledCall> sampled;
};
std::vector<PackedKind> unpack(std::span<const std::byte> bytes);

}  // namespace nmt::collectives
