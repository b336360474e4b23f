// SPDX-License-Identifier: BSD-3-Clause
#include "control/mpi_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/error.h"

namespace nmt::control {

void MpiWire::write(std::string_view bytes) { job_.mpi().post(bytes.data(), bytes.size(), rank_); }

void MpiWire::read(std::span<std::uint8_t> to, const Deadline& deadline) {
  while (!to.empty()) {
    if (come_.empty()) {
      if (!await(deadline))
        throw Error(Fault::kPeer, fmt::format("rank {}: does not answer", rank_));
      come_.resize(static_cast<std::size_t>(job_.mpi().arrived(rank_)));
      job_.mpi().take(come_.data(), come_.size(), rank_);
    }
    const std::size_t part = std::min(to.size(), come_.size());
    std::memcpy(to.data(), come_.data(), part);
    come_.erase(0, part);
    to = to.subspan(part);
  }
}

bool MpiWire::readable(std::chrono::milliseconds timeout) const {
  return !come_.empty() || await(Deadline(timeout));
}

// Polls, and sleeps in between, because other processes may need the core.
bool MpiWire::await(const Deadline& deadline) const {
  constexpr std::chrono::microseconds kNap{50};
  while (job_.mpi().arrived(rank_) < 0) {
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(kNap);
  }
  return true;
}

}  // namespace nmt::control
