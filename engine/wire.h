// SPDX-License-Identifier: BSD-3-Clause
//
// What two engines say to each other, inside the headers of driver messages.
//
// A driver message is one Head and up to kPacketsMax packets, each with a Label that tells what its
// body is and where it belongs; so any packet may travel over any link, alone or with others. The
// Head confirms what came over the same link in the other direction. Bytes are in host order: the
// driver has already refused a machine of the other order. Nothing in a message is used before
// parse() or the inbox has checked it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "drivers/drivers.h"

namespace nmt::engine {

enum class Kind : std::uint32_t {
  kEager = 1,     // a piece of a message, sent without asking
  kRequest = 2,   // a message that waits for a grant
  kGrant = 3,     // of the message `sequence` of the other direction
  kRefusal = 4,   // its receive is too small: it is not wanted
  kData = 5,      // a piece of a granted message
  kLinkDown = 6,  // link number `sequence` is given up; `total_bytes` messages had come over it
  kState = 7,     // nothing but the Head
  kAhead = 8,     // a piece of a message that waits for a grant, sent with its request
};

struct Label {
  Kind kind = Kind::kState;
  std::uint32_t body_bytes = 0;
  std::uint64_t sequence = 0;  // of the message among all of this direction, counted from 0
  std::uint64_t tag = 0;
  std::uint64_t total_bytes = 0;   // of the message
  std::uint64_t offset_bytes = 0;  // of this piece in it; of a request, how much goes ahead
  bool operator==(const Label&) const = default;
};
static_assert(sizeof(Label) == 40);

struct Head {
  static constexpr std::uint16_t kVersion = 2;
  static constexpr std::uint16_t kAnswer = 1;         // flag: confirm this as soon as you have it
  static constexpr std::uint16_t kCreditBlocked = 2;  // flag: sends wait for room, tell of any

  std::uint16_t version = kVersion;
  std::uint16_t flags = 0;
  std::uint32_t received = 0;        // driver messages that came over this link, modulo 2^32
  std::uint64_t released_bytes = 0;  // of the room for unexpected messages, over all links, ever
  std::uint64_t came_ns = 0;  // when the last of the received ones came, by the sender's clock
  bool operator==(const Head&) const = default;
};
static_assert(sizeof(Head) == 24);

// With its first packet's label this is what a small message costs beyond its body.
inline constexpr std::size_t kHeadersBytesMax = sizeof(Head) + kPacketsMax * sizeof(Label);

// No message is longer; sizes of this order can be added without overflow.
inline constexpr std::uint64_t kTotalBytesMax = std::uint64_t{1} << 62;

// Of the body of one packet, which drivers can carry.
inline constexpr std::uint64_t kPieceBytesMax = std::uint64_t{1} << 30;

struct Parsed {
  Head head;
  std::vector<Label> labels;
};

// Takes the headers of a driver message with `body_bytes` of bodies apart. Throws Error(kPeer)
// where they cannot come from an engine of this version, or do not add up.
void parse(ConstBytes headers, std::size_t body_bytes, std::string_view rail, Parsed& parsed);

}  // namespace nmt::engine
