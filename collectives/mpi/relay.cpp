// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/relay.h"

#include <algorithm>
#include <utility>

namespace nmt::collectives {

Inflow::Inflow(Team& team, std::vector<Span> places, int from, int tag)
    : team_(team),
      places_(std::move(places)),
      from_(from),
      tag_(tag),
      requests_(kAsked, MPI_REQUEST_NULL) {
  while (asked_ < std::min(kAsked, places_.size())) ask();
}

void Inflow::ask() {
  const Span& place = places_[asked_];
  check(PMPI_Irecv(place.data(), static_cast<int>(place.size()), MPI_BYTE, from_, tag_,
                   team_.comm(), &requests_[asked_ % kAsked]));
  ++asked_;
}

bool Inflow::ready() {
  int done = 0;
  check(PMPI_Test(&requests_[come_ % kAsked], &done, MPI_STATUS_IGNORE));
  return done != 0;
}

const Span& Inflow::next() {
  team_.wait(&requests_[come_ % kAsked]);
  if (asked_ < places_.size()) ask();
  return places_[come_++];
}

void Outflow::send(std::span<const std::byte> bytes, int to) {
  check(PMPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag_, team_.comm(),
                   &sent_.emplace_back()));
}

void Outflow::finish(std::size_t but) {
  for (; done_ + but < sent_.size(); ++done_) team_.wait(&sent_[done_]);
}

}  // namespace nmt::collectives
