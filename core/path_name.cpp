// SPDX-License-Identifier: BSD-3-Clause
#include "core/path_name.h"

namespace nmt {

std::string to_string(const PathName& name) {
  std::string text = name.node + " " + name.rail;
  if (name.peer.empty()) return text;
  text += " -> " + name.peer;
  if (name.peer_rail != name.rail) text += " " + name.peer_rail;
  return text;
}

}  // namespace nmt
