// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/descent.h"

#include "collectives/mpi/spread.h"

namespace nmt::collectives {

Descent::Descent(Team& team, const Seat& seat, std::byte* data, const Cut& cut)
    : children_(seat.children), outflow_(team, kTreeTag) {
  for (std::uint64_t i = 0; i < cut.segments(); ++i) {
    segments_.emplace_back(data + cut.offset(i), cut.bytes_of(i));
  }
  if (seat.parent) inflow_.emplace(team, segments_, *seat.parent, kTreeTag);
}

bool Descent::ready() { return !over() && (!inflow_ || inflow_->ready()); }

void Descent::pass() {
  if (inflow_) inflow_->next();
  for (const int child : children_) outflow_.send(segments_[passed_], child);
  ++passed_;
}

void Descent::finish() { outflow_.finish(); }

}  // namespace nmt::collectives
