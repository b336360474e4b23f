// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/relay.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace nmt::collectives {

void expect_all(const MPI_Status& status, const Span& place) {
  int bytes = 0;
  check(PMPI_Get_count(&status, MPI_BYTE, &bytes));
  if (static_cast<std::size_t>(bytes) == place.size()) return;
  throw Error(Fault::kUsage, "ranks of one collective give different counts");
}

Inflow::Inflow(Team& team, std::vector<Span> places, int from, int tag)
    : team_(team),
      places_(std::move(places)),
      from_(from),
      tag_(tag),
      requests_(kAsked, MPI_REQUEST_NULL),
      statuses_(kAsked) {
  while (asked_ < std::min(kAsked, places_.size())) ask();
}

void Inflow::ask() {
  const Span& place = places_[asked_];
  check(PMPI_Irecv(place.data(), static_cast<int>(place.size()), MPI_BYTE, from_, tag_,
                   team_.comm(), &requests_[asked_ % kAsked]));
  ++asked_;
}

// After an error only: what was asked for, and has not begun to come, would come to where something
// else is by then.
Inflow::~Inflow() {
  for (MPI_Request& request : requests_) {
    if (request == MPI_REQUEST_NULL) continue;
    PMPI_Cancel(&request);
    PMPI_Request_free(&request);
  }
}

bool Inflow::ready() {
  const std::size_t place = come_ % kAsked;
  int done = 0;
  // What is done already must keep its status.
  if (requests_[place] == MPI_REQUEST_NULL) return true;
  check(PMPI_Test(&requests_[place], &done, &statuses_[place]));
  return done != 0;
}

const Span& Inflow::next() {
  const std::size_t place = come_ % kAsked;
  if (requests_[place] != MPI_REQUEST_NULL) team_.wait(&requests_[place], &statuses_[place]);
  expect_all(statuses_[place], places_[come_]);
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
