// SPDX-License-Identifier: BSD-3-Clause
//
// Decisions about ports before one is opened: whether it can be used or why not, by which address
// it is reached, and what its fingerprint is.
//
// The facts come from verbs (drivers/verbs/device.cpp) and from files under /sys. This header has
// no types of either.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/verbs/device.h"

namespace nmt::drivers {

enum class GidKind { kInfiniBand, kRoceV1, kRoceV2 };

struct VerbsGid {
  unsigned index = 0;
  GidKind kind = GidKind::kInfiniBand;
  std::array<std::uint8_t, 16> bytes{};
  unsigned interface = 0;  // index of the interface; 0: none
};

struct PortFacts {
  std::string device;
  unsigned number = 0;
  std::string firmware;
  int error = 0;  // errno of the query for the rest
  bool active = false;
  std::string state;  // "PORT_DOWN"
  bool ethernet = false;
  std::uint16_t lid = 0;
  std::uint32_t mtu_bytes = 0;
  std::uint32_t work_bytes_max = 0;  // of one piece of work
  unsigned width_code = 0;           // as numbered by the standard
  unsigned speed_code = 0;
  std::vector<VerbsGid> gids;
};

// RoCE v2 over an IPv4 address first, then over IPv6, then v1; on InfiniBand the port's own GID.
// Null if there is none.
const VerbsGid* best_gid(const PortFacts& facts);

// `root`: in front of /sys.
VerbsPort describe_port(const PortFacts& facts, const std::string& root = "");

// For a device that exists and could not be opened.
Refusal refusal_of_device(const std::string& device, int error);

// For devices that the kernel has but verbs do not list; and if there is no device at all.
std::vector<Refusal> refusals_of_unlisted(const std::vector<std::string>& listed,
                                          const std::string& root = "");

// Why this many bytes could not be registered: mostly the limit of locked memory.
std::string registration_failure(std::size_t size_bytes, int error);

// Whether two ports are different ends of one network, by their subnets (VerbsPort::subnet).
bool same_fabric(std::string_view a, std::string_view b);

}  // namespace nmt::drivers
