// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the drivers: the contract, and the one table of drivers in order of preference.
//
//   driver    the contract: detect rails, open two ends, send, receive, poll
//   message   a message on its way: its frame, what is still to be sent, where it goes
//   waiting   how to wait for endpoints without wasting a core
//   shm/      two processes of one node: a shared ring, cross-memory attach
//   verbs/    InfiniBand verbs and RoCE
//   tcp/      network interfaces
//   fake/     rails described by a file, in virtual time
// Each driver's folder reads alike: driver (which rails there are), then its endpoint, then what
// these need.
//
// In reading order:
//   driver    the contract of a driver
//   message   a message on its way through a driver
//   waiting   how to wait for endpoints without a busy core
//   shm/      two processes of one node
//   tcp/      TCP, over each network interface
//   verbs/    InfiniBand verbs
//   fake/     rails described by a file, in virtual time
#pragma once

#include <memory>
#include <vector>

#include "drivers/driver.h"
#include "drivers/fake/driver.h"
#include "drivers/waiting.h"

namespace nmt {

// Drivers of real rails built into this binary, in order of preference: shm, verbs, tcp.
std::vector<std::unique_ptr<Driver>> make_drivers();

}  // namespace nmt
