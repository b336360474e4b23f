// SPDX-License-Identifier: BSD-3-Clause
//
// Assembles incoming messages of one peer and matches them with posted receives.
//
// Pieces arrive over any link in any order. Messages are numbered in the order of their sends and
// matched in that order: of two messages with one tag, the first receive gets the first message.
// What arrives before its receive is stored here until it is matched; the sender counts this memory
// (room_of()). A peer that uses more, announces a piece twice, or sends a piece without a grant
// breaks the protocol: Error(kPeer).
//
// The memory for an announced piece belongs to the driver until the piece has arrived or its link
// is gone. The inbox records what each link has announced, so that no operation ends before that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/coverage.h"
#include "engine/operation.h"
#include "engine/recycler.h"
#include "engine/wire.h"

namespace nmt::engine {

inline constexpr std::uint64_t kEnvelopeBytes = 128;  // about what an unmatched message costs

// The memory that a message uses at the receiver: an envelope, and the bytes that may arrive before
// it is matched. A request alone uses only the envelope. If a part goes ahead of the grant, the
// message uses as much as the largest eager message, whichever of its pieces arrives first.
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
    std::size_t gate = 0;  // whose inbox it is
  };
  Inbox(std::string peer, const Limits& limits,
        std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : memory_(memory),
        peer_(std::move(peer)),
        limits_(limits),
        arrivals_(memory),
        posted_(memory),
        posted_wild_(memory),
        unexpected_(memory) {}

  // A receive that wants messages of any gate is posted to the inboxes of all, or until one has a
  // message for it. If this throws, nothing has changed.
  void post(std::shared_ptr<Receive> receive);

  // The oldest message that has come, that this receive would get, and that no receive has matched.
  std::optional<Envelope> probe(const Match& wants) const;

  // Takes back a receive that is not matched.
  void withdraw(const Receive& receive);

  // A piece of a message was announced over this link: adds the places for its body. They stay
  // valid until came() for the same packet, or until lose_link(). If this throws, the piece is not
  // announced.
  void announced(const Label& label, std::size_t link, std::vector<drivers::Bytes>& places);
  // Undoes announced() for a piece whose places no driver has got; it will be announced again.
  void withdraw(const Label& label, std::size_t link);
  void came(const Label& label, std::size_t link);  // a piece or a request has arrived

  // The link is gone and writes nothing more: its announced pieces may arrive over another link.
  void lose_link(std::size_t link);

  // Whether the message is arriving and was not refused.
  bool is_wanted(std::uint64_t sequence) const;

  // The answers to requests of the peer since the last call.
  std::vector<Label> take_answers() { return std::exchange(answers_, {}); }

  std::uint64_t released_bytes() const { return released_bytes_; }

  // The peer is lost. A message that has arrived completely can still be received.
  void lose_peer();

 private:
  struct Arrival {
    explicit Arrival(std::pmr::memory_resource* memory) : coverage(memory) {}

    std::uint64_t tag = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t room_bytes = 0;       // that it uses until it is matched
    bool is_request = false;            // otherwise it is eager
    bool asked = false;                 // its request has arrived
    std::uint64_t ahead_bytes = 0;      // size of the part before the grant
    std::uint64_t ahead_end_bytes = 0;  // end of the announced pieces of that part
    bool matched = false;
    Coverage coverage;
    bool whole = false;
    Storage storage;  // for bytes that arrive before the receive is posted
    std::shared_ptr<Receive> receive;

    std::uint64_t stored_bytes_max() const { return room_bytes - kEnvelopeBytes; }
    bool is_refused() const { return is_request && matched && receive->ended; }
    bool is_over() const;  // nothing more of it will arrive
  };
  using Arrivals = std::pmr::map<std::uint64_t, Arrival>;
  using Unexpected = std::pmr::multimap<std::uint64_t, std::uint64_t>;

  void open(const Label& label);
  bool belongs(const Label& label, const Arrival& arrival) const;
  void place(const Label& label, Arrival& arrival, std::vector<drivers::Bytes>& places);
  void ask(const Label& label, Arrivals::iterator at);
  void match_in_order();
  Unexpected::const_iterator find_unexpected(const Match& wants) const;
  std::shared_ptr<Receive> find_posted(std::uint64_t tag) const;
  void match(std::uint64_t sequence, Arrival& arrival, std::shared_ptr<Receive> receive);
  void deliver(Arrivals::iterator at);
  [[noreturn]] void refuse(const std::string& what) const;

  std::pmr::memory_resource* memory_;
  std::string peer_;
  Limits limits_;
  bool lost_ = false;
  std::uint64_t next_sequence_ = 0;  // the first one neither matched nor unexpected
  Arrivals arrivals_;                // by sequence, until delivered
  // By tag; the oldest of a tag first.
  std::pmr::multimap<std::uint64_t, std::shared_ptr<Receive>> posted_;  // of one tag
  // The others, and those for any gate; the oldest first; some matched by other gates.
  std::pmr::deque<std::shared_ptr<Receive>> posted_wild_;
  Unexpected unexpected_;             // sequences
  std::uint64_t taken_bytes_ = 0;     // in total
  std::uint64_t released_bytes_ = 0;  // in total
  std::vector<Label> answers_;
};

}  // namespace nmt::engine
