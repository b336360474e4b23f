// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the drivers: the contract, and the one table of drivers in order of preference.
//
// In reading order:
//   driver    the contract: detect rails, open two ends, send, receive, poll
//   message   a message in transit: its frame, the rest to send, where its bytes go
//   waiting   how to wait for endpoints without a busy core
//   shm/      two processes of one node: a shared ring, cross-memory attach
//   tcp/      TCP over each network interface
//   verbs/    InfiniBand verbs and RoCE
//   fake/     rails described by a file, in virtual time
//
// The folders of all drivers are alike: driver (which rails exist), then endpoint, then what these
// need.
#pragma once

#include <memory>
#include <vector>

#include "drivers/driver.h"
#include "drivers/fake/driver.h"
#include "drivers/waiting.h"

namespace nmt::drivers {

// Drivers of real rails built into this binary, in order of preference: shm, verbs, tcp.
std::vector<std::unique_ptr<Driver>> make_drivers();

}  // namespace nmt::drivers
