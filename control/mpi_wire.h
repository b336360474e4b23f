// SPDX-License-Identifier: BSD-3-Clause
//
// The wire that is the MPI of a job: to one of its ranks.
//
// A rank that has gone ends the whole job, as MPI does; one that does not answer is an
// Error(kPeer) at the deadline. What was written is on its way for as long as this end goes on
// calling MPI, as every wait here does.
#pragma once

#include <string>

#include "control/mpi_job.h"
#include "control/wire.h"

namespace nmt::control {

class MpiWire final : public Wire {
 public:
  MpiWire(const MpiJob& job, int rank) : job_(job), rank_(rank) {}

  void write(std::string_view bytes) override;
  void read(std::span<std::uint8_t> to, const Deadline& deadline) override;
  bool readable(std::chrono::milliseconds timeout) const override;

 private:
  bool await(const Deadline& deadline) const;

  const MpiJob& job_;
  int rank_;
  std::string come_;  // and not read yet
};

}  // namespace nmt::control
