// SPDX-License-Identifier: BSD-3-Clause
//
// What was measured, as it was measured.
//
// A Repetition is one timed batch: a total in nanoseconds and the number of operations in it. A
// Sample is all repetitions of one cell: one size under one Condition. Nothing in it is corrected,
// smoothed or dropped. Disturbed repetitions stay and are marked. Drift between rounds is removed
// where curves are derived (core/drift.h), never here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/id.h"
#include "core/rail.h"

namespace nmt {

struct Repetition {
  std::uint64_t total_ns = 0;
  std::uint32_t batch = 1;  // operations in the total (a round trip is two)
  std::uint32_t round = 0;  // which pass of the campaign; ratios are taken within a round
  bool disturbed = false;   // something else ran at the same time (node/interference.h)

  double each_ns() const { return static_cast<double>(total_ns) / batch; }
  bool operator==(const Repetition&) const = default;
};

// The conditions of a measurement, as open text: a new kind of measurement adds values, not types.
// Empty text and 0 mean "does not apply".
struct Condition {
  std::string benchmark;        // core/method.h, namespace benchmark
  std::string method;           // copy, iovec, rendezvous
  std::string variant;          // of the method: inline, rdma_write ...
  std::string regime = "hot";   // hot: same buffer; cold: buffers that exceed the private caches
  std::string placement;        // cores of both ends: "distinct-cores", "same-core" ...
  std::string memory = "host";  // kind of memory
  std::string registration;     // cold, cached
  std::string busy_rails;       // rails kept busy at the same time, full names, separated by ','
  std::string mpi;              // name and version
  std::string mapping;          // by core, by node
  std::string operation;        // collective
  std::string algorithm;
  std::int64_t header_bytes = 0;
  std::int64_t pieces = 1;  // segments of the body
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;
  std::int64_t ranks_per_node = 0;  // of a transfer: that use its rail at once; 0: one
  std::int64_t leaders = 0;
  std::int64_t segment_bytes = 0;
  std::int64_t root = 0;

  auto operator<=>(const Condition&) const = default;

  // Of a transfer: by one rank of the node, while no other rail was busy.
  bool is_alone() const { return busy_rails.empty() && ranks_per_node <= 1; }
};

// Calls visit(name, field) for every field of a Condition, in order. Storing, printing and
// digesting all use this list.
template <class ConditionType, class Visitor>
void for_each_field(ConditionType& c, Visitor&& visit) {
  visit("benchmark", c.benchmark);
  visit("method", c.method);
  visit("variant", c.variant);
  visit("regime", c.regime);
  visit("placement", c.placement);
  visit("memory", c.memory);
  visit("registration", c.registration);
  visit("busy_rails", c.busy_rails);
  visit("mpi", c.mpi);
  visit("mapping", c.mapping);
  visit("operation", c.operation);
  visit("algorithm", c.algorithm);
  visit("header_bytes", c.header_bytes);
  visit("pieces", c.pieces);
  visit("ranks", c.ranks);
  visit("nodes", c.nodes);
  visit("ranks_per_node", c.ranks_per_node);
  visit("leaders", c.leaders);
  visit("segment_bytes", c.segment_bytes);
  visit("root", c.root);
}

// For people: "transfer/copy hot distinct-cores".
std::string describe(const Condition& condition);

// Where the numbers of a sample come from.
enum class Origin { kMeasured, kImported, kSimulated, kDescribed };
std::string_view to_string(Origin origin);
Origin parse_origin(std::string_view text);  // Error(kFailed) for any other word

// Sizes that two nodes measure before all others, as far as there is time, so that pairs, and
// launches of one pair, can be compared by the same messages.
inline constexpr std::uint64_t kLandmarksBytes[] = {
    1, std::uint64_t{64} << 10, std::uint64_t{1} << 20, std::uint64_t{16} << 20};

// The option of a campaign that measured no other sizes.
inline constexpr char kLandmarksOption[] = "landmarks";
inline constexpr char kLandmarksOnly[] = "only";

struct Sample {
  Condition condition;
  std::uint64_t size_bytes = 0;
  bool held_out = false;  // measured to verify, never used to derive
  Origin origin = Origin::kMeasured;
  double run_delay_ns = 0;  // time spent runnable but not running, summed over the repetitions
  std::vector<Repetition> repetitions;
  bool operator==(const Sample&) const = default;
};

// Where numbers were measured: from a rail to itself or to a peer, in this direction.
struct Path {
  Id id;
  Id from_node;
  Id to_node;
  Rail from;
  Rail to;
  bool operator==(const Path&) const = default;
};

// One process launch of a campaign (the first, or a resume). All numbers of a launch share one
// factor. One launch cannot separate this factor from the rail's speed; several launches can.
struct Session {
  Id id;
  std::string started_utc;
  std::string clock;  // Clock::name()
  double clock_cost_ns = 0;
  double clock_resolution_ns = 0;
  std::uint64_t seed = 0;
  double elapsed_ns = 0;  // part of the campaign's budget used so far, by its clock
  bool operator==(const Session&) const = default;
};

struct Campaign {
  Id id;
  Id platform;
  std::string started_utc;
  std::string finished_utc;  // empty while incomplete
  std::string tool_version;
  std::string command_line;
  Fields options;  // a resume must repeat them
  bool complete = false;
  double quality = 1;  // share of undisturbed repetitions
  std::string remark;  // why incomplete or disturbed; for people
  bool operator==(const Campaign&) const = default;

  bool has_only_landmarks() const {
    const auto found = options.find(kLandmarksOption);
    return found != options.end() && found->second == kLandmarksOnly;
  }
};

// All samples of one path in one session: the unit that is read back and derived from.
struct SampleSet {
  Campaign campaign;
  Session session;
  Path path;
  std::vector<Sample> samples;
  std::vector<Path> others;  // measured together with `path`, as one group; else empty
};

}  // namespace nmt
