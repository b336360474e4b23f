// SPDX-License-Identifier: BSD-3-Clause
//
// Messages to a peer over all its rails together: collect, schedule, transmit.
//
// A gate is a peer and the links to it, one per rail. Sends only enter a window; progress() hands
// packets to links that are idle, as the strategy says with what is known at that moment: small
// ones aggregated, large ones asked for and then split. Papers "multi-rail strategies" (section 2)
// and "multirail on multicore" (III-B).
//
// Messages carry a tag and come to the receives of that tag in the order of their sends. A send has
// ended when the application's memory is its own again: the bytes are on their way and, where there
// are other rails to send them again over, kept or confirmed. A link that is lost is reported and
// its packets go over the others; with the last one all operations of the gate end as lost.
// Unexpected messages take at most `unexpected_bytes_max` per gate, which their sender counts.
//
// An engine belongs to one thread at a time, and nothing moves while nobody calls progress(),
// test() or wait(). Both ends list the links of a gate in the same order and have the same options.
//
// In reading order:
//   c_api         the C ABI of the engine
//   gate          one peer: its links, what waits and what comes
//   window        what waits to be sent
//   strategy      what a strategy is, and the list of them
//   strategies/   one file for each strategy
//   advice        what the profile says
//   pace          how much slower a link is than its profile says
//   link          one rail of a gate
//   wire          the headers of messages between two engines
//   inbox         messages that come, matched with receives
//   coverage      which bytes of a message have come
//   operation     a send or a receive, from its call to its end
//   helpers       threads on other cores that send
//   peer_clock    the time of an event at the peer, by the own clock
//   chunk_ends    how far apart the chunks of a split message end
//   transfer_log  one line for each message sent, printed when there is time
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.h"
#include "drivers/drivers.h"
#include "engine/operation.h"
#include "include/nmadtune.h"

namespace nmt {

struct LinkDescription {
  std::unique_ptr<Endpoint> endpoint;  // connected
  std::string rail;                    // full name, as the profile has it
  std::vector<Method> methods;         // that the rail offers
  // Ways to carry a rendezvous out, the default first (Driver::variants).
  std::vector<std::string_view> variants = {};
};

struct LinkState {
  std::string rail;
  bool alive = true;
  std::string reason;               // why it was given up
  std::uint64_t messages_sent = 0;  // driver messages
  std::uint64_t packets_sent = 0;   // in them
  std::uint64_t bytes_sent = 0;     // bodies
  std::uint64_t packets_again = 0;  // that were to be sent again over other links
};

// What became of the messages of a gate, ever.
struct GateState {
  std::uint64_t eager_sends = 0;     // sent without asking
  std::uint64_t asked_sends = 0;     // that waited for the receiver to grant them
  std::uint64_t ahead_sends = 0;     // of these, that began before they were granted
  std::uint64_t chunks_sent = 0;     // in which all of these went
  std::uint64_t split_messages = 0;  // that came over several links
  double split_duration_ns = 0;      // of them together
  double split_apart_ns = 0;         // by which the ends of their links' parts differed, together
  // Large transfers over one of several links: how long they took together, and by how much that
  // differed from what was predicted, whatever the sign.
  std::uint64_t foreseen_releases = 0;
  double foreseen_duration_ns = 0;
  double foreseen_error_ns = 0;
};

struct EngineOptions {
  std::string strategy = "adaptive";      // strategy_names()
  const nmt_profile* profile = nullptr;   // outlives the engine; null: no advice
  const Clock* clock = nullptr;           // likewise; null: the real one
  std::uint64_t eager_bytes_max = 65536;  // larger messages ask first, whatever the profile says
  std::uint64_t unexpected_bytes_max = 4 << 20;  // per gate
  std::size_t helpers_max = 8;  // threads of the strategy `offload`, each on a core of its own
  std::function<void(const std::string&)> report = nullptr;  // what a user should know of
};

// "single:RAIL", and the strategies that use all rails.
std::vector<std::string> strategy_names();

class Engine {
 public:
  // Error(kUsage) for an unknown strategy, or room for less than two eager messages.
  explicit Engine(EngineOptions options);
  ~Engine();

  // The number of the new gate. Error(kUsage) where there is no link, or `single:RAIL` has no such
  // rail among them.
  std::size_t add_gate(const std::string& peer, std::vector<LinkDescription> links);

  using Request = std::uint64_t;
  Request isend(std::size_t gate, std::uint64_t tag, std::span<const ConstBytes> segments);
  Request irecv(std::size_t gate, std::uint64_t tag, std::span<const Bytes> segments);

  // Of an operation whose end was not told yet; another request is a bug to ask about.
  bool knows(Request request) const;

  // Nothing while the operation is under way; its request is gone with the answer.
  std::optional<Completion> test(Request request);
  std::optional<Completion> wait(Request request, std::chrono::nanoseconds timeout);

  // Polls links and schedules; true if anything happened.
  bool progress();

  // Waits until the peers have got everything that was sent: what an engine does not flush before
  // it goes may be lost with it. False where that took longer, or a peer is lost.
  bool flush(std::chrono::nanoseconds timeout);

  std::vector<LinkState> links(std::size_t gate) const;
  GateState state(std::size_t gate) const;

 private:
  bool until(const std::function<bool()>& done, std::chrono::nanoseconds timeout);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nmt
