// SPDX-License-Identifier: BSD-3-Clause
//
// Sockets of the control connection: addresses as people write them, and waiting with a deadline.
//
// No socket here blocks. If a host disappears (power, cable), the kernel notices within some
// seconds: it probes idle connections and gives up unacknowledged data.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/deadline.h"
#include "core/descriptor.h"

namespace nmt::control {

struct Address {
  sockaddr_storage socket{};
  socklen_t length = 0;

  std::string host() const;  // "192.0.2.1"
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  std::string text() const;  // "192.0.2.1:4711", "[2001:db8::1]:4711"

  // Of the digits of an address, not of a name.
  static std::optional<Address> parse(const std::string& host, std::uint16_t port);
};

// "HOST:PORT", "HOST" or "[IPv6]:PORT".
struct HostPort {
  std::string host;
  std::optional<std::uint16_t> port;
};
HostPort parse_host_port(const std::string& text);  // Error(kUsage) for any other text

// Of a name or an address, in the resolver's order. Error(kUsage) if there is none.
std::vector<Address> resolve(const std::string& host, std::uint16_t port);

Descriptor make_socket(int family);
void detect_loss(int descriptor);  // of a connected socket; see the top of this file

// Error(kPeer) "PEER: WHAT" at the deadline.
void wait_until(int descriptor, short events, const Deadline& deadline, const std::string& peer,
                const char* what);

}  // namespace nmt::control
