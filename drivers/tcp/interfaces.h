// SPDX-License-Identifier: BSD-3-Clause
//
// Network interfaces of this machine for tcp: each with its fingerprint, or with the reason why it
// cannot be used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/control.h"
#include "core/fields.h"

namespace nmt::drivers {

struct TcpInterface {
  std::string name;
  bool loopback = false;
  std::optional<control::Address> address;  // IPv4 first, else a global IPv6 address
  unsigned prefix_bits = 0;                 // of its subnet
  std::string problem;                      // why it cannot be used; empty if it can
  std::string remedy;
};

std::vector<TcpInterface> tcp_interfaces();  // in the kernel's order

// driver, firmware, speed, MTU, offloads and socket buffer sizes, as far as the machine reports
// them.
Fields tcp_fingerprint(const std::string& interface, const std::string& root = "");

}  // namespace nmt::drivers
