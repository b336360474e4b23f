// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for the peer at one address, and connecting to it.
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
  // Listens at this address only, never at all of them; port 0: one that the kernel chooses.
  // Error(kUsage) for an address that is not this host's.
  Listener(const std::string& host, std::uint16_t port);

  const Address& address() const { return address_; }

  struct Hooks {
    // "192.0.2.3:4711: wrong secret"; of a crowd only the first few, then ever more rarely.
    std::function<void(const std::string&)> refused = {};
    std::function<bool()> interrupted = {};  // asked several times a second
  };
  // The first that proves the secret within `timeout`; nullopt where interrupted. Strangers are
  // refused meanwhile. Error(kPeer) at the end of the time.
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
  bool no_descriptor_ = false;  // for the next connection, when one was last asked for
};

// Tries each address of the host. Error(kPeer) with what the last one said.
Connection connect(const std::string& host, std::uint16_t port, const Secret& secret,
                   std::chrono::nanoseconds timeout);

}  // namespace nmt::control
