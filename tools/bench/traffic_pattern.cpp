// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/traffic_pattern.h"

#include <algorithm>

#include "core/clock.h"
#include "core/error.h"

namespace nmt::tools {
namespace {

constexpr std::chrono::seconds kPatience{20};  // far longer than any one message

// Memory of messages that are in transit at the same time. If they are larger in total, they share
// it: no code reads their contents.
constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 20;

template <class Piece>
std::vector<Piece> cut(std::byte* memory, std::uint64_t left_bytes, std::uint32_t segments) {
  std::vector<Piece> pieces;
  std::uint64_t at = 0;
  for (std::uint32_t left = segments; left > 0; --left) {
    const std::uint64_t part_bytes = left_bytes / left;
    pieces.emplace_back(memory + at, part_bytes);
    at += part_bytes;
    left_bytes -= part_bytes;
  }
  return pieces;
}

void finish(engine::Engine& engine, engine::Engine::Request request) {
  const std::optional<engine::Completion> completion = engine.wait(request, kPatience);
  if (!completion)
    throw Error(Fault::kPeer, "the peer did not answer in time; its own messages name the cause");
  if (completion->outcome != engine::Outcome::kDone)
    throw Error(Fault::kPeer,
                "the connection to the peer is lost; its own messages name the cause");
}

void finish_all(engine::Engine& engine, std::vector<engine::Engine::Request>& requests) {
  for (const engine::Engine::Request request : requests) finish(engine, request);
  requests.clear();
}

// Runs `count` operations, `at_once` at a time; waits for the oldest first.
template <class Start>
void keep_under_way(engine::Engine& engine, const BenchCell& cell, Start start) {
  std::vector<engine::Engine::Request> ring(cell.at_once);
  for (std::uint32_t i = 0; i < cell.count + cell.at_once; ++i) {
    engine::Engine::Request& slot = ring[i % cell.at_once];
    if (i >= cell.at_once && i - cell.at_once < cell.count) finish(engine, slot);
    if (i < cell.count) slot = start(i % cell.at_once);
  }
}

// Tags of empty messages by which the two ends report that they are ready or done.
constexpr std::uint64_t kReady = std::uint64_t{1} << 32;
constexpr std::uint64_t kThrough = kReady + 1;

void say(engine::Engine& engine, std::uint64_t word) { finish(engine, engine.isend(0, word, {})); }
void hear(engine::Engine& engine, std::uint64_t word) { finish(engine, engine.irecv(0, word, {})); }

}  // namespace

double BenchCell::operations() const {
  const double times = count;
  if (pattern == TrafficPattern::kPingPong) return 2 * times;
  return pattern == TrafficPattern::kRate ? times * at_once : times;
}

std::uint32_t BenchCell::operation_messages() const {
  return pattern == TrafficPattern::kPingPong ? at_once : 1;
}

std::uint64_t BenchCell::operation_bytes() const {
  std::uint64_t bytes = 0;
  for (std::uint32_t slot = 0; slot < operation_messages(); ++slot) bytes += size_bytes(slot);
  return bytes;
}

TrafficRunner::TrafficRunner(std::uint64_t size_bytes_max, std::uint32_t at_once_max) {
  const std::uint64_t memory_bytes =
      std::max(size_bytes_max, std::min(kMemoryBytes, size_bytes_max * at_once_max));
  out_.resize(memory_bytes + 1);
  in_.resize(memory_bytes + 1);
}

std::byte* TrafficRunner::place(std::vector<std::byte>& memory, const BenchCell& cell,
                                std::uint32_t slot) const {
  const std::uint64_t size_bytes = *std::ranges::max_element(cell.sizes_bytes);
  const std::uint64_t slots = (memory.size() - 1) / std::max<std::uint64_t>(1, size_bytes);
  return memory.data() + size_bytes * (slot % std::max<std::uint64_t>(1, slots));
}

engine::Engine::Request TrafficRunner::send(engine::Engine& engine, const BenchCell& cell,
                                            std::uint32_t slot) {
  return engine.isend(
      0, slot,
      cut<drivers::ConstBytes>(place(out_, cell, slot), cell.size_bytes(slot), cell.segments));
}

engine::Engine::Request TrafficRunner::receive(engine::Engine& engine, const BenchCell& cell,
                                               std::uint32_t slot) {
  return engine.irecv(
      0, slot, cut<drivers::Bytes>(place(in_, cell, slot), cell.size_bytes(slot), cell.segments));
}

double TrafficRunner::run_near(engine::Engine& engine, const BenchCell& cell) {
  say(engine, kReady);
  hear(engine, kReady);
  const RealClock clock;
  const std::uint64_t start_ns = clock.now_ns();
  const auto start_send = [&](std::uint32_t slot) { return send(engine, cell, slot); };
  if (cell.pattern == TrafficPattern::kStream) {
    keep_under_way(engine, cell, start_send);
    hear(engine, kThrough);
  } else {
    std::vector<engine::Engine::Request> requests;
    for (std::uint32_t round = 0; round < cell.count; ++round) {
      const bool back = cell.pattern == TrafficPattern::kPingPong;
      for (std::uint32_t slot = 0; slot < cell.at_once; ++slot) {
        if (back) requests.push_back(receive(engine, cell, slot));
      }
      for (std::uint32_t slot = 0; slot < cell.at_once; ++slot) {
        requests.push_back(start_send(slot));
      }
      finish_all(engine, requests);
      if (!back) hear(engine, kThrough);
    }
  }
  return static_cast<double>(clock.now_ns() - start_ns);
}

void TrafficRunner::run_far(engine::Engine& engine, const BenchCell& cell) {
  hear(engine, kReady);
  say(engine, kReady);
  const auto start_receive = [&](std::uint32_t slot) { return receive(engine, cell, slot); };
  if (cell.pattern == TrafficPattern::kStream) {
    keep_under_way(engine, cell, start_receive);
    say(engine, kThrough);
    return;
  }
  std::vector<engine::Engine::Request> coming, going;
  for (std::uint32_t round = 0; round < cell.count; ++round) {
    for (std::uint32_t slot = 0; slot < cell.at_once; ++slot) coming.push_back(start_receive(slot));
    for (std::uint32_t slot = 0; slot < cell.at_once; ++slot) {
      finish(engine, coming[slot]);
      if (cell.pattern == TrafficPattern::kPingPong) going.push_back(send(engine, cell, slot));
    }
    coming.clear();
    finish_all(engine, going);
    if (cell.pattern == TrafficPattern::kRate) say(engine, kThrough);
  }
}

}  // namespace nmt::tools
