// SPDX-License-Identifier: BSD-3-Clause
//
// A wire over the MPI of a job, to one of its ranks.
//
// If a rank dies, MPI ends the whole job. If a rank does not answer, the deadline gives
// Error(kPeer). Written bytes move only while this end calls MPI, as every wait here does.
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
  std::string come_;  // received, not yet read
};

}  // namespace nmt::control
