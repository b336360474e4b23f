// SPDX-License-Identifier: BSD-3-Clause
//
// What is derived from samples for decisions: curves, and thresholds between choices.
//
// A Plan can be derived again from the samples at any time. Opening a profile for decisions reads
// only the plan. Ranges together cover every size: `from` is inclusive, `to` is exclusive, and the
// last has no end. The answer `threshold` has one change of choice, at `bytes`. `always` means that
// the choice that names the decision (iovec, rendezvous, aggregation) is best at every size; its
// `bytes` is 0. `never` means that this choice never pays; it has no `bytes`. `ranges` means
// several changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/curve.h"
#include "core/id.h"
#include "core/method.h"
#include "core/signature.h"

namespace nmt {

enum class Answer { kThreshold, kAlways, kNever, kRanges };
std::string_view to_string(Answer answer);

struct Range {
  std::uint64_t from_bytes = 0;
  std::optional<std::uint64_t> to_bytes;  // nullopt: no end
  std::string choice;
  bool operator==(const Range&) const = default;
};

struct Threshold {
  DecisionKind kind = DecisionKind::kIovec;
  Answer answer = Answer::kNever;
  std::optional<std::uint64_t> bytes;
  std::uint64_t low_bytes = 0;  // 95 % interval of the position
  std::uint64_t high_bytes = 0;
  double regret = 0;     // expected: mean slowdown over the sampled sizes, against the best choice
  bool bounded = false;  // set by a limit (--max-unexpected, eager), not by a crossing
  std::vector<Range> ranges;
  bool operator==(const Threshold&) const = default;

  const std::string& choice_at(std::uint64_t size_bytes) const;
};

// The derived curve of one (benchmark, method, variant): the median duration, and its 95 % limits
// at the same sizes.
struct PlanCurve {
  std::string benchmark;
  std::string method;
  std::string variant;  // of registration: cold or cached
  Curve duration;       // as measured, drift removed
  Curve low;
  Curve high;
  double spread = 0;              // typical relative spread of one repetition (MAD / median)
  double monotone_departure = 0;  // difference of duration.monotone() from `duration`
  bool operator==(const PlanCurve&) const = default;
};

// Everything derived for one path, one regime, one placement and one number of ranks per NIC.
struct RailPlan {
  std::string rail;  // full name
  Id path;
  std::string regime;
  std::string placement;
  std::string busy_rails;
  std::uint64_t max_unexpected_bytes = 0;
  std::vector<PlanCurve> curves;
  std::vector<Threshold> thresholds;
  // Least size of one part of a split message that pays; 0: not measured, any size is allowed.
  std::uint64_t chunk_bytes_min = 0;
  std::string memory = "host";     // kind of memory of the buffers
  std::int64_t ranks_per_nic = 1;  // processes of this node that sent over the rail at once
  bool operator==(const RailPlan&) const = default;

  // By one rank of the node, while no other rail was busy.
  bool is_alone() const { return busy_rails.empty() && ranks_per_nic == 1; }
  const PlanCurve* find_curve(std::string_view benchmark, std::string_view method) const;
  const Threshold* find_threshold(DecisionKind kind) const;
};

// How well what was measured with some ranks per NIC answers for the number that is asked about:
// the more the better up to that number, because contention grows with it; else, and for 0 (any),
// the fewer the better. The greatest is the best.
constexpr std::int64_t fit_of_ranks(std::int64_t measured, std::int64_t asked) {
  return measured <= asked ? measured : -measured;
}

// Regret and prediction error at sizes that were not used to derive (docs/method.md).
struct Verification {
  struct Prediction {
    std::string rail;
    std::string method;
    std::string regime;
    std::size_t sizes = 0;
    double error_median = 0;  // |predicted / measured - 1|
    double error_p95 = 0;
    double noise_floor = 0;  // median difference of two measurements of one point, in other blocks
    bool operator==(const Prediction&) const = default;
  };
  struct Decision {
    std::string rail;
    std::string kind;
    std::string regime;
    std::size_t sizes = 0;
    double regret_median = 0;  // 0 where the choice is within 1 % of the best measured
    double regret_p95 = 0;
    bool operator==(const Decision&) const = default;
  };
  std::vector<Prediction> predictions;
  std::vector<Decision> decisions;
  bool operator==(const Verification&) const = default;
};

// Time from the decision until another core starts the submission (paper "multirail on multicore",
// II-C), for each distance between the two cores (node/cores.h). "shared-cache spinning": the
// helper on the other core polls for work all the time, and does not sleep. `preempting`: a thread
// computes on the other core.
struct OffloadCost {
  std::string placement;
  double cost_ns = 0;
  double low_ns = 0;  // 95 % limits
  double high_ns = 0;
  bool preempting = false;
  bool operator==(const OffloadCost&) const = default;
};

// The best segment of a hierarchical collective's pipeline and the fastest algorithm, for a range
// of sizes.
struct SegmentRule {
  // bcast, reduce, allreduce, allgather, alltoall, alltoallv, barrier, gather, scatter,
  // reduce_scatter_block, reduce_scatter, allgatherv
  std::string operation;
  std::int64_t nodes = 0;
  std::int64_t ranks_per_node = 0;
  std::uint64_t from_bytes = 0;
  std::optional<std::uint64_t> to_bytes;  // nullopt: no end
  std::uint64_t segment_bytes = 0;        // 0: the whole message at once
  // chain, binary, binomial, ring, recursive_doubling, inline; leaders, neighbors; nodes, pairwise,
  // direct2; dissemination. "library": what the MPI chooses itself is the fastest; "library:NAME":
  // the algorithm that the MPI calls NAME is (core/collective_sample.h). Empty: not compared.
  std::string algorithm;
  std::int64_t leaders = 1;  // of a node: one per NUMA node or socket, if it has so many
  // Under which it was sampled, with its version: "Open MPI v4.1.4" (core/mpi_name.h). A job under
  // another MPI does not follow the rule.
  std::string mpi;
  double gain = 0;  // duration of the MPI's own over the rule's, mean of the range; 0: not known
  // The last of the nodes, and of the ranks per node, of a rule that was predicted and not sampled
  // (tuner/predicted_segments.h); 0: sampled, for this shape only.
  std::int64_t nodes_max = 0;
  std::int64_t ranks_per_node_max = 0;
  bool operator==(const SegmentRule&) const = default;

  bool is_predicted() const { return nodes_max > 0; }
  bool applies_to(std::int64_t other_nodes, std::int64_t other_ranks_per_node) const {
    return other_nodes >= nodes && other_nodes <= std::max(nodes, nodes_max) &&
           other_ranks_per_node >= ranks_per_node &&
           other_ranks_per_node <= std::max(ranks_per_node, ranks_per_node_max);
  }
  bool covers(std::uint64_t size_bytes) const {
    return size_bytes >= from_bytes && (!to_bytes || size_bytes < *to_bytes);
  }
};

// What was measured of an MPI's own collective algorithms, for one range of sizes: the fastest of
// them against the algorithm that this MPI chooses itself.
struct LibraryRule {
  std::string mpi;         // name and version
  std::string operation;   // "allreduce" ...
  std::string algorithm;   // the MPI's own name of it; empty: none is measurably faster
  std::int64_t ranks = 0;  // of the communicator
  std::int64_t ranks_per_node = 0;
  std::uint64_t from_bytes = 0;           // of one rank's data
  std::optional<std::uint64_t> to_bytes;  // nullopt: no end
  std::uint64_t segment_bytes = 0;        // 0: the algorithm's own, or none
  double gain = 1;                        // duration of the MPI's choice over the algorithm's
  double low = 1;                         // 95 % interval
  double high = 1;
  bool operator==(const LibraryRule&) const = default;
};

struct Plan {
  Id platform;
  std::vector<Id> campaigns;  // derived from these
  std::vector<RailPlan> rails;
  std::optional<Verification> verification;
  std::vector<OffloadCost> offloads;
  std::vector<SegmentRule> segments;
  std::vector<LibraryRule> library_rules;
  std::vector<Signature> signatures;
  bool operator==(const Plan&) const = default;
};

}  // namespace nmt
