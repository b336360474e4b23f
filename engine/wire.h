// SPDX-License-Identifier: BSD-3-Clause
//
// The protocol between two engines, inside the headers of driver messages.
//
// A driver message is one Head and up to kPacketsMax packets. Each packet has a Label that says
// what its body is and where it belongs; so any packet may go over any link, alone or with others.
// The Head confirms what arrived over the same link in the other direction. Bytes are in host
// order: the driver has already refused a machine of the other order. parse() or the inbox checks
// every field before it is used.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "drivers/drivers.h"

namespace nmt::engine {

enum class Kind : std::uint32_t {
  kEager = 1,     // a piece of a message, sent without a request
  kRequest = 2,   // a message that waits for a grant
  kGrant = 3,     // for message `sequence` of the other direction
  kRefusal = 4,   // its receive is too small; do not send it
  kData = 5,      // a piece of a granted message
  kLinkDown = 6,  // link number `sequence` is given up; `total_bytes` messages had arrived
  kState = 7,     // only the Head matters
  kAhead = 8,     // a piece sent before the grant of its message
};

// Whether a packet of this kind brings bytes of a message.
inline bool carries_bytes(Kind kind) {
  return kind == Kind::kEager || kind == Kind::kData || kind == Kind::kAhead;
}

struct Label {
  Kind kind = Kind::kState;
  std::uint32_t body_bytes = 0;
  std::uint64_t sequence = 0;  // of the message in this direction, counted from 0
  std::uint64_t tag = 0;
  std::uint64_t total_bytes = 0;   // of the message
  std::uint64_t offset_bytes = 0;  // of this piece; in a request: size of the part that goes ahead
  bool operator==(const Label&) const = default;
};
static_assert(sizeof(Label) == 40);

struct Head {
  static constexpr std::uint16_t kVersion = 3;
  static constexpr std::uint16_t kAnswer = 1;         // flag: confirm this message at once
  static constexpr std::uint16_t kCreditBlocked = 2;  // flag: sends wait; report any release
  static constexpr std::uint16_t kAnswerLater = 4;    // flag: confirm it when there is time

  std::uint16_t version = kVersion;
  std::uint16_t flags = 0;
  std::uint32_t received = 0;        // driver messages received over this link, modulo 2^32
  std::uint64_t released_bytes = 0;  // of the memory for unexpected messages, over all links
  std::uint64_t came_ns = 0;         // when the last of these arrived, by the clock of the sender
  std::uint64_t left_ns = 0;         // when this message was sent, by the same clock
  bool operator==(const Head&) const = default;
};
static_assert(sizeof(Head) == 32);

// For one packet, Head and Label are the cost of a small message beyond its body.
inline constexpr std::size_t kHeadersBytesMax = sizeof(Head) + drivers::kPacketsMax * sizeof(Label);

// The longest message; sizes below this can be added without overflow.
inline constexpr std::uint64_t kTotalBytesMax = std::uint64_t{1} << 62;

// The largest body of one packet that drivers can carry.
inline constexpr std::uint64_t kPieceBytesMax = std::uint64_t{1} << 30;

struct Parsed {
  Head head;
  std::vector<Label> labels;
};

// Parses the headers of a driver message with `body_bytes` of bodies. Throws Error(kPeer) if an
// engine of this version cannot have sent them, or if their sizes do not match.
void parse(drivers::ConstBytes headers, std::size_t body_bytes, std::string_view rail,
           Parsed& parsed);

}  // namespace nmt::engine
