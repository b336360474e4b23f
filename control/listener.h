// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for the peer at one address, or connects to it.
//
// The handshake is the same for a control connection and for the connections of a tcp rail
// (drivers/tcp/connect.h), which go on with the bare socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control/connection.h"
#include "control/pending_connection.h"
#include "control/socket.h"

namespace nmt::control {

// A connected, non-blocking socket without other options, whose other end knows the secret.
struct ProvenSocket {
  Descriptor descriptor;
  std::string peer;  // its address, for messages
};

class Listener {
 public:
  // Listens at this address only, never at all addresses. Port 0: the kernel chooses one.
  // Error(kUsage) for an address that this host does not have.
  Listener(const std::string& host, std::uint16_t port);
  explicit Listener(const Address& address);

  const Address& address() const { return address_; }

  struct Hooks {
    // "192.0.2.3:4711: wrong secret". Called for the first few refusals, then less and less often.
    std::function<void(const std::string&)> refused = {};
    std::function<bool()> interrupted = {};  // called several times a second
  };
  // The first connection that proves the secret within `timeout`; nullopt if interrupted. All
  // others are refused. Error(kPeer) after the timeout.
  std::optional<ProvenSocket> accept_socket(const Secret& secret, std::chrono::nanoseconds timeout,
                                            const Hooks& hooks);
  // The same, as a connection.
  std::optional<Connection> accept(const Secret& secret, std::chrono::nanoseconds timeout,
                                   const Hooks& hooks);

 private:
  void admit(const Hooks& hooks);
  void report(const Hooks& hooks, const std::string& reason);
  std::optional<ProvenSocket> hear(const Secret& secret, const Hooks& hooks);

  Descriptor descriptor_;
  Address address_;
  std::vector<PendingConnection> pending_connections_;
  std::uint64_t refusals_ = 0;
  bool no_descriptor_ = false;  // the last accept() failed for lack of a descriptor
};

// From the address `own` of this host, if there is one. Error(kPeer) ends with `remedy`.
ProvenSocket connect_socket(const std::optional<Address>& own, const Address& peer,
                            const Secret& secret, const Deadline& deadline,
                            std::string_view remedy = "");

// Tries each address of the host. Error(kPeer) with the failure of the last one.
Connection connect(const std::string& host, std::uint16_t port, const Secret& secret,
                   std::chrono::nanoseconds timeout);

}  // namespace nmt::control
