// SPDX-License-Identifier: BSD-3-Clause
//
// Rails over InfiniBand verbs: one per active port of every device, InfiniBand or RoCE. Both ends
// of such a rail may be on this node, because a port reaches itself. Rails to other nodes use the
// same port.
//
// In reading order:
//   port            which ports can be used, and their addresses
//   device          libibverbs, without its types
//   endpoint        one end: sends, receives, polls
//   cells           registered memory for small messages, and credits
//   registrations   registered memory of the caller, reused
#pragma once

#include <memory>

#include "drivers/driver.h"

namespace nmt::drivers {

std::unique_ptr<Driver> make_verbs_driver();

}  // namespace nmt::drivers
