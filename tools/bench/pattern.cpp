// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/pattern.h"

#include <algorithm>

#include "core/error.h"

namespace nmt {
namespace {

constexpr std::chrono::seconds kPatience{20};  // far beyond any one message

template <class Piece, class Memory>
std::vector<Piece> cut(Memory& memory, const Cell& cell) {
  std::vector<Piece> pieces;
  std::uint64_t left_bytes = cell.size_bytes, at = 0;
  for (std::uint32_t left = cell.segments; left > 0; --left) {
    const std::uint64_t part_bytes = left_bytes / left;
    pieces.emplace_back(memory.data() + at, part_bytes);
    at += part_bytes;
    left_bytes -= part_bytes;
  }
  return pieces;
}

void finish(Engine& engine, Engine::Request request) {
  const std::optional<Completion> completion = engine.wait(request, kPatience);
  if (!completion) throw Error(Fault::kPeer, "the other end is silent");
  if (completion->outcome != Outcome::kDone) throw Error(Fault::kPeer, "the other end is lost");
}

void finish_all(Engine& engine, std::vector<Engine::Request>& requests) {
  for (const Engine::Request request : requests) finish(engine, request);
  requests.clear();
}

// `count` operations with `at_once` of them under way, the oldest ended first.
template <class Start>
void keep_under_way(Engine& engine, const Cell& cell, Start start) {
  std::vector<Engine::Request> ring(cell.at_once);
  for (std::uint32_t i = 0; i < cell.count + cell.at_once; ++i) {
    Engine::Request& slot = ring[i % cell.at_once];
    if (i >= cell.at_once && i - cell.at_once < cell.count) finish(engine, slot);
    if (i < cell.count) slot = start(i % cell.at_once);
  }
}

constexpr std::uint32_t kLastWord = UINT32_MAX;  // tag of the message that ends a stream

}  // namespace

Engine::Request Player::send(Engine& engine, const Cell& cell, std::uint32_t slot) {
  return engine.isend(0, slot, cut<ConstBytes>(out_, cell));
}

Engine::Request Player::receive(Engine& engine, const Cell& cell, std::uint32_t slot) {
  return engine.irecv(0, slot, cut<Bytes>(in_[slot], cell));
}

void Player::play_near(Engine& engine, const Cell& cell) {
  if (cell.pattern == Pattern::kStream) {
    const Engine::Request last = engine.irecv(0, kLastWord, {});
    keep_under_way(engine, cell, [&](std::uint32_t slot) { return send(engine, cell, slot); });
    finish(engine, last);
    return;
  }
  std::vector<Engine::Request> requests;
  for (std::uint32_t round = 0; round < cell.count; ++round) {
    for (std::uint32_t flow = 0; flow < cell.at_once; ++flow) {
      requests.push_back(receive(engine, cell, flow));
    }
    for (std::uint32_t flow = 0; flow < cell.at_once; ++flow) {
      requests.push_back(send(engine, cell, flow));
    }
    finish_all(engine, requests);
  }
}

void Player::play_far(Engine& engine, const Cell& cell) {
  if (cell.pattern == Pattern::kStream) {
    keep_under_way(engine, cell, [&](std::uint32_t slot) { return receive(engine, cell, slot); });
    finish(engine, engine.isend(0, kLastWord, {}));
    return;
  }
  std::vector<Engine::Request> coming, going;
  for (std::uint32_t round = 0; round < cell.count; ++round) {
    for (std::uint32_t flow = 0; flow < cell.at_once; ++flow) {
      coming.push_back(receive(engine, cell, flow));
    }
    for (std::uint32_t flow = 0; flow < cell.at_once; ++flow) {
      finish(engine, coming[flow]);
      going.push_back(send(engine, cell, flow));
    }
    coming.clear();
    finish_all(engine, going);
  }
}

}  // namespace nmt
