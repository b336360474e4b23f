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
#include <memory_resource>
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
  std::pmr::vector<Unit> units;  // empty: only a Head
  Settle settle = Settle::kWhenSent;
  bool large = false;
  SentAs sent_as = SentAs::kSmall;
  bool probes = false;     // its rail has carried nothing like it yet: ask how long
  bool teaches = false;    // nothing else was on the rail that it could have waited for
  bool follows = false;    // a large one behind another large one
  double planned_ns = 0;   // start of the round that sent it, by the engine's clock
  double left_ns = 0;      // when it was given to the driver, likewise
  double end_ns = 0;       // predicted end, likewise
  double begin_by_ns = 0;  // likewise: if the helper has not begun by then, this thread sends it
  double curve_ns = 0;     // by the profile
  double duration_ns = 0;  // the same at the pace of its link
  std::optional<nmt_transfer> transfer;  // in the profile's tracker of release times
  std::uint32_t number = 0;              // on its link, from 1, modulo 2^32

  // Its rail is busy until the peer confirms it, which the peer does at once.
  bool occupies() const { return large && settle != Settle::kAtOnce; }

  std::uint64_t size_bytes() const {
    std::uint64_t size_bytes = 0;
    for (const Unit& unit : units) size_bytes += unit.label.body_bytes;
    return size_bytes;
  }

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
  Link(LinkDescription description, int path, std::uint32_t rail,
       std::pmr::memory_resource* memory = std::pmr::get_default_resource());
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

  bool can_post() const { return alive() && !away_ && unsent_ < drivers::kSendsInFlightMax; }
  bool idle() const { return can_post() && unsent_ == 0; }
  // Whether the driver may get one more large message while it still has others: only as many as
  // the peer receives at the same time, which are as many as this end does.
  bool takes_large() const { return can_post() && unsent_ < arriving_.size(); }
  std::size_t large_unconfirmed() const { return unconfirmed_.occupying; }
  // A message that probes the rail is not confirmed yet.
  bool probing() const { return unconfirmed_.probing > 0; }
  // For how long the oldest large message is overdue.
  double overdue_ns(double now_ns) const;

  // Large messages that follow use this variant of a rendezvous, if the rail has it.
  void use(std::string_view variant);
  bool has_variants() const { return !variants_.empty(); }

  // Gives a message to the driver. Exceptions of the driver pass through; the message stays in
  // posted_.
  void post(Method method, Head head, Posted posted);
  // The same for a message of one packet, by a thread on another core. Until it is done, this link
  // can do nothing else. If the helper has not begun in time, poll() takes the message back and
  // sends it.
  void post_elsewhere(CoreHelper& helper, Method method, Head head, Posted posted);

  // The driver has finished sending `count` messages.
  template <class Visit>
  void sent(unsigned count, Visit visit) {
    for (; count > 0; --count) visit(posted_[posted_.size() - unsent_--]);
  }
  // The other end has received all messages up to `number`. False if such a number was never sent.
  bool confirm(std::uint32_t number);
  // Whether the peer's time stamp `came_ns` is that of this message's arrival.
  bool is_last_confirmed(const Posted& posted) const { return posted.number == confirmed_; }
  // Drops confirmed messages, but not before the driver has finished with them.
  template <class Visit>
  void drop_confirmed(Visit visit) {
    while (posted_.size() > unsent_ && reaches(confirmed_, posted_.front().number)) {
      visit(posted_.front());
      unconfirmed_.remove(posted_.front());
      posted_.pop_front();
    }
  }

  bool settled() const {  // every message with packets is confirmed
    return unconfirmed_.carrying == 0;
  }
  bool in_doubt() const;  // a message with packets is unconfirmed, and no answer was asked for

  // -- Receiving ----------------------------------------------------------------------------------

  // Whether to poll in this round. A link that brings nothing, and of which nothing is expected, is
  // polled only now and then, because polling costs latency on the other links (paper "multi-rail
  // strategies", 3.3).
  bool due();
  drivers::Endpoint::Progress poll(const Clock& clock);
  drivers::ConstBytes headers(std::size_t size_bytes) const {  // of the announced message
    return drivers::ConstBytes(arriving_[announced_at_].headers).first(size_bytes);
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

  void accept(std::span<const drivers::Bytes> places);
  // What the headers of the announced message say; find_places() parses them.
  Parsed& parsed() { return arriving_[announced_at_].parsed; }
  // The oldest message is complete: listens for another one. Returns what the headers of the
  // complete one say, valid until the next announcement.
  const Parsed& received();

  bool wanted = true;   // by the strategy single:RAIL, which uses others only if this one is lost
  double empty_ns = 0;  // of a message without bytes, by the profile; 0: not measured
  Paces paces;
  PeerClock peer_clock;                 // from the heads of messages over this link
  std::optional<double> large_came_ns;  // when the last of them arrived, if that is known
  double peer_came_ns = 0;              // arrival of the last confirmed one, by the peer's clock
  std::uint32_t received_count = 0;     // modulo 2^32
  std::uint64_t came_ns = 0;            // when the last of these arrived

  // -- Answers: the count of received messages, which any message that goes back carries ----------

  // The other end asked for an answer. An answer for later goes alone only after a while without
  // news, or when the other end asks again.
  void owe(bool at_once);
  // Whether an answer is due as a message of its own. `idle`: this round brought no news.
  bool answer_due(bool idle);
  // Before this thread sleeps: a late answer is due now. True if there is one to send.
  bool hurry();
  void answered() { owes_ = Owes::kNothing; }

  // -- Its end ------------------------------------------------------------------------------------

  // Closes the endpoint: nothing more arrives, and memory given to it is free.
  void give_up(const std::string& reason);
  std::vector<Posted> take_lost();  // all unconfirmed messages
  template <class Visit>
  void drop_all(Visit visit) {  // the same, without allocating
    for (Posted& posted : posted_) visit(posted);
    posted_.clear();
    unconfirmed_ = {};
  }
  void count_again(std::size_t packets) { state_.packets_again += packets; }

 private:
  enum class Owes { kNothing, kLater, kNow };

  // How many of the unconfirmed messages are of a kind, so that no message costs a look at all.
  struct Counts {
    std::size_t carrying = 0, occupying = 0, probing = 0;

    void add(const Posted& posted) {
      carrying += !posted.units.empty();
      occupying += posted.occupies();
      probing += posted.probes;
    }
    void remove(const Posted& posted) {
      carrying -= !posted.units.empty();
      occupying -= posted.occupies();
      probing -= posted.probes;
    }
  };

  // Numbers are modulo 2^32; compared numbers are close to each other.
  static bool reaches(std::uint32_t number, std::uint32_t other) {
    return static_cast<std::int32_t>(number - other) >= 0;
  }

  // The headers and packets of a message in the driver's form.
  struct Prepared {
    std::array<std::byte, kHeadersBytesMax> headers;
    std::array<drivers::Packet, drivers::kPacketsMax> packets;
    std::size_t header_bytes = 0;
    std::size_t count = 0;
  };
  // A posted receive: the headers of its message, and what they say.
  struct Arriving {
    std::array<std::byte, kHeadersBytesMax> headers;
    Parsed parsed;
  };
  std::size_t after(std::size_t arriving) const { return (arriving + 1) % arriving_.size(); }

  void prepare(Head head, Posted posted);
  void wait_for_helper();

  std::unique_ptr<drivers::Endpoint> endpoint_;
  std::unique_ptr<Job> away_;     // a helper uses the endpoint until this is done
  CoreHelper* helper_ = nullptr;  // the one that has it
  double begin_by_ns_ = 0;        // then poll() takes it back, if it has not begun
  std::vector<Method> methods_;
  std::vector<std::string_view> variants_;
  std::size_t variant_ = 0;  // in use
  const char* advised_variant_ = nullptr;
  int path_;
  std::uint32_t rail_;
  LinkState state_;
  Prepared prepared_;               // the message being given to the driver
  std::vector<Arriving> arriving_;  // a ring: all receives that the driver takes
  std::size_t oldest_ = 0;          // the one that completes next
  std::size_t announced_at_ = 0;    // the one that is announced, or will be next

  std::pmr::deque<Posted> posted_;  // not confirmed, oldest first
  Counts unconfirmed_;              // of these
  std::size_t unsent_ = 0;          // how many of the last ones the driver still has
  std::uint32_t count_ = 0;         // messages posted, modulo 2^32
  std::uint32_t confirmed_ = 0;     // number of the last confirmed one
  std::uint32_t asked_ = 0;         // number of the last that asks for an answer at once
  std::uint32_t asked_any_ = 0;     // of the last that asks for any answer
  unsigned polls_in_vain_ = 0;      // since the last news
  Owes owes_ = Owes::kNothing;
  unsigned rounds_owed_ = 0;  // without news, since an answer is owed
};

}  // namespace nmt::engine
