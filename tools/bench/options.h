// SPDX-License-Identifier: BSD-3-Clause
//
// The options of nmad-bench, as a user types them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/profile.h"
#include "tools/command/options.h"
#include "tools/peer/peer.h"

namespace nmt::tools {

struct BenchOptions {
  PeerOptions peer;   // the other end, on another node; empty: a process of this node
  std::string rails;  // as typed; empty: all usable rails
  std::string strategy = "adaptive";
  std::string compare;                // as typed: several strategies instead of one
  std::string pattern = "ping-pong";  // stream, rate, flows
  std::vector<std::uint64_t> sizes_bytes;
  std::optional<std::uint64_t> segments, at_once, rounds;
  double repetition_ns = 5e6;
  ProfileInUse profile;
};

void declare(Options& options, BenchOptions& target);

}  // namespace nmt::tools
