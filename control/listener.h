// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for the peer at one address, or connects to it.
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

class Listener {
 public:
  // Listens at this address only, never at all addresses. Port 0: the kernel chooses one.
  // Error(kUsage) for an address that this host does not have.
  Listener(const std::string& host, std::uint16_t port);

  const Address& address() const { return address_; }

  struct Hooks {
    // "192.0.2.3:4711: wrong secret". Called for the first few refusals, then less and less often.
    std::function<void(const std::string&)> refused = {};
    std::function<bool()> interrupted = {};  // called several times a second
  };
  // The first connection that proves the secret within `timeout`; nullopt if interrupted. All
  // others are refused. Error(kPeer) after the timeout.
  std::optional<Connection> accept(const Secret& secret, std::chrono::nanoseconds timeout,
                                   const Hooks& hooks);

 private:
  void admit(const Hooks& hooks);
  void report(const Hooks& hooks, const std::string& reason);
  std::optional<Connection> hear(const Secret& secret, const Hooks& hooks);

  Descriptor descriptor_;
  Address address_;
  std::vector<PendingConnection> pending_connections_;
  std::uint64_t refusals_ = 0;
  bool no_descriptor_ = false;  // the last accept() failed for lack of a descriptor
};

// Tries each address of the host. Error(kPeer) with the failure of the last one.
Connection connect(const std::string& host, std::uint16_t port, const Secret& secret,
                   std::chrono::nanoseconds timeout);

}  // namespace nmt::control
