// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/this_machine.h"

#include "node/node.h"

namespace nmt {

Platform this_platform() {
  const Fields fingerprint = full_fingerprint();
  return {.id = Id::random(), .name = platform_name(fingerprint), .fingerprint = fingerprint};
}

Node this_node() { return {.id = Id::random(), .host = host_name()}; }

}  // namespace nmt
