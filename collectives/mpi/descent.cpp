// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/descent.h"

namespace nmt::collectives {

Descent::Descent(Team& team, const Seat& seat, std::byte* data, const Cut& cut)
    : children_(seat.children), over_(cut.segments() == 0), outflow_(team, Stream::kTree) {
  for (std::uint64_t i = 0; i < cut.segments(); ++i) {
    segments_.emplace_back(data + cut.offset(i), cut.bytes_of(i));
  }
  if (seat.parent) inflow_.emplace(team, segments_, *seat.parent, Stream::kTree);
}

bool Descent::ready() { return !over_ && (!inflow_ || inflow_->ready()); }

Arrival Descent::pass() {
  if (over_) fail_on_different_counts();
  const Arrival next =
      inflow_ ? inflow_->come()
              : Arrival{.data = segments_[passed_], .left = segments_.size() - 1 - passed_};
  for (const int child : children_) outflow_.send(next.data, child, next.left);
  ++passed_;
  over_ = next.left == 0;
  return next;
}

void Descent::finish() { outflow_.finish(); }

}  // namespace nmt::collectives
