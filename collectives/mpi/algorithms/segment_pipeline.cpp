// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/segment_pipeline.h"

#include <algorithm>
#include <utility>

namespace nmt::collectives {
namespace {

// Messages left, as stored in a tag: this many or more. MPI only guarantees tags of 15 bits.
constexpr std::uint64_t kLeftMax = 4095;
constexpr int kTagsEach = kLeftMax + 1;

}  // namespace

int tag_of(Stream stream, std::uint64_t left) {
  return static_cast<int>(stream) * kTagsEach + static_cast<int>(std::min(left, kLeftMax));
}

Arrival arrival_of(const MPI_Status& status, const Span& place, Stream stream) {
  int bytes = 0;
  check(PMPI_Get_count(&status, MPI_BYTE, &bytes));
  const Arrival arrival{.data = place.first(static_cast<std::size_t>(bytes)),
                        .left = static_cast<std::uint64_t>(status.MPI_TAG % kTagsEach)};
  const bool leaves_a_gap = arrival.left > 0 && arrival.data.size() < place.size();
  if (status.MPI_TAG != tag_of(stream, arrival.left) || leaves_a_gap) fail_on_different_counts();
  return arrival;
}

void expect_arrival(const MPI_Status& status, std::uint64_t bytes, Stream stream,
                    std::uint64_t left) {
  int arrived = 0;
  check(PMPI_Get_count(&status, MPI_BYTE, &arrived));
  if (status.MPI_TAG != tag_of(stream, left) || static_cast<std::uint64_t>(arrived) != bytes) {
    fail_on_different_counts();
  }
}

ReceivePipeline::ReceivePipeline(NodeHierarchy& hierarchy, std::vector<Span> places, int from,
                                 Stream stream)
    : hierarchy_(hierarchy),
      places_(std::move(places)),
      from_(from),
      stream_(stream),
      requests_(kReceivesAhead, MPI_REQUEST_NULL),
      statuses_(kReceivesAhead) {
  if (!places_.empty()) ask();
}

void ReceivePipeline::ask() {
  const Span& place = places_[asked_];
  check(PMPI_Irecv(place.data(), static_cast<int>(place.size()), MPI_BYTE, from_, MPI_ANY_TAG,
                   hierarchy_.comm(), &requests_[asked_ % kReceivesAhead]));
  ++asked_;
}

// Only after an error: cancels receives whose message has not started to arrive, because their
// buffers may be reused.
ReceivePipeline::~ReceivePipeline() {
  for (MPI_Request& request : requests_) {
    if (request == MPI_REQUEST_NULL) continue;
    PMPI_Cancel(&request);
    PMPI_Request_free(&request);
  }
}

bool ReceivePipeline::ready() {
  const std::size_t place = come_ % kReceivesAhead;
  int done = 0;
  // A completed one must keep its status.
  if (requests_[place] == MPI_REQUEST_NULL) return true;
  check(PMPI_Test(&requests_[place], &done, &statuses_[place]));
  return done != 0;
}

Arrival ReceivePipeline::next_or_end() {
  const std::size_t place = come_ % kReceivesAhead;
  if (requests_[place] != MPI_REQUEST_NULL) hierarchy_.wait(&requests_[place], &statuses_[place]);
  const Arrival arrival = arrival_of(statuses_[place], places_[come_], stream_);
  ++come_;
  if (arrival.left > std::min(places_.size() - come_, kLeftMax)) fail_on_different_counts();
  while (asked_ < come_ + std::min<std::uint64_t>(arrival.left, kReceivesAhead)) ask();
  return arrival;
}

Span ReceivePipeline::next() {
  const Span place = places_[come_];
  const Arrival arrival = next_or_end();
  if (arrival.data.size() < place.size() ||
      arrival.left < std::min(places_.size() - come_, kLeftMax)) {
    fail_on_different_counts();
  }
  return place;
}

void SendPipeline::send(std::span<const std::byte> bytes, int to, std::uint64_t left) {
  check(PMPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to,
                   tag_of(stream_, left), hierarchy_.comm(), &sent_.emplace_back()));
}

void SendPipeline::finish(std::size_t but) {
  for (; done_ + but < sent_.size(); ++done_) hierarchy_.wait(&sent_[done_]);
}

}  // namespace nmt::collectives
