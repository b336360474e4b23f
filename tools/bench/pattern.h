// SPDX-License-Identifier: BSD-3-Clause
//
// What the two ends of a benchmark exchange, told by one plain Cell so that both play the same.
//
// A ping-pong of n flows sends n messages at once and waits for n back; its duration is half a
// round. A stream keeps a window of messages under way and ends with a word from the far end; its
// duration is the whole divided by the messages.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace nmt {

enum class Pattern : std::uint32_t { kPingPong, kStream };

struct Cell {
  std::uint32_t strategy = 0;  // index of the engine that plays it
  Pattern pattern = Pattern::kPingPong;
  std::uint64_t size_bytes = 0;  // of each message
  std::uint32_t segments = 1;    // equal parts of it
  std::uint32_t at_once = 1;     // flows, or messages under way
  std::uint32_t count = 1;       // rounds, or messages

  // By which the time of the whole is divided.
  double operations() const { return pattern == Pattern::kPingPong ? 2.0 * count : count; }
  // That one operation moves.
  double bytes() const {
    return static_cast<double>(size_bytes) * (pattern == Pattern::kPingPong ? at_once : 1);
  }
};

class Player {
 public:
  Player(std::uint64_t size_bytes_max, std::uint32_t at_once_max)
      : out_(size_bytes_max + 1), in_(at_once_max, std::vector<std::byte>(size_bytes_max + 1)) {}

  // Error(kPeer) where the other end is lost or silent.
  void play_near(Engine& engine, const Cell& cell);
  void play_far(Engine& engine, const Cell& cell);

 private:
  Engine::Request send(Engine& engine, const Cell& cell, std::uint32_t slot);
  Engine::Request receive(Engine& engine, const Cell& cell, std::uint32_t slot);

  std::vector<std::byte> out_;
  std::vector<std::vector<std::byte>> in_;  // one per message under way
};

}  // namespace nmt
