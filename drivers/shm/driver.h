// SPDX-License-Identifier: BSD-3-Clause
//
// The rail between two processes of one node: a shared ring, and cross-memory attach if the kernel
// allows it (drivers/shm/endpoint.h). Without it the rail still offers copy and iovec, and the
// refusal "shm rendezvous" says what is missing.
//
// In reading order:
//   endpoint   one end: sends, receives, polls
//   ring       one direction of shared memory
#pragma once

#include <memory>

#include "drivers/driver.h"

namespace nmt::drivers {

std::unique_ptr<Driver> make_shm_driver();

}  // namespace nmt::drivers
