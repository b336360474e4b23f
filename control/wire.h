// SPDX-License-Identifier: BSD-3-Clause
//
// The transport below a connection's messages: bytes in order, to one other end and back.
//
// A socket (control/socket_wire.h) or the MPI of a job (control/mpi_wire.h). Belongs to one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/deadline.h"

namespace nmt::control {

class Wire {
 public:
  virtual ~Wire() = default;

  // Takes all of it, even if the other end does not read it yet. Error(kPeer) if the other end is
  // gone or no longer receives.
  virtual void write(std::string_view bytes) = 0;

  // Fills all of `to`. Error(kPeer) at the deadline, or if the other end is gone.
  virtual void read(std::span<std::uint8_t> to, const Deadline& deadline) = 0;

  // Whether read() would return or fail at once; waits for that up to `timeout`.
  virtual bool readable(std::chrono::milliseconds timeout) const = 0;
};

}  // namespace nmt::control
