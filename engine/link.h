// SPDX-License-Identifier: BSD-3-Clause
//
// One rail of a gate: its endpoint, and what was given to it that the other end may not have yet.
//
// Driver messages of a link arrive in order, so a count tells which have come: each Head carries it
// back. What is not confirmed stays here. When a link is lost, both ends tell each other over
// another one how much had come, and exactly the rest is sent again: nothing lost, nothing doubled.
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

// When the bytes of a unit stop being counted as the application's.
enum class Settle { kAtOnce, kWhenSent, kWhenConfirmed };

// A driver message that the other end has not confirmed.
struct Posted {
  std::vector<Unit> units;  // none: only a Head
  Settle settle = Settle::kWhenSent;
  bool large = false;
  bool follows = false;                  // a large one behind another
  double end_ns = 0;                     // predicted, by the engine's clock
  double curve_ns = 0;                   // duration of a large one, by the profile
  double duration_ns = 0;                // at the pace of its link
  std::optional<nmt_transfer> transfer;  // as the profile's tracker of release times has it
  std::uint32_t number = 0;              // on its link, from 1, modulo 2^32

  // Notes for the log of transfers which messages go with it, requests of theirs apart.
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
  std::uint32_t rail() const { return rail_; }  // its number among the engine's rails
  std::span<const Method> methods() const { return methods_; }
  std::size_t size_bytes_max(Method method) const { return endpoint_->size_bytes_max(method); }

  // -- Sending ------------------------------------------------------------------------------------

  bool can_post() const { return alive() && !away_ && unsent_ < kSendsInFlightMax; }
  bool idle() const { return can_post() && unsent_ == 0; }
  std::size_t large_unconfirmed() const;
  // How long the oldest large message has been expected to be through by now.
  double overdue_ns(double now_ns) const;

  // Large messages that follow go by this variant of a rendezvous, where the rail has it.
  void use(std::string_view variant);
  bool has_variants() const { return !variants_.empty(); }

  // Gives a message to the driver. What the driver throws passes through, with the message kept.
  void post(Method method, Head head, Posted posted);
  // The same for a message of one packet, by a thread on another core; until that has done it, the
  // link can do nothing else.
  void post_elsewhere(Helper& helper, Method method, Head head, Posted posted);

  // The driver has given so many back.
  template <class Visit>
  void sent(unsigned count, Visit visit) {
    for (; count > 0; --count) visit(posted_[posted_.size() - unsent_--]);
  }
  // So many have come to the other end. False for a number of messages that were never sent.
  bool confirm(std::uint32_t number);
  // Forgets what is confirmed; what has come may still be the driver's for a moment.
  template <class Visit>
  void drop_confirmed(Visit visit) {
    while (posted_.size() > unsent_ && reaches(confirmed_, posted_.front().number)) {
      visit(posted_.front());
      posted_.pop_front();
    }
  }

  bool settled() const;   // everything that matters is confirmed
  bool in_doubt() const;  // something that matters is neither confirmed nor asked about

  // -- Receiving ----------------------------------------------------------------------------------

  // Whether to poll in this round: a link over which nothing comes and nothing is expected is
  // looked at now and then only, since looking costs the others latency (paper "multi-rail
  // strategies", 3.3).
  bool due();
  Endpoint::Progress poll();
  ConstBytes headers(std::size_t size_bytes) const {
    return ConstBytes(headers_).first(size_bytes);
  }
  // As Endpoint::watch(); not while the endpoint is a helper's.
  bool watch(std::vector<pollfd>& watched) { return !away_ && endpoint_->watch(watched); }
  // What the driver has announced and nobody has accepted yet.
  struct Announced {
    std::size_t header_bytes = 0;
    std::size_t body_bytes = 0;
  };
  std::optional<Announced> announced;
  bool told_short = false;  // reported that it waits for memory

  void accept(std::span<const Bytes> places);
  void received();  // one message; listens for the next

  Pace pace;                         // of large messages
  PeerClock peer_clock;              // of the confirmations over it
  double late_ns = 0;                // by which the last of them ended after its predicted end
  Parsed incoming;                   // the message being received
  std::uint32_t received_count = 0;  // modulo 2^32
  std::uint64_t came_ns = 0;         // when the last of these came
  bool owes_answer = false;          // the other end waits for that number

  // -- Its end ------------------------------------------------------------------------------------

  // Closes the endpoint: nothing more comes, and memory given to it is free.
  void give_up(const std::string& reason);
  std::vector<Posted> take_lost();  // what was not confirmed
  template <class Visit>
  void drop_all(Visit visit) {  // likewise, without taking memory
    for (Posted& posted : posted_) visit(posted);
    posted_.clear();
  }
  void count_again(std::size_t packets) { state_.packets_again += packets; }

 private:
  // Numbers are modulo 2^32; those that are compared are near each other.
  static bool reaches(std::uint32_t number, std::uint32_t other) {
    return static_cast<std::int32_t>(number - other) >= 0;
  }

  // The headers and packets of a message, as the driver wants them.
  struct Prepared {
    std::array<std::byte, kHeadersBytesMax> headers;
    std::array<Packet, kPacketsMax> packets;
    std::size_t header_bytes = 0;
    std::size_t count = 0;
  };
  void prepare(Head head, Posted posted);
  void wait_for_helper();

  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<Job> away_;  // the endpoint is a helper's until this is done
  std::vector<Method> methods_;
  std::vector<std::string_view> variants_;
  std::size_t variant_ = 0;  // in use
  int path_;
  std::uint32_t rail_;
  LinkState state_;
  std::array<std::byte, kHeadersBytesMax> headers_;
  Prepared prepared_;  // the message being given to the driver

  std::deque<Posted> posted_;    // not confirmed, the oldest first
  std::size_t unsent_ = 0;       // the last of them: still the driver's
  std::uint32_t count_ = 0;      // messages posted, modulo 2^32
  std::uint32_t confirmed_ = 0;  // of them
  std::uint32_t asked_ = 0;      // number of the last that asks for an answer
  unsigned polls_in_vain_ = 0;   // since anything happened
};

}  // namespace nmt::engine
