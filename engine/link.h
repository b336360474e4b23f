// SPDX-License-Identifier: BSD-3-Clause
//
// One rail of a gate: its endpoint, and the messages that the other end has not confirmed.
//
// Driver messages of a link arrive in order, so a count says which have arrived; each Head sends
// that count back. Unconfirmed messages stay here. When a link is lost, each end sends the other
// over another link how many messages had arrived, and exactly the rest is sent again: none is
// lost, none is duplicated.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/drivers.h"
#include "engine/engine.h"
#include "engine/helpers.h"
#include "engine/pace.h"
#include "engine/peer_clock.h"
#include "engine/window.h"

namespace nmt::engine {

// When the application may reuse the memory of a unit.
enum class Settle { kAtOnce, kWhenSent, kWhenConfirmed };

// A driver message that the other end has not confirmed.
struct Posted {
  std::vector<Unit> units;  // empty: only a Head
  Settle settle = Settle::kWhenSent;
  bool large = false;
  bool follows = false;                  // a large one behind another large one
  double end_ns = 0;                     // predicted end, by the engine's clock
  double curve_ns = 0;                   // of a large one, by the profile
  double duration_ns = 0;                // the same at the pace of its link
  std::optional<nmt_transfer> transfer;  // in the profile's tracker of release times
  std::uint32_t number = 0;              // on its link, from 1, modulo 2^32

  // Records rail and method in the trace of each message in it, except for requests.
  void trace(std::uint32_t rail, Method method) const {
    for (const Unit& unit : units) {
      const bool carries = unit.send && (unit.label.body_bytes > 0 || unit.send->size_bytes == 0);
      if (carries) unit.send->trace.add(rail, method);
    }
  }
};

class Link {
 public:
  Link(LinkDescription description, int path, std::uint32_t rail);
  ~Link();
  Link(const Link&) = delete;

  const std::string& name() const { return state_.rail; }
  const LinkState& state() const { return state_; }
  bool alive() const { return state_.alive; }
  int path() const { return path_; }
  std::uint32_t rail() const { return rail_; }  // its number in the engine
  std::span<const Method> methods() const { return methods_; }
  std::size_t size_bytes_max(Method method) const { return endpoint_->size_bytes_max(method); }

  // -- Sending ------------------------------------------------------------------------------------

  bool can_post() const { return alive() && !away_ && unsent_ < kSendsInFlightMax; }
  bool idle() const { return can_post() && unsent_ == 0; }
  std::size_t large_unconfirmed() const;
  // For how long the oldest large message is overdue.
  double overdue_ns(double now_ns) const;

  // Large messages that follow use this variant of a rendezvous, if the rail has it.
  void use(std::string_view variant);
  bool has_variants() const { return !variants_.empty(); }

  // Gives a message to the driver. Exceptions of the driver pass through; the message stays in
  // posted_.
  void post(Method method, Head head, Posted posted);
  // The same for a message of one packet, by a thread on another core. Until it is done, this link
  // can do nothing else.
  void post_elsewhere(Helper& helper, Method method, Head head, Posted posted);

  // The driver has finished sending `count` messages.
  template <class Visit>
  void sent(unsigned count, Visit visit) {
    for (; count > 0; --count) visit(posted_[posted_.size() - unsent_--]);
  }
  // The other end has received all messages up to `number`. False if such a number was never sent.
  bool confirm(std::uint32_t number);
  // Drops confirmed messages, but not before the driver has finished with them.
  template <class Visit>
  void drop_confirmed(Visit visit) {
    while (posted_.size() > unsent_ && reaches(confirmed_, posted_.front().number)) {
      visit(posted_.front());
      posted_.pop_front();
    }
  }

  bool settled() const;   // every message with packets is confirmed
  bool in_doubt() const;  // a message with packets is unconfirmed, and no answer was asked for

  // -- Receiving ----------------------------------------------------------------------------------

  // Whether to poll in this round. A link that brings nothing, and of which nothing is expected, is
  // polled only now and then, because polling costs latency on the other links (paper "multi-rail
  // strategies", 3.3).
  bool due();
  Endpoint::Progress poll();
  ConstBytes headers(std::size_t size_bytes) const {
    return ConstBytes(headers_).first(size_bytes);
  }
  // As Endpoint::watch(); false while a helper uses the endpoint.
  bool watch(std::vector<pollfd>& watched) { return !away_ && endpoint_->watch(watched); }
  // A message that the driver has announced and that is not accepted yet.
  struct Announced {
    std::size_t header_bytes = 0;
    std::size_t body_bytes = 0;
  };
  std::optional<Announced> announced;
  bool told_short = false;  // reported once that it waits for memory

  void accept(std::span<const Bytes> places);
  void received();  // one message is complete; listens for the next

  Pace pace;                         // of large messages
  PeerClock peer_clock;              // from the confirmations over this link
  double late_ns = 0;                // by how much the last of them ended after its prediction
  Parsed incoming;                   // the message being received
  std::uint32_t received_count = 0;  // modulo 2^32
  std::uint64_t came_ns = 0;         // when the last of these arrived
  bool owes_answer = false;          // the other end waits for that count

  // -- Its end ------------------------------------------------------------------------------------

  // Closes the endpoint: nothing more arrives, and memory given to it is free.
  void give_up(const std::string& reason);
  std::vector<Posted> take_lost();  // all unconfirmed messages
  template <class Visit>
  void drop_all(Visit visit) {  // the same, without allocating
    for (Posted& posted : posted_) visit(posted);
    posted_.clear();
  }
  void count_again(std::size_t packets) { state_.packets_again += packets; }

 private:
  // Numbers are modulo 2^32; compared numbers are close to each other.
  static bool reaches(std::uint32_t number, std::uint32_t other) {
    return static_cast<std::int32_t>(number - other) >= 0;
  }

  // The headers and packets of a message in the driver's form.
  struct Prepared {
    std::array<std::byte, kHeadersBytesMax> headers;
    std::array<Packet, kPacketsMax> packets;
    std::size_t header_bytes = 0;
    std::size_t count = 0;
  };
  void prepare(Head head, Posted posted);
  void wait_for_helper();

  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<Job> away_;  // a helper uses the endpoint until this is done
  std::vector<Method> methods_;
  std::vector<std::string_view> variants_;
  std::size_t variant_ = 0;  // in use
  int path_;
  std::uint32_t rail_;
  LinkState state_;
  std::array<std::byte, kHeadersBytesMax> headers_;
  Prepared prepared_;  // the message being given to the driver

  std::deque<Posted> posted_;    // not confirmed, oldest first
  std::size_t unsent_ = 0;       // how many of the last ones the driver still has
  std::uint32_t count_ = 0;      // messages posted, modulo 2^32
  std::uint32_t confirmed_ = 0;  // number of the last confirmed one
  std::uint32_t asked_ = 0;      // number of the last that asks for an answer
  unsigned polls_in_vain_ = 0;   // since the last news
};

}  // namespace nmt::engine
