// SPDX-License-Identifier: BSD-3-Clause
//
// Removes from a profile what must not leave the machine.
//
// A host becomes "node-" and the start of its identifier, also where its name appears in other
// text. Addresses (Ethernet, IPv4, IPv6) are blanked everywhere. Fields named after addresses,
// serial numbers, identifiers or hosts are dropped. Command lines and remarks are emptied.
// Identifiers, times, device models and versions stay.
#pragma once

#include "profiledb/rows.h"

namespace nmt::profiledb {

void make_anonymous(Contents& contents);

}  // namespace nmt::profiledb
