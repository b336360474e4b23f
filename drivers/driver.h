// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of a driver, on one screen: which rails there are, why others are refused, and how
// to move messages between the two ends of a rail.
//
// A message is one packet, or several aggregated. A packet is a small header and a body. Messages
// of one endpoint arrive complete and in order. Nothing here blocks, waits or has a deadline:
// poll() advances, whoever loops around it keeps the deadline (sampler, engine). A send may stay
// unfinished until the other end has posted the receive for it; it never waits for anything else.
// A lost peer is Error(kPeer) from send() or poll(), a message that does not fit the posted buffer
// Error(kFailed) from poll() there; after an Error an endpoint can only be destroyed. Messages
// counted as sent before an endpoint is destroyed still arrive. Endpoints belong to one thread at
// a time. All drivers pass one contract test (tests/drivers/contract_test.cpp).
#pragma once

#include <poll.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/method.h"
#include "core/rail.h"

namespace nmt {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

struct Packet {
  ConstBytes header;  // at most kHeaderBytesMax
  ConstBytes body;
};
inline constexpr std::size_t kHeaderBytesMax = 256;
inline constexpr std::size_t kPacketsMax = 64;       // aggregated in one message
inline constexpr std::size_t kSendsInFlightMax = 8;  // posted and not yet completed

// Expected: the receive was posted before the message came. Unexpected: as if it came first, so
// that the driver copies the body once more, out of its own buffer (eager methods only; a
// rendezvous never copies).
enum class Delivery { kExpected, kUnexpected };

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Starts to send one message. Headers are taken at once, bodies stay untouched by the caller
  // until poll() has counted the send. Sends may be posted back to back.
  virtual void send(Method method, std::span<const Packet> packets) = 0;

  // Posts where the next message goes: its headers one after the other into `headers`, its bodies
  // into `bodies`; what a shorter message leaves of them stays as it was. One receive at a time.
  virtual void receive(Bytes headers, Bytes bodies, Delivery delivery) = 0;

  // The same for who cannot know what comes next: posts a place for the headers only. poll() says
  // `announced` once they are there; accept() then tells where the bodies go: into these pieces of
  // memory one after the other, which are together as long as announced. Until then the message
  // waits, and its rendezvous with it.
  virtual void listen(Bytes headers) = 0;
  virtual void accept(std::span<const Bytes> bodies) = 0;

  struct Progress {
    unsigned sent = 0;               // sends completed by this call
    bool received = false;           // the posted receive completed
    std::size_t received_bytes = 0;  // of its bodies together
    bool announced = false;          // accept() is due
    std::size_t header_bytes = 0;    // of the announced message, all headers together
    std::size_t body_bytes = 0;      // likewise
  };
  virtual Progress poll() = 0;

  // Adds what the kernel can watch so that poll() has news once any of it is ready; for as long as
  // nothing else is called here. False where only looking tells (shared memory, virtual time).
  virtual bool watch(std::vector<pollfd>& /*watched*/) { return false; }

  // Messages of a method go by its variant of this number (Driver::variants) from now on;
  // Error(kFailed) where there is none.
  virtual void use(Method /*method*/, unsigned /*variant*/) {}

  // Makes memory ready for a rendezvous, as the first one from there would: for who measures what
  // that costs. False where the rail needs nothing of the kind.
  virtual bool prepare(ConstBytes /*memory*/) { return false; }

  // The machine's own copy, as this rail's clock sees it.
  virtual void copy(Bytes to, ConstBytes from) = 0;

  // Largest message body of a method.
  virtual std::size_t size_bytes_max(Method method) const = 0;
};

// How the two ends of a rail that is being opened tell each other addresses: both call swap() and
// each gets the other's text (at most 64 KiB). Made by whoever started both ends.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual std::string swap(std::string_view mine) = 0;  // Error(kPeer) at its deadline
};

struct Detection {
  std::vector<Rail> rails;        // usable on this node without a peer
  std::vector<Refusal> refusals;  // the others, each with its reason
};

enum class Side { kNear, kFar };

// A rail that leads to other nodes, and what another node's driver must know of it to tell whether
// the two meet.
struct Port {
  Rail rail;
  std::string address;
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual std::string_view name() const = 0;
  virtual Detection detect() = 0;  // probes by doing; never throws for a missing device

  // Rails to peers, and whether a port of this node and one of another meet. A rail whose port
  // meets several of the other node is named "RAIL/PEERRAIL" for each; open() takes both names.
  virtual std::vector<Port> ports() { return {}; }
  virtual bool meet(std::string_view /*own*/, std::string_view /*theirs*/) const { return false; }

  // Opens this side of a rail; the other side is opened at the same time, through the other end
  // of the exchange. Error(kPeer) or Error(kFailed) with the cause.
  virtual std::unique_ptr<Endpoint> open(const Rail& rail, Side side, Exchange& exchange) = 0;

  // Transfer methods a rail offers, in the order of core/method.h.
  virtual std::vector<Method> methods(const Rail& rail) const = 0;

  // Ways in which the rail can carry a method out, the default first; none where there is but one.
  // Their names stay.
  virtual std::vector<std::string_view> variants(const Rail& /*rail*/, Method /*method*/) const {
    return {};
  }

  // Clock of a driver whose rails live in virtual time, with both sides opened in one process;
  // nullptr for real rails.
  virtual Clock* virtual_clock() { return nullptr; }
};

}  // namespace nmt
