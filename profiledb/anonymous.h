// SPDX-License-Identifier: BSD-3-Clause
//
// What must not leave a machine with its profile.
//
// Hosts become "node-" and the start of their identifier, also where their names stand in other
// text; addresses (Ethernet, IPv4, IPv6) are blanked wherever they stand; fields named after
// addresses, serial numbers, identifiers or hosts are dropped; command lines and remarks are
// emptied. Identifiers, times, device models and versions stay.
#pragma once

#include "profiledb/rows.h"

namespace nmt {

void make_anonymous(Contents& contents);

}  // namespace nmt
