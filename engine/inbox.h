// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that come from one peer, put together and matched with the receives posted for them.
//
// Pieces come over any link in any order. Messages are numbered in the order of their sends and
// matched in that order, so that of two messages with one tag the first receive gets the first.
// What comes before its receive is kept here, in room that the sender counts (room_of()), until it
// is matched. A peer that takes more, announces a piece twice, or sends what was not granted,
// breaks the protocol: Error(kPeer).
//
// Memory of a piece that was announced is the driver's until the piece has come or its link is
// gone. The inbox keeps what each link has announced, so that nothing ends before that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/coverage.h"
#include "engine/operation.h"
#include "engine/wire.h"

namespace nmt::engine {

inline constexpr std::uint64_t kEnvelopeBytes = 128;  // about what an unmatched message costs

// The room that a message takes: an envelope, and the bytes that may come before it is matched. A
// request has none but where a part of the message goes ahead, for whose bytes as much is taken as
// for the largest eager message, whichever piece is heard of first.
inline std::uint64_t room_of(Kind kind, std::uint64_t size_bytes, bool goes_ahead,
                             std::uint64_t eager_bytes_max) {
  if (kind == Kind::kEager) return kEnvelopeBytes + size_bytes;
  return kEnvelopeBytes + (goes_ahead ? std::min(size_bytes, eager_bytes_max) : 0);
}

class Inbox {
 public:
  struct Limits {
    std::uint64_t room_bytes = 0;
    std::uint64_t eager_bytes_max = 0;
  };
  Inbox(std::string peer, const Limits& limits) : peer_(std::move(peer)), limits_(limits) {}

  void post(std::shared_ptr<Receive> receive);  // where it throws, nothing was done

  // A piece of a message was announced over this link: adds where its body goes. The places stay
  // valid until came() for the same packet, or until lose_link(). Where memory is short, call
  // lose_link() and announce all of the link's message again later.
  void announced(const Label& label, std::size_t link, std::vector<Bytes>& places);
  void came(const Label& label, std::size_t link);  // a piece, or a request

  // The link is gone, and nothing is written on its behalf any more: what it had announced may come
  // over another one.
  void lose_link(std::size_t link);

  // A message that is coming, and was not refused.
  bool is_wanted(std::uint64_t sequence) const;

  // Answers to requests of the peer, since the last call.
  std::vector<Label> take_answers() { return std::exchange(answers_, {}); }

  std::uint64_t released_bytes() const { return released_bytes_; }

  // The peer is lost. What has come completely can still be received.
  void lose_peer();

 private:
  struct Arrival {
    std::uint64_t tag = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t room_bytes = 0;       // that it takes until it is matched
    bool is_request = false;            // or is eager
    bool asked = false;                 // its request has come, which tells
    std::uint64_t ahead_bytes = 0;      // how much of it comes before it is granted
    std::uint64_t ahead_end_bytes = 0;  // of the pieces that were announced of that
    bool matched = false;
    Coverage coverage;
    bool whole = false;
    std::unique_ptr<std::byte[]> storage;  // what came before anybody waited for it
    std::shared_ptr<Receive> receive;

    std::uint64_t stored_bytes_max() const { return room_bytes - kEnvelopeBytes; }
    bool is_refused() const { return is_request && matched && receive->ended; }
    bool is_over() const;  // nothing of it will come any more
  };
  using Arrivals = std::map<std::uint64_t, Arrival>;

  void open(const Label& label);
  bool belongs(const Label& label, const Arrival& arrival) const;
  void place(const Label& label, Arrival& arrival, std::vector<Bytes>& places);
  void ask(const Label& label, Arrivals::iterator at);
  void match_in_order();
  void match(std::uint64_t sequence, Arrival& arrival, std::shared_ptr<Receive> receive);
  void deliver(Arrivals::iterator at);
  [[noreturn]] void refuse(const std::string& what) const;

  std::string peer_;
  Limits limits_;
  bool lost_ = false;
  std::uint64_t next_sequence_ = 0;  // not yet matched or set aside as unexpected
  Arrivals arrivals_;                // by sequence, until delivered
  // By tag, the oldest of each first.
  std::multimap<std::uint64_t, std::shared_ptr<Receive>> posted_;
  std::multimap<std::uint64_t, std::uint64_t> unexpected_;  // sequences
  std::uint64_t taken_bytes_ = 0;                           // of the room, ever
  std::uint64_t released_bytes_ = 0;                        // likewise
  std::vector<Label> answers_;
};

}  // namespace nmt::engine
