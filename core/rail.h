// SPDX-License-Identifier: BSD-3-Clause
//
// Platforms, nodes and rails, as values.
//
// A platform is a class of machines (its fingerprint), a node one host of it. A rail is a NIC, a
// shared memory or a described device of a node, called `driver:name` ("tcp:lo", "verbs:mlx5_0/1",
// "fake:myri"), or by its driver alone where there is only one of it ("shm").
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
  Fields fingerprint;  // what makes it another platform when it changes
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
  Fields fingerprint;  // device, firmware, MTU ... what makes its measurements stale

  std::string full_name() const { return name.empty() ? driver : driver + ":" + name; }
  bool operator==(const Rail&) const = default;
};

// Stands where a path needs a rail and none is meant: what is measured between a node's own cores.
inline constexpr std::string_view kCores = "cores";
inline Rail cores_rail() { return {.driver = std::string(kCores), .name = "", .fingerprint = {}}; }

// An MPI, by whichever rails it sends: what its messages and collectives take.
inline constexpr std::string_view kMpi = "mpi";
inline Rail mpi_rail(const std::string& name) {
  return {.driver = std::string(kMpi), .name = name, .fingerprint = {}};
}

// A rail that exists but cannot be used, and why: never silently absent.
struct Refusal {
  std::string rail;    // full name, or the driver's alone
  std::string reason;  // the cause
  std::string remedy;  // what the user can do; may be empty
  bool operator==(const Refusal&) const = default;
};

// Splits "driver:name" at the first colon.
void split_rail_name(std::string_view full_name, std::string* driver, std::string* name);

// The entry of `known` that a mistyped `wanted` most likely meant (least edit distance), or empty
// where nothing is near.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace nmt
