// SPDX-License-Identifier: BSD-3-Clause
//
// What the two ends of a benchmark exchange, described by one plain BenchCell, so that both ends
// run the same.
//
// A ping-pong of n flows sends n messages at once and waits for n back; its duration is half a
// round. A stream keeps a window of messages in transit and ends with an answer of the far end; its
// duration is the total divided by the number of messages. A rate posts n messages at once and
// waits for an answer of the far end before the next n; its duration is also that of one message.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace nmt::tools {

enum class TrafficPattern : std::uint32_t { kPingPong, kStream, kRate };
inline constexpr std::array<std::string_view, 3> kTrafficPatternNames = {"ping-pong", "stream",
                                                                         "rate"};

struct BenchCell {
  std::uint32_t contender = 0;  // index of its engine
  TrafficPattern pattern = TrafficPattern::kPingPong;
  std::vector<std::uint64_t> sizes_bytes = {0};  // of the flows of a ping-pong, in turn
  std::uint32_t segments = 1;                    // equal parts of each message
  std::uint32_t at_once = 1;                     // flows, or messages in transit
  std::uint32_t count = 1;                       // rounds of a ping-pong or rate, or messages

  std::uint64_t size_bytes(std::uint32_t slot) const {
    return sizes_bytes[slot % sizes_bytes.size()];
  }
  // operations(): the divisor of the total time. The other two: content of one operation.
  double operations() const;
  std::uint64_t operation_bytes() const;
  std::uint32_t operation_messages() const;
};

class TrafficRunner {
 public:
  TrafficRunner(std::uint64_t size_bytes_max, std::uint32_t at_once_max);

  // Both start together; the near end returns the duration. Error(kPeer) if the other end is lost
  // or silent.
  double run_near(engine::Engine& engine, const BenchCell& cell);
  void run_far(engine::Engine& engine, const BenchCell& cell);

 private:
  engine::Engine::Request send(engine::Engine& engine, const BenchCell& cell, std::uint32_t slot);
  engine::Engine::Request receive(engine::Engine& engine, const BenchCell& cell,
                                  std::uint32_t slot);
  std::byte* place(std::vector<std::byte>& memory, const BenchCell& cell, std::uint32_t slot) const;

  std::vector<std::byte> out_, in_;
};

}  // namespace nmt::tools
