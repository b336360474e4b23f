// SPDX-License-Identifier: BSD-3-Clause
//
// Messages to a peer over all its rails together: collect, schedule, transmit.
//
// A gate is a peer and the links to it, one per rail. A send only enters a window. progress() gives
// packets to idle links, as the strategy decides with the current state: it aggregates small
// packets, and sends requests for large ones and then splits them. Papers "multi-rail strategies"
// (section 2) and "multirail on multicore" (III-B).
//
// A message has a tag. Messages of one tag match the receives of that tag in the order of their
// sends. A send has ended when the application may reuse the memory: the bytes are sent and, if
// other rails could send them again, copied or confirmed. A lost link is reported, and its packets
// go over the other links. When the last link is lost, all operations of the gate end as lost.
// Unexpected messages take at most `unexpected_bytes_max` per gate; the sender counts them.
//
// An engine belongs to one thread at a time. Nothing moves while no thread calls progress(), test()
// or wait(). Both ends list the links of a gate in the same order and have the same options.
//
// In reading order:
//   c_api         the C ABI of the engine
//   gate          one peer: its links, its sends and its receives
//   window        packets that wait for a link
//   strategy      what a strategy is, and the list of them
//   strategies/   one file for each strategy
//   advice        asks the profile
//   pace          how much slower a link is than its profile says
//   link          one rail of a gate
//   wire          the headers of messages between two engines
//   inbox         incoming messages, matched with receives
//   coverage      which bytes of a message have arrived
//   operation     a send or a receive, from its call to its end
//   recycler      memory that one message gives back and the next one takes
//   helpers       threads on other cores that send
//   peer_clock    the time of an event at the peer, by our clock
//   chunk_ends    how far apart the chunks of a split message end
//   transfer_log  one line for each message sent, printed when the engine is idle
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

namespace nmt::engine {

struct LinkDescription {
  std::unique_ptr<drivers::Endpoint> endpoint;  // connected
  std::string rail;                             // full name, as in the profile
  std::vector<Method> methods;                  // that the rail offers
  // Variants of its rendezvous, the default first (Driver::variants).
  std::vector<std::string_view> variants = {};
};

struct LinkState {
  std::string rail;
  bool alive = true;
  std::string reason;               // why it was given up
  std::uint64_t messages_sent = 0;  // driver messages
  std::uint64_t packets_sent = 0;   // in them
  std::uint64_t bytes_sent = 0;     // bodies
  std::uint64_t packets_again = 0;  // to be sent again over other links
};

// Counts over all messages of a gate.
struct GateState {
  std::uint64_t eager_sends = 0;     // sent without a request
  std::uint64_t asked_sends = 0;     // sent after a grant of the receiver
  std::uint64_t ahead_sends = 0;     // of these, begun before the grant
  std::uint64_t chunks_sent = 0;     // of all these messages
  std::uint64_t split_messages = 0;  // that arrived over several links
  double split_duration_ns = 0;      // total duration of these
  double split_apart_ns = 0;         // total difference between the ends of their links' parts
  // Large transfers over one of several links: their total duration, and the total absolute
  // difference between predicted and real duration.
  std::uint64_t foreseen_releases = 0;
  double foreseen_duration_ns = 0;
  double foreseen_error_ns = 0;
};

struct EngineOptions {
  std::string strategy = "adaptive";
  const nmt_profile* profile = nullptr;          // must outlive the engine; null: no advice
  const Clock* clock = nullptr;                  // likewise; null: the real one
  std::uint64_t eager_bytes_max = 65536;         // larger messages are always requested first
  std::uint64_t unexpected_bytes_max = 4 << 20;  // per gate
  std::size_t helpers_max = 8;                   // threads of the strategy `offload`, one core each
  // How many helpers poll for work all the time, each on a core of its own. 0: none; helpers sleep
  // until there is work.
  std::size_t spinning_helpers = 0;
  std::function<void(const std::string&)> report = nullptr;  // receives warnings for the user
};

// "single:RAIL", and the strategies that use all rails.
std::vector<std::string> strategy_names();

class Engine {
 public:
  // Error(kUsage) for an unknown strategy, or if the memory is less than four eager messages.
  explicit Engine(EngineOptions options);
  ~Engine();

  // Returns the number of the new gate. Error(kUsage) if there is no link, or if no link is the
  // rail of `single:RAIL`.
  std::size_t add_gate(const std::string& peer, std::vector<LinkDescription> links);

  using Request = std::uint64_t;
  Request isend(std::size_t gate, std::uint64_t tag, std::span<const drivers::ConstBytes> segments);
  Request irecv(std::size_t gate, std::uint64_t tag, std::span<const drivers::Bytes> segments) {
    return irecv(Match{gate, tag}, segments);
  }
  // Of messages that several receives would take, each goes to the receive that was posted first.
  // A receive for any gate also gets messages of gates that are added later; until a message
  // matches it, it is lost only when all gates are.
  Request irecv(const Match& wants, std::span<const drivers::Bytes> segments);

  // The message that such a receive would get now. Makes progress first. If several gates have one,
  // the next probe shows that of another gate, and a receive gets the one that was shown last.
  std::optional<Envelope> probe(const Match& wants);

  // True: the operation has ended as cancelled, and its memory is free; test() or wait() still
  // release the request. False: it is too late, and the operation ends as if this was not called. A
  // receive can be cancelled until a message matches it, a send as long as it waits for memory of
  // the peer and the peer has heard nothing of it.
  bool cancel(Request request);

  // Whether the request exists and its end has not been returned yet.
  bool knows(Request request) const;

  // nullopt while the operation is in progress. Returning its end releases the request.
  std::optional<Completion> test(Request request);
  std::optional<Completion> wait(Request request, std::chrono::nanoseconds timeout);

  // Polls links and schedules; true if anything changed.
  bool progress();

  // Waits until the peers have received everything that was sent. What is not flushed before the
  // engine is destroyed may be lost. False after the timeout, or if a peer is lost.
  bool flush(std::chrono::nanoseconds timeout);

  std::vector<LinkState> links(std::size_t gate) const;
  GateState state(std::size_t gate) const;

 private:
  bool until(const std::function<bool()>& done, std::chrono::nanoseconds timeout);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nmt::engine
