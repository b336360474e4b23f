// SPDX-License-Identifier: BSD-3-Clause
//
// Platforms, nodes and rails, as values.
//
// A platform is a class of machines (its fingerprint); a node is one host of it. A rail is a NIC, a
// shared memory or a described device of a node. Its name is `driver:name` ("tcp:lo",
// "verbs:mlx5_0/1", "fake:myri"), or only the driver if the driver has one rail ("shm").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "core/id.h"

namespace nmt {

struct Platform {
  Id id;
  std::string name;    // for people: CPU model and core count
  Fields fingerprint;  // a change makes it another platform
  bool operator==(const Platform&) const = default;
};

struct Node {
  Id id;
  std::string host;
  bool operator==(const Node&) const = default;
};

struct Rail {
  std::string driver;
  std::string name;    // empty where the driver has one rail only
  Fields fingerprint;  // device, firmware, MTU ...: a change makes its measurements stale

  std::string full_name() const { return name.empty() ? driver : driver + ":" + name; }
  bool operator==(const Rail&) const = default;
};

// The rail of a path that uses none: measurements between the cores of one node.
inline constexpr std::string_view kCores = "cores";
inline Rail cores_rail() { return {.driver = std::string(kCores), .name = "", .fingerprint = {}}; }

// An MPI, over any of its rails: its messages and collectives.
inline constexpr std::string_view kMpi = "mpi";
inline Rail mpi_rail(const std::string& name) {
  return {.driver = std::string(kMpi), .name = name, .fingerprint = {}};
}

// A rail that exists but cannot be used, with the reason. Every such rail is reported.
struct Refusal {
  std::string rail;    // full name, or the driver's name alone
  std::string reason;  // the cause
  std::string remedy;  // what the user can do; may be empty
  bool operator==(const Refusal&) const = default;
};

// Splits "driver:name" at the first colon.
void split_rail_name(std::string_view full_name, std::string* driver, std::string* name);

// The entry of `known` that a mistyped `wanted` most likely means (least edit distance), or empty
// if none is near.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace nmt
