// SPDX-License-Identifier: BSD-3-Clause
//
// What a connection's messages travel through: bytes in order, to one other end and back.
//
// A socket (control/socket_wire.h), or the MPI of a job (control/mpi_job.h). Belongs to one thread.
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

  // Takes all of it, whether the other end reads it yet or not. Error(kPeer) where the other end
  // has gone or takes nothing any more.
  virtual void write(std::string_view bytes) = 0;

  // Fills all of `to`. Error(kPeer) at the deadline, or where the other end has gone.
  virtual void read(std::span<std::uint8_t> to, const Deadline& deadline) = 0;

  // Whether read() has something to tell; waits so long for it.
  virtual bool readable(std::chrono::milliseconds timeout) const = 0;
};

}  // namespace nmt::control
