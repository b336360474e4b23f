// SPDX-License-Identifier: BSD-3-Clause
//
// Where a program's time in collectives went: what rank 0 prints when MPI ends, made of the logs of
// all ranks (call_record.h).
//
// Waiting is the time that a rank spent in a call before the last rank had entered it (of Bcast and
// Scatter: before the root had). The rest of its time there is counted as moving data. Both are
// known for the calls that all ranks have sampled; their ratio is taken for all calls of a row.
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

// What the profile predicts for one size; how it was measured: from the first rank's start to the
// last rank's end.
struct PredictedCall {
  double library_ns = 0;
  std::optional<double> ours_ns;  // nullopt: the profile says that the MPI's own is used
};
// nullopt: that operation, shape or size was not sampled.
using Predict = std::function<std::optional<PredictedCall>(
    Collective collective, int nodes, int ranks_per_node, std::uint64_t size_bytes)>;

// One collective of one class of sizes, over all groups of one shape.
struct CallRow {
  CallKind kind;
  int nodes = 0;  // 0: groups that are not only ranks of this job
  int ranks_per_node = 0;
  std::uint64_t calls = 0;
  std::uint64_t size_bytes = 0;   // the mean of a call
  double share = 0;               // of the run, over all ranks of the job
  std::optional<double> waiting;  // likewise; nullopt: not known
  double call_ns = 0;             // the mean of a call on a rank
  std::uint64_t sampled = 0;      // calls by which waiting is known
  std::optional<PredictedCall> predicted;
};

struct JobShape {
  int ranks = 0;
  int nodes = 0;
  double run_ns = 0;  // from MPI_Init to MPI_Finalize
};

struct CallReport {
  JobShape job;
  std::vector<CallRow> rows = {};    // the largest share first
  double clocks_apart_ns = 0;        // by how much the ranks' clocks were seen to disagree
  std::string without_profile = {};  // why there are no predictions; empty: there are
};

// What each rank has sent, its times already by the clock of rank 0.
CallReport make_call_report(const JobShape& job, std::span<const std::vector<PackedKind>> of_ranks,
                            const Predict& predict);

// What replacing the calls of a row would have gained by the profile, on the clock of the run.
double gain_ns(const CallRow& row);

struct CallTotals {
  double share = 0;    // of the run
  double split = 0;    // the part of it of which waiting is known
  double waiting = 0;  // of that
  double gain_ns = 0;
};
CallTotals totals_of(const CallReport& report);

// For people, lines of at most 100 columns; for programs, one line.
std::string to_text(const CallReport& report);
std::string to_json(const CallReport& report);

}  // namespace nmt::collectives
