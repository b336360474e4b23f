// SPDX-License-Identifier: BSD-3-Clause
//
// What a user can ask of nmad-sample, declared to the command line and checked before any work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "sampler/sampler.h"
#include "tools/command/options.h"
#include "tools/peer/peer.h"

namespace nmt {

struct SampleOptions {
  SamplingOptions sampling;           // but for its seed, and its budget until that is settled
  double budget_ns = 0;               // as typed; 0: the default of what is sampled
  std::optional<std::uint64_t> seed;  // random where not given
  std::string rails;                  // as typed; empty: all that are usable
  std::string db;                     // --db; empty: the default
  bool system = false;                // the system's profile
  bool pairs = false;                 // --pairs: rails beside each other, on one node too
  bool no_pairs = false;              // --no-pairs: not to a peer either
  bool resume = false;                // go on with the newest incomplete campaign of these options
  bool list = false;                  // only tell what rails there are
  std::string mpi;                    // of the job; empty: that which launched it
  std::string parts;                  // of a campaign in a job; empty: all
  bool all_pairs = false;             // in a job: each node with each other
  std::string ranks;                  // numbers of ranks of alltoalls; empty: chosen
  std::string stack;                  // another stack to sample; empty: this project's own rails
  std::optional<std::uint64_t> rounds;  // of its launches
  std::string rank_order;               // what its ranks are to time; empty: this is no rank of it
  PeerOptions peer;                     // the other end, on another node
};

void declare(Options& options, SampleOptions& target);

// What a resumed campaign must have in common with its beginning, the rails chosen included. A seed
// counts only where it was given.
Fields campaign_options(const SampleOptions& options, const std::vector<std::string>& rails);

}  // namespace nmt
