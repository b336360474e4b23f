// SPDX-License-Identifier: BSD-3-Clause
#include "node/fingerprint.h"
#include "node/libraries.h"
#include "node/topology.h"

namespace nmt::node {

Fields full_fingerprint() {
  Fields fields = cheap_fingerprint();
  fields.merge(topology_fields());  // keeps the fields that exist already
  fields.merge(library_versions());
  return fields;
}

}  // namespace nmt::node
