// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-bench: what a user can ask for, and what it does.
//
// Strategies are compared within rounds: each round plays every strategy once in a new order, so
// that what drifts on the machine drifts for all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/command/command.h"

namespace nmt {

struct BenchOptions {
  std::string rails;  // as typed; empty: all that are usable
  std::string strategy = "adaptive";
  std::string compare;                // as typed; several strategies instead of one
  std::string pattern = "ping-pong";  // stream
  std::vector<std::uint64_t> sizes_bytes;
  std::optional<std::uint64_t> segments, at_once, rounds;
  double repetition_ns = 5e6;
  std::string db;
  bool no_profile = false;
};

void declare(Options& options, BenchOptions& target);
Report bench(const BenchOptions& options, const Invocation& invocation);

}  // namespace nmt
