// SPDX-License-Identifier: BSD-3-Clause
//
// What a port or an interface has counted of errors since it came up: a bad cable, a link that went
// down, packets that had to be sent again. Reading costs some microseconds. A counter that the
// kernel does not have is absent.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace nmt::node {

using LinkErrors = std::map<std::string, std::uint64_t>;  // "symbol_error" -> 12

// Of a network interface ("eth0"). `tcp_retransmits` are those of all connections of this node (of
// its network namespace).
LinkErrors interface_errors(const std::string& interface, const std::string& root = "");

// Of one port of a verbs device ("mlx5_0", "1").
LinkErrors verbs_port_errors(const std::string& device, const std::string& port,
                             const std::string& root = "");

// Those that rose, by how much.
LinkErrors errors_since(const LinkErrors& before, const LinkErrors& now);

std::string to_text(const LinkErrors& errors);  // "12 symbol_error, 1 link_downed"

// The segments that TCP has sent again, in the text of /proc/net/snmp; 0 if it does not tell.
std::uint64_t tcp_retransmits(const std::string& snmp);

}  // namespace nmt::node
