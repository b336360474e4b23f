// SPDX-License-Identifier: BSD-3-Clause
//
// One launch of another stack's job, from its ranks: the durations of its own messages under the
// settings of the launch.
//
// Rank 0 exchanges messages with the next rank of its node and with the first rank of the next
// node, if there are such: ping-pongs of all sizes in several passes. The other ranks wait without
// using a core. Nothing is compared here: settings change between launches, and the launching
// command puts launches into rounds (tools/stack/sample_messages.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/control.h"
#include "core/clock.h"

namespace nmt::sampler {

// The placement of a message's two ends: Condition::placement.
inline constexpr std::string_view kSameNode = "same-node";
inline constexpr std::string_view kOtherNode = "other-node";

struct LaunchRoundOrder {
  std::vector<std::uint64_t> sizes_bytes;
  bool find_eager = false;  // also find which messages are sent eagerly
  // Of the MPI, whose values are reported: "NAME"; "NAME.enumerated", for the names of its values;
  // with a '%', for what may stand there.
  std::vector<std::string> variables;
};
inline constexpr std::string_view kEnumerated = ".enumerated";

struct LaunchRoundCell {
  std::string placement;
  std::uint64_t size_bytes = 0;
  std::uint32_t batch = 1;               // messages in each total, both ways
  std::vector<std::uint64_t> totals_ns;  // by repetition
  bool operator==(const LaunchRoundCell&) const = default;
};

struct LaunchRound {
  std::vector<LaunchRoundCell> cells;
  // The largest eager message, by placement; empty unless requested.
  struct Eager {
    std::string placement;
    std::uint64_t bytes_max = 0;
    bool operator==(const Eager&) const = default;
  };
  std::vector<Eager> eager;
  // Between the cores of the two ranks on one node, the time in which a line and a larger block
  // pass to the other core and back (node/core_exchange.h): before the messages and after them.
  // Empty if there is no such pair, or if both have only one core.
  std::vector<double> core_exchanges_ns;
  // Values of the MPI's variables, in the requested order; unknown variables are absent.
  std::vector<std::pair<std::string, std::string>> variables;
  bool operator==(const LaunchRound&) const = default;
};

// Open MPI's component that carries this process's messages, by MPI_T, where it is not its own:
// "ucx" or "cm" (a library of the network). Empty for ob1 and for other MPIs.
std::string messages_by(const control::MpiJob& job);

// Called by all ranks of a job with at least two ranks. The result is on rank 0, and empty
// elsewhere. While a pair is measured, each of its ranks stays on one core, and the two on
// different ones as far as the launcher allows it.
LaunchRound time_launch_round(const control::MpiJob& job, const LaunchRoundOrder& order,
                              const Clock& clock);

}  // namespace nmt::sampler
