// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank records of the collectives that a program calls, for the report of call_report.h.
//
// Calls are summed for each ordered group of ranks, collective and class of sizes. For some calls
// the rank also records when it entered and left. The number of a call alone decides which ones, so
// all ranks record the same calls without communication: those whose mixed number ends with enough
// zero bits. Memory is bounded. Not thread-safe; nothing here depends on an MPI.
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
std::string_view to_string(Collective collective);  // "bcast"; the same names as in Rule

// Whose data the others wait for: the root's, or that of all ranks.
bool begins_at_root(Collective collective);

// A class is the range from 4^n to below 4^(n+1) bytes; the first one starts at 0.
inline constexpr std::int16_t kNoSize = -1;      // a barrier
inline constexpr std::int16_t kUnlikeSize = -2;  // ranks may have different sizes
std::int16_t size_class(std::uint64_t size_bytes);
std::uint64_t class_begin(std::int16_t size_class);

struct CallKind {
  Collective collective = Collective::kBarrier;
  bool blocks = true;          // else MPI_I..., whose duration is unknown
  bool is_persistent = false;  // MPI_..._init, which is counted once, however often it is started
  std::int16_t size_class = kNoSize;
  auto operator<=>(const CallKind&) const = default;
};

struct SampledCall {
  std::uint64_t number = 0;     // among calls of this kind in its group
  std::int32_t root = 0;        // in the group
  std::int32_t position = 0;    // of this rank, in the group
  std::int64_t entered_ns = 0;  // by the clock of the rank's node
  std::int64_t took_ns = 0;
};

struct CallSums {
  std::uint64_t calls = 0;
  std::uint64_t size_bytes = 0;  // of all calls
  std::int64_t took_ns = 0;
};

class CallLog {
 public:
  explicit CallLog(std::size_t sampled_max) : sampled_max_(sampled_max) {}

  // The number in `call` is ignored.
  void add(std::uint64_t size_bytes, SampledCall call);
  const CallSums& sums() const { return sums_; }
  const std::vector<SampledCall>& sampled() const { return sampled_; }

 private:
  CallSums sums_;
  std::size_t sampled_max_;
  int zeros_ = 0;  // number of zero bits at the end of a mixed number that is sampled
  std::vector<SampledCall> sampled_;
};

// Ranks that call collectives together, in any communicators.
struct GroupHead {
  std::uint64_t name = 0;           // equal on all of them; 0: their calls are not sampled
  std::int32_t members = 0;         // ranks of this job
  std::int32_t position = 0;        // of this rank
  std::int32_t nodes = 0;           // 0: has ranks of other jobs
  std::int32_t ranks_per_node = 0;  // maximum over nodes
};

struct GroupLog {
  GroupHead head;
  std::map<CallKind, CallLog> kinds;
};

// All logs of a rank, to send to rank 0; with the sampled calls, or only with sums.
std::vector<std::byte> pack(std::span<const GroupLog* const> groups, bool with_sampled);

// One entry of the received logs: a group and a kind of call.
struct PackedKind {
  GroupHead group;
  CallKind kind;
  CallSums sums;
  std::vector<SampledCall> sampled;
};
std::vector<PackedKind> unpack(std::span<const std::byte> bytes);

}  // namespace nmt::collectives
