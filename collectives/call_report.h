// SPDX-License-Identifier: BSD-3-Clause
//
// Where a program's time in collectives went. Rank 0 prints this report when MPI ends, from the
// logs of all ranks (call_record.h).
//
// Waiting is the time that a rank spent in a call before the last rank entered it (for Bcast and
// Scatter: before the root did). The rest of its time in the call counts as moving data. Both are
// known for calls that all ranks have sampled; the ratio is applied to all calls of a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/call_record.h"

namespace nmt::collectives {

// The profile's durations for one size, measured from the first rank's start to the last rank's
// end.
struct PredictedCall {
  double library_ns = 0;
  std::optional<double> ours_ns;  // nullopt: the profile chooses the MPI's own
};
// Returns nullopt if that operation, shape or size was not sampled.
using Predict = std::function<std::optional<PredictedCall>(
    Collective collective, int nodes, int ranks_per_node, std::uint64_t size_bytes)>;

// One collective and one class of sizes, over all groups of one shape.
struct CallRow {
  CallKind kind;
  int nodes = 0;  // 0: groups with ranks of other jobs
  int ranks_per_node = 0;
  bool is_equal = true;  // false: fewer ranks on some nodes, of which the profile has no durations
  std::uint64_t calls = 0;
  std::uint64_t size_bytes = 0;   // mean per call
  double share = 0;               // of the run, over all ranks of the job
  std::optional<double> waiting;  // likewise; nullopt: unknown
  double call_ns = 0;             // mean per call and rank
  std::uint64_t sampled = 0;      // calls from which waiting is known
  std::optional<PredictedCall> predicted;
};

struct JobShape {
  int ranks = 0;
  int nodes = 0;
  double run_ns = 0;  // from MPI_Init to MPI_Finalize
};

struct CallReport {
  JobShape job;
  std::vector<CallRow> rows = {};    // largest share first
  double clocks_apart_ns = 0;        // observed disagreement of the ranks' clocks
  std::string without_profile = {};  // why there are no predictions; empty: there are
};

// `of_ranks`: the logs of each rank, with times already by the clock of rank 0.
CallReport make_call_report(const JobShape& job, std::span<const std::vector<PackedKind>> of_ranks,
                            const Predict& predict);

// Elapsed time of the run that replacing the calls of a row would have saved, according to the
// profile.
double gain_ns(const CallRow& row);

struct CallTotals {
  double share = 0;    // of the run
  double split = 0;    // the part of it for which waiting is known
  double waiting = 0;  // of the part in `split`
  double gain_ns = 0;
};
CallTotals totals_of(const CallReport& report);

// to_text: lines for people, of at most 100 columns. to_json: one line for programs.
std::string to_text(const CallReport& report);
std::string to_json(const CallReport& report);

}  // namespace nmt::collectives
