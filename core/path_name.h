// SPDX-License-Identifier: BSD-3-Clause
//
// What a path is called: the node that measured, its rail, and the node at the other end.
#pragma once

#include <string>

#include "core/id.h"

namespace nmt {

// Host names are text from outside; nothing is assumed about them.
struct PathName {
  std::string node;       // host of the near end
  std::string rail;       // full name of its rail
  std::string peer;       // host of the far end; empty within one node
  std::string peer_rail;  // its rail; empty within one node
  Id platform;            // of the near end
  Id peer_platform;       // of the far end
  bool operator==(const PathName&) const = default;
};

// "node07 verbs:mlx5_0/1 -> node12", "node07 shm"; with the peer's rail if it has another name:
// "node07 tcp:e0 -> node12 tcp:e1".
std::string to_string(const PathName& name);

}  // namespace nmt
