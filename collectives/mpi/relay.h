// SPDX-License-Identifier: BSD-3-Clause
//
// Segments between two ranks: several are under way at a time, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/mpi/team.h"

namespace nmt::collectives {

// A part of a stream, in a buffer that all ranks have alike.
struct Piece {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// A message cut into segments of equal bytes, but the last.
class Cut {
 public:
  Cut(std::uint64_t bytes, std::uint64_t segment_bytes)  // 0: whole
      : bytes_(bytes), each_(segment_bytes == 0 ? bytes : segment_bytes) {}

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t each() const { return each_; }
  std::uint64_t segments() const { return bytes_ == 0 ? 0 : (bytes_ + each_ - 1) / each_; }
  std::uint64_t offset(std::uint64_t segment) const { return segment * each_; }
  std::uint64_t bytes_of(std::uint64_t segment) const {
    return segment + 1 < segments() ? each_ : bytes_ - offset(segment);
  }
  Piece piece(std::uint64_t segment) const { return {offset(segment), bytes_of(segment)}; }

 private:
  std::uint64_t bytes_;
  std::uint64_t each_;
};

using Span = std::span<std::byte>;

// Error where a message is shorter than its place: nothing that is missing would ever come.
void expect_all(const MPI_Status& status, const Span& place);

// Receives one message after the other, and asks for some before they come: the next is on the wire
// while one is passed on.
inline constexpr std::size_t kAsked = 4;
class Inflow {
 public:
  // Where each of the messages goes. Places may come again after kAsked others.
  Inflow(Team& team, std::vector<Span> places, int from, int tag);
  ~Inflow();  // asks for nothing any more
  Inflow(Inflow&&) = default;
  bool ready();        // next() would not wait
  const Span& next();  // has come, all of it

 private:
  void ask();

  Team& team_;
  std::vector<Span> places_;
  int from_;
  int tag_;
  std::size_t asked_ = 0;
  std::size_t come_ = 0;
  std::vector<MPI_Request> requests_;  // a ring
  std::vector<MPI_Status> statuses_;   // of these
};

// Sends one after the other and never waits for those before: in a ring, all would wait for each
// other.
class Outflow {
 public:
  Outflow(Team& team, int tag) : team_(team), tag_(tag) {}
  void send(std::span<const std::byte> bytes, int to);
  void finish(std::size_t but = 0);  // all have gone but the last ones

 private:
  Team& team_;
  int tag_;
  std::vector<MPI_Request> sent_;
  std::size_t done_ = 0;
};

}  // namespace nmt::collectives
