// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/this_machine.h"

#include "node/node.h"

namespace nmt::tools {

Platform this_platform() {
  const Fields fingerprint = node::full_fingerprint();
  return {.id = Id::random(), .name = node::platform_name(fingerprint), .fingerprint = fingerprint};
}

Node this_node() { return {.id = Id::random(), .host = node::host_name()}; }

}  // namespace nmt::tools
