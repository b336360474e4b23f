// SPDX-License-Identifier: BSD-3-Clause
//
// One launch of a stack's job with nmad-sample as its ranks, under given settings: the order goes
// out as an argument, what was timed comes back as JSON (sampler/stack/rank_messages.h).
//
// An order is one word without anything that a shell or an agent in the place of ssh would touch.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/json.h"
#include "sampler/stack/launch.h"
#include "sampler/stack/rank_messages.h"
#include "stacks/stacks.h"

namespace nmt {

// How a stack's jobs are launched.
struct StackJob {
  const Stack& stack;
  std::string launcher;  // "mpirun -n 2"
  std::function<bool()> interrupted = {};
};

// `launcher` as typed; where it is empty, two ranks on this node by the stack's own one.
StackJob stack_job(const Stack& stack, const std::string& launcher);

// What a launch was like beside what it timed.
struct LaunchedRound {
  std::string library;       // "Open MPI v4.1.4"
  std::string library_file;  // that the ranks have loaded it from
  std::int64_t ranks = 0;
  std::size_t cores = 0;                // of all ranks together; 0: not told
  std::vector<std::string> hosts;       // of the nodes
  std::vector<std::string> interfaces;  // that two nodes share
  Transport network = Transport::kTcp;  // what messages between nodes go by
  std::string messages_by;              // Open MPI's component for them where not its own
  LaunchRound timings;
  double elapsed_ns = 0;

  Transport transport_of(std::string_view placement) const;  // kSameNode, kOtherNode
};

std::string to_text(const LaunchRoundOrder& order);
LaunchRoundOrder launch_round_order_from(const std::string& text);  // Error(kUsage)

json::Value to_json(const LaunchRound& timings);
LaunchRound launch_round_from(const json::Reader& reader);

// Of the environment of a job that is to run under these settings.
Fields environment_of(const Stack& stack, const Fields& settings);

// Launches nmad-sample as the ranks of a job, with an order, and reads the document that rank 0
// prints. How long it took; Error(kFailed) where it fails, with what it said.
double launch_ranks(const StackJob& job, const Fields& settings, const std::string& order,
                    double timeout_ns, const std::function<void(const json::Reader&)>& read);

LaunchedRound launch_round(const StackJob& job, const Fields& settings,
                           const LaunchRoundOrder& order);

}  // namespace nmt
