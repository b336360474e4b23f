// SPDX-License-Identifier: BSD-3-Clause
//
// The options of nmad-sample, declared to the command line and checked before any work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "sampler/sampler.h"
#include "tools/command/options.h"
#include "tools/peer/peer.h"

namespace nmt::tools {

struct SampleOptions {
  sampler::SamplingOptions sampling;  // without seed; its budget is set later
  double budget_ns = 0;               // as typed; 0: the default for what is sampled
  std::optional<std::uint64_t> seed;  // random if not given
  std::string rails;                  // as typed; empty: all usable rails
  std::string db;                     // --db; empty: the default
  bool system = false;                // the system's profile
  bool pairs = false;                 // --pairs: rails beside each other, also on one node
  bool no_pairs = false;              // --no-pairs: not even to a peer
  bool resume = false;                // continue the newest incomplete campaign with these options
  bool confirm = false;               // --confirm: compare with the profile, store nothing
  double tolerance = 0.05;            // of --confirm
  std::string prometheus;             // where --confirm writes for node_exporter; empty: nowhere
  bool list = false;                  // only list the rails
  std::string mpi;                    // of the job; empty: detected
  std::string parts;                  // of a campaign in a job; empty: all
  bool all_pairs = false;             // in a job: each node with every other node
  std::string pairs_of;               // in a job: hosts whose pairs alone are measured
  std::string round;                  // in a job: pairs of one round are measured at one time
  std::string ranks;                  // numbers of ranks for alltoalls; empty: chosen
  std::string ranks_per_nic;          // of pairs, in a job: numbers of ranks; empty: chosen
  std::vector<std::uint64_t> alltoall_sizes_bytes;  // empty: chosen
  std::string shapes;                               // of a job, for collectives; empty: all
  std::string operations;                           // of a job, collectives; empty: all
  std::string stack;                                // another stack to sample; empty: our own rails
  std::optional<std::uint64_t> rounds;              // of its launches
  std::string rank_order;  // the order to a launched rank; empty: this is no such rank
  PeerOptions peer;        // the other end, on another node
};

void declare(Options& options, SampleOptions& target);

// Options in which a resumed campaign must equal its beginning, including the chosen rails. A seed
// counts only if it was given.
Fields campaign_options(const SampleOptions& options, const std::vector<std::string>& rails);

}  // namespace nmt::tools
