// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of a driver, on one screen: which rails exist, why others are refused, and how to
// move messages between the two ends of a rail.
//
// A message is one packet, or several aggregated packets. A packet is a small header and a body.
// Messages of one endpoint arrive complete and in order. Nothing here blocks, waits or has a
// deadline: poll() advances, and the caller that loops around it (sampler, engine) keeps the
// deadline. A send may stay unfinished until the other end has posted the receive; it never waits
// for anything else. A lost peer is Error(kPeer) from send() or poll(). A message that does not fit
// the posted buffer is Error(kFailed) from poll() at the receiver. After an Error an endpoint can
// only be destroyed. Messages counted as sent before an endpoint is destroyed still arrive. An
// endpoint belongs to one thread at a time. All drivers pass one contract test
// (tests/drivers/contract_test.cpp).
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/method.h"
#include "core/rail.h"

namespace nmt::drivers {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

struct Packet {
  ConstBytes header;  // at most kHeaderBytesMax
  ConstBytes body;
};
inline constexpr std::size_t kHeaderBytesMax = 256;
inline constexpr std::size_t kPacketsMax = 64;       // aggregated into one message
inline constexpr std::size_t kSendsInFlightMax = 8;  // posted and not yet completed

// Expected: the receive is posted before the message arrives. Unexpected: as if the message came
// first, so the driver copies the body once more, from its own buffer (eager methods only; a
// rendezvous never copies).
enum class Delivery { kExpected, kUnexpected };

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Starts to send one message. Headers are copied before the return. The caller must not change
  // the bodies until poll() has counted the send. Sends may be posted back to back.
  virtual void send(Method method, std::span<const Packet> packets) = 0;

  // Posts the buffers for the next message: its headers go one after the other into `headers`, its
  // bodies into `bodies`. A shorter message leaves the rest unchanged.
  virtual void receive(Bytes headers, Bytes bodies, Delivery delivery) = 0;

  // Posts only a buffer for headers, for a caller that does not know what comes next. When they
  // have arrived, poll() reports `announced`; then accept() gives the memory for the bodies: these
  // pieces, one after the other, which together are as long as announced. Until then the message
  // waits, and so do its rendezvous and the messages after it.
  virtual void listen(Bytes headers) = 0;
  virtual void accept(std::span<const Bytes> bodies) = 0;

  // How many receives, by receive() and listen() together, may be posted and not yet completed.
  // Messages take them in the order in which they were posted. With more than one, the bodies of
  // several messages can move at the same time. A rail whose bytes arrive in one stream would gain
  // nothing from that, so it takes one.
  virtual std::size_t receives_max() const { return 1; }

  struct Progress {
    unsigned sent = 0;               // sends completed by this call
    bool received = false;           // the oldest posted receive completed
    std::size_t received_bytes = 0;  // of its bodies together
    bool announced = false;          // accept() is due, for a message after the received one
    std::size_t header_bytes = 0;    // of the announced message, all headers together
    std::size_t body_bytes = 0;      // likewise
  };
  virtual Progress poll() = 0;

  // Adds descriptors to watch: when the kernel reports one of them, poll() has news. Valid until
  // the next call on this endpoint. False if only polling shows news (shared memory, virtual time).
  virtual bool watch(std::vector<pollfd>& /*watched*/) { return false; }

  // From now on, messages of `method` use this variant (an index into Driver::variants);
  // Error(kFailed) if there is none.
  virtual void use(Method /*method*/, unsigned /*variant*/) {}

  // Prepares memory for a rendezvous, as its first rendezvous would, so that a caller can measure
  // the cost. False if the rail needs no preparation.
  virtual bool prepare(ConstBytes /*memory*/) { return false; }

  // The machine's own memcpy, timed by this rail's clock.
  virtual void copy(Bytes to, ConstBytes from) = 0;

  // Largest message body of a method.
  virtual std::size_t size_bytes_max(Method method) const = 0;
};

// How the two ends of a rail exchange addresses while it is opened: both call swap(), and each gets
// the other's text (at most 64 KiB). The program that started both ends provides it.
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

// A rail that leads to other nodes, with the address by which another node's driver decides whether
// the two ports meet.
struct Port {
  Rail rail;
  std::string address;
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual std::string_view name() const = 0;
  virtual Detection detect() = 0;  // probes by use; never throws for a missing device

  // Rails to peers, and whether a port of this node and one of another node meet. If a port meets
  // several ports of the other node, each rail is named "RAIL/PEERRAIL"; open() takes both names.
  virtual std::vector<Port> ports() { return {}; }
  virtual bool meet(std::string_view /*own*/, std::string_view /*theirs*/) const { return false; }

  // Opens this side of a rail. The other side is opened at the same time, through the other end of
  // the exchange. Error(kPeer) or Error(kFailed) with the cause.
  virtual std::unique_ptr<Endpoint> open(const Rail& rail, Side side, Exchange& exchange) = 0;

  // Transfer methods of a rail, in the order of core/method.h.
  virtual std::vector<Method> methods(const Rail& rail) const = 0;

  // The rail's variants of a method, the default first; empty if there is only one way. Their names
  // never change.
  virtual std::vector<std::string_view> variants(const Rail& /*rail*/, Method /*method*/) const {
    return {};
  }

  // What this node's port of the rail has counted of errors so far (node/link_errors.h); empty
  // where nothing counts.
  virtual std::map<std::string, std::uint64_t> link_errors(const Rail& /*rail*/) { return {}; }

  // The clock of a driver whose rails are in virtual time and have both sides in one process;
  // nullptr for real rails.
  virtual Clock* virtual_clock() { return nullptr; }
};

}  // namespace nmt::drivers
