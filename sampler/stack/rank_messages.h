// SPDX-License-Identifier: BSD-3-Clause
//
// One launch of another stack's job, as its ranks see it: what its own messages take under the
// settings that it was launched with.
//
// Rank 0 exchanges messages with the next rank of its node and with the first rank of the next
// node, as far as there are such, ping-pongs of all sizes in several passes; the other ranks wait
// without taking a core. Nothing is compared here: settings change between launches, and who
// launches keeps them in rounds (tools/stack/sample_messages.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/control.h"

namespace nmt {

// Where the two ends of a message are: Condition::placement.
inline constexpr std::string_view kSameNode = "same-node";
inline constexpr std::string_view kOtherNode = "other-node";

struct LaunchRoundOrder {
  std::vector<std::uint64_t> sizes_bytes;
  bool find_eager = false;             // also which messages leave before they are asked for
  std::vector<std::string> variables;  // of the MPI, whose values to tell
};

struct LaunchRoundCell {
  std::string placement;
  std::uint64_t size_bytes = 0;
  std::uint32_t batch = 1;               // messages in each total, both ways
  std::vector<std::uint64_t> totals_ns;  // by repetition
  bool operator==(const LaunchRoundCell&) const = default;
};

struct LaunchRound {
  std::vector<LaunchRoundCell> cells;
  // The largest message that leaves unasked, by placement; empty where that was not asked for.
  struct Eager {
    std::string placement;
    std::uint64_t bytes_max = 0;
    bool operator==(const Eager&) const = default;
  };
  std::vector<Eager> eager;
  // As the MPI has them, in the order asked for; those that it does not know are left out.
  std::vector<std::pair<std::string, std::string>> variables;
  bool operator==(const LaunchRound&) const = default;
};

// By all ranks of a job of two ranks or more; the result is rank 0's, and empty elsewhere.
LaunchRound time_launch_round(const control::MpiJob& job, const LaunchRoundOrder& order);

}  // namespace nmt
