// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/spread.h"

namespace nmt::collectives {

Spread::Spread(Team& team, Room* room, const std::byte* data)
    : team_(team), room_(room), data_(data) {
  std::vector<int> members;
  for (const int rank : team.own_group().ranks) {
    if (rank == team.rank()) continue;
    others_.push_back(rank);
    members.push_back(team.member(rank));
  }
  if (room_ != nullptr) room_->show(data, std::move(members));
}

void Spread::there(const Piece& piece, std::uint64_t left) {
  position_ += piece.bytes;
  const std::byte* fresh = data_ + piece.offset;
  if (room_ != nullptr) {
    room_->there(position_, {fresh, piece.bytes}, team_.waiting(), left == 0);
    return;
  }
  for (const int rank : others_) {
    check(PMPI_Isend(fresh, static_cast<int>(piece.bytes), MPI_BYTE, rank,
                     tag_of(Stream::kSpread, left), team_.comm(), &sends_.emplace_back()));
  }
}

void Spread::finish() {
  if (room_ != nullptr) room_->await_visits(team_.waiting());
  for (MPI_Request& send : sends_) team_.wait(&send);
}

Share::Share(Team& team, Room* room, int leader, std::byte* data)
    : team_(team), room_(room), leader_(leader), data_(data) {}

std::uint64_t Share::take(const Piece& piece) {
  const Span place(data_ + piece.offset, piece.bytes);
  if (room_ == nullptr) return receive(place);
  const std::uint64_t bytes =
      room_->fetch(team_.member(leader_), position_, piece.offset, place, team_.waiting());
  position_ += bytes;
  return bytes;
}

std::uint64_t Share::receive(const Span& place) {
  MPI_Request receipt = MPI_REQUEST_NULL;
  MPI_Status status;
  if (left_ == 0) return 0;
  check(PMPI_Irecv(place.data(), static_cast<int>(place.size()), MPI_BYTE, leader_, MPI_ANY_TAG,
                   team_.comm(), &receipt));
  team_.wait(&receipt, &status);
  const Arrival arrival = arrival_of(status, place, Stream::kSpread);
  left_ = arrival.left;
  return arrival.data.size();
}

// Half of the segments that are left at a time, where each waking is dear: few, and the last piece,
// for which nothing is left to hide behind, is a segment all the same.
std::uint64_t Share::take_all(const Cut& cut) {
  std::uint64_t taken_bytes = 0;
  for (std::uint64_t i = 0, end = 0; i < cut.segments(); i = end) {
    end = takes_larger_pieces() ? i + (cut.segments() - i + 1) / 2 : i + 1;
    const Piece last = cut.piece(end - 1);
    taken_bytes += take({cut.offset(i), last.offset + last.bytes - cut.offset(i)});
  }
  return taken_bytes;
}

bool Share::has_more() const {
  return room_ != nullptr && room_->has_more(team_.member(leader_), position_);
}

void Share::finish() {
  if (room_ != nullptr) return room_->leave(team_.member(leader_), team_.waiting());
  if (left_.value_or(0) > 0) fail_on_different_counts();
}

}  // namespace nmt::collectives
