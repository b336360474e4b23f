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

void Spread::there(const Piece& piece) {
  position_ += piece.bytes;
  const std::byte* fresh = data_ + piece.offset;
  if (room_ != nullptr) {
    room_->there(position_, {fresh, piece.bytes}, team_.waiting());
    return;
  }
  for (const int rank : others_) {
    check(PMPI_Isend(fresh, static_cast<int>(piece.bytes), MPI_BYTE, rank, kSpreadTag, team_.comm(),
                     &sends_.emplace_back()));
  }
}

void Spread::finish() {
  if (room_ != nullptr) room_->await_visits(team_.waiting());
  for (MPI_Request& send : sends_) team_.wait(&send);
}

Share::Share(Team& team, Room* room, int leader, std::byte* data)
    : team_(team), room_(room), leader_(leader), data_(data) {}

void Share::take(const Piece& piece) {
  std::byte* to = data_ + piece.offset;
  if (room_ != nullptr) {
    room_->fetch(team_.member(leader_), position_, piece.offset, {to, piece.bytes},
                 team_.waiting());
  } else {
    MPI_Request receipt = MPI_REQUEST_NULL;
    MPI_Status status;
    check(PMPI_Irecv(to, static_cast<int>(piece.bytes), MPI_BYTE, leader_, kSpreadTag, team_.comm(),
                     &receipt));
    team_.wait(&receipt, &status);
    expect_all(status, {to, piece.bytes});
  }
  position_ += piece.bytes;
}

// Half of the segments that are left at a time, where each waking is dear: few, and the last piece,
// for which nothing is left to hide behind, is a segment all the same.
void Share::take_all(const Cut& cut) {
  for (std::uint64_t i = 0, end = 0; i < cut.segments(); i = end) {
    end = takes_larger_pieces() ? i + (cut.segments() - i + 1) / 2 : i + 1;
    const Piece last = cut.piece(end - 1);
    take({cut.offset(i), last.offset + last.bytes - cut.offset(i)});
  }
}

void Share::finish() {
  if (room_ != nullptr) room_->leave(team_.member(leader_), team_.waiting());
}

}  // namespace nmt::collectives
