// SPDX-License-Identifier: BSD-3-Clause
//
// Network interfaces of this machine for tcp: each with its fingerprint, or with the reason why it
// cannot be used.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"

namespace nmt::drivers {

struct TcpAddress {
  sockaddr_storage socket{};
  socklen_t length = 0;

  std::string text() const;  // "192.0.2.2", without the port
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  static std::optional<TcpAddress> parse(const std::string& text, std::uint16_t port);
};

struct TcpInterface {
  std::string name;
  bool loopback = false;
  std::optional<TcpAddress> address;  // IPv4 first, else a global IPv6 address
  unsigned prefix_bits = 0;           // of its subnet
  std::string problem;                // why it cannot be used; empty if it can
  std::string remedy;
};

std::vector<TcpInterface> tcp_interfaces();  // in the kernel's order

// driver, firmware, speed, MTU, offloads and socket buffer sizes, as far as the machine reports
// them.
Fields tcp_fingerprint(const std::string& interface, const std::string& root = "");

}  // namespace nmt::drivers
