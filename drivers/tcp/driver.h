// SPDX-License-Identifier: BSD-3-Clause
//
// Rails over TCP: one per network interface that is up. Within one node the kernel routes every
// local address through loopback, so only loopback is a rail there; the others need a peer.
//
// In reading order:
//   interfaces   the network interfaces of this machine
//   subnet       whether two interfaces are on one network
//   connect      how the two ends connect and prove the secret
//   endpoint     one end: sends, receives, polls
#pragma once

#include <memory>

#include "drivers/driver.h"

namespace nmt::drivers {

std::unique_ptr<Driver> make_tcp_driver();

}  // namespace nmt::drivers
