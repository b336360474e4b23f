// SPDX-License-Identifier: BSD-3-Clause
//
// One launch of a stack's job with nmad-sample as its ranks, under given settings. The order is an
// argument; the measured times come back as JSON (sampler/stack/rank_messages.h).
//
// An order is one word without characters that a shell, or a replacement of ssh, would change.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/json.h"
#include "sampler/stack/launch.h"
#include "sampler/stack/rank_messages.h"
#include "stacks/stacks.h"

namespace nmt::sampler {

// How to launch a stack's jobs.
struct StackJob {
  stacks::Stack stack;
  std::string launcher;  // "mpirun -n 2"
  std::function<bool()> interrupted = {};
  // The version of the stack that is installed here, for messages; empty where that is unknown.
  std::function<std::string()> installed = {};
};

// `launcher` as typed; if empty, two ranks on this node with the stack's own launcher.
StackJob stack_job(const stacks::Stack& stack, const std::string& launcher);

// To be called first by what launches jobs, before it opens a profile: throws if a launcher or srun
// started this process as one of several, because each would do all of the work.
void refuse_one_of_several();

// The result of a launch: its times, and facts about it.
struct LaunchedRound {
  std::string library;       // "Open MPI v4.1.4"
  std::string library_file;  // file from which the ranks loaded it
  std::int64_t ranks = 0;
  std::size_t cores = 0;                                // of all ranks together; 0: unknown
  std::vector<std::string> hosts;                       // of the nodes
  std::vector<std::string> interfaces;                  // that two nodes share
  stacks::Transport network = stacks::Transport::kTcp;  // what messages between nodes go by
  std::string messages_by;        // Open MPI's component for them where not its own
  bool has_variables = true;      // the MPI lets its control variables be read (MPI_T)
  std::string ucx_version;        // "1.18.1"; empty where the job has loaded none
  std::string libfabric_version;  // "2.1", likewise
  LaunchRound timings;
  double elapsed_ns = 0;

  stacks::Transport transport_of(std::string_view placement) const;  // kSameNode, kOtherNode
  std::string version_of(std::string_view stack) const;  // empty where the ranks do not tell it
};

std::string to_text(const LaunchRoundOrder& order);
LaunchRoundOrder launch_round_order_from(const std::string& text);  // Error(kUsage)

json::Value to_json(const LaunchRound& timings);
LaunchRound launch_round_from(const json::Reader& reader);

// The environment of a job that should run under these settings.
Fields environment_of(const stacks::Stack& stack, const Fields& settings);

// Launches nmad-sample as the ranks of a job, with an order, and reads the document that rank 0
// prints. Returns the elapsed time. Error(kFailed) if it fails, with its error output.
double launch_ranks(const StackJob& job, const Fields& settings, const std::string& order,
                    double timeout_ns, const std::function<void(const json::Reader&)>& read);

LaunchedRound launch_round(const StackJob& job, const Fields& settings,
                           const LaunchRoundOrder& order);

}  // namespace nmt::sampler
