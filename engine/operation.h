// SPDX-License-Identifier: BSD-3-Clause
//
// A send or a receive of the application, from its call to its end.
//
// The operation may use the memory until it has ended. A message is its segments one after the
// other; sender and receiver may divide it differently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "drivers/drivers.h"
#include "engine/transfer_log.h"

namespace nmt::engine {

// How an operation ended.
enum class Outcome {
  kDone,
  kTooSmall,   // of a receive: the message was longer; its content is lost
  kLost,       // no link to the peer remains
  kCancelled,  // Engine::cancel() ended it
};

inline constexpr std::size_t kAnyGate = static_cast<std::size_t>(-1);

struct Completion {
  Outcome outcome = Outcome::kDone;
  std::uint64_t size_bytes = 0;  // of the message that was sent or received
  std::size_t gate = 0;          // to or from which it went
  std::uint64_t tag = 0;         // of the message
};

// Which messages a receive or a probe wants.
struct Match {
  std::size_t gate = kAnyGate;
  std::uint64_t tag = 0;
  std::uint64_t tag_mask = ~std::uint64_t{0};  // only these bits of the tags are compared

  bool takes(std::uint64_t message_tag) const { return ((message_tag ^ tag) & tag_mask) == 0; }
  bool one_tag() const { return ~tag_mask == 0; }
};

// A message that has come and that no receive has matched.
struct Envelope {
  std::size_t gate = 0;
  std::uint64_t tag = 0;
  std::uint64_t size_bytes = 0;
};

struct Operation {
  std::size_t gate = 0;
  std::uint64_t tag = 0;
  bool receives = false;
  bool ended = false;
  Completion completion;

  void end(Outcome outcome, std::uint64_t size_bytes) {
    ended = true;
    completion = {outcome, size_bytes, gate, tag};
  }
};

template <class Piece>
std::uint64_t total_bytes(std::span<const Piece> segments) {
  std::uint64_t total = 0;
  for (const Piece& segment : segments) total += segment.size();
  return total;
}

struct Send : Operation {
  explicit Send(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : segments(memory), copy(memory) {}

  std::uint64_t sequence = 0;
  std::pmr::vector<drivers::ConstBytes> segments;
  std::uint64_t size_bytes = 0;
  std::uint64_t ahead_bytes = 0;  // sent together with the request
  double admitted_ns = 0;         // when it left the queue for peer memory, by the engine's clock
  std::uint64_t unsettled_bytes = 0;  // 1 for a message without bytes
  SendTrace trace;                    // for the log of transfers
  std::pmr::vector<std::byte> copy;   // the message, after the application got its memory back

  // These bytes of the message; they must lie within one segment.
  drivers::ConstBytes at(std::uint64_t offset_bytes, std::uint64_t wanted_bytes) const;
  void keep_copy();
};

// Once it is matched, its gate and tag are those of the message.
struct Receive : Operation {
  explicit Receive(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : segments(memory) {
    receives = true;
  }

  Match wants;
  std::uint64_t number = 0;  // in the order of the calls, over all gates
  bool matched = false;
  std::pmr::vector<drivers::Bytes> segments;
  std::uint64_t size_bytes = 0;  // of the segments

  // Adds the pieces of memory for this part of the message.
  void places(std::uint64_t offset_bytes, std::uint64_t wanted_bytes,
              std::vector<drivers::Bytes>& places) const;
  void fill(drivers::ConstBytes from) const;  // writes the first bytes of the message
};

}  // namespace nmt::engine
