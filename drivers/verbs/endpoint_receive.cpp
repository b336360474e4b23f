// SPDX-License-Identifier: BSD-3-Clause
//
// Takes what has arrived for the posted receives, and moves the bodies of rendezvous to them.
#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "drivers/verbs/endpoint.h"

namespace nmt::drivers {

void VerbsEndpoint::receive(Bytes headers, Bytes bodies, Delivery delivery) {
  receiving(receives_posted_).incoming.post(headers, bodies, delivery);
  ++receives_posted_;
}

void VerbsEndpoint::listen(Bytes headers) {
  receiving(receives_posted_).incoming.listen(headers);
  ++receives_posted_;
}

void VerbsEndpoint::accept(std::span<const Bytes> bodies) {
  receiving(receives_taken_).incoming.accept(bodies);
}

// Takes the cells of the messages for the posted receives. Every message starts in a new cell. The
// cell that announces a message stays until the message is accepted.
void VerbsEndpoint::take_cells() {
  while (receives_taken_ != receives_posted_ && (cell_open_ || cells_.ready())) {
    Receiving& own = receiving(receives_taken_);
    if (!cell_open_) cell_ = cells_.front();
    cell_open_ = true;
    if (!own.incoming.begun()) cell_ = begin_message(own, cell_);
    cell_ = cell_.subspan(own.incoming.put(cell_));
    if (own.incoming.waits()) return;
    if (!cell_.empty()) {
      throw Error(Fault::kPeer, rail_ + ": the peer sent more than it announced");
    }
    cell_open_ = false;
    cells_.free();
    if (!own.incoming.placed()) continue;
    if (!own.incoming.complete()) {
      if (own.incoming.frame().kind != FrameKind::kRequest) continue;
      start_moving(own);
    }
    ++receives_taken_;
  }
}

// Returns the rest of the cell after the frame and, for a rendezvous, after the list of its pieces.
ConstBytes VerbsEndpoint::begin_message(Receiving& own, ConstBytes cell) {
  const auto half = [this] {
    return Error(Fault::kPeer, rail_ + ": the peer sent only a part of a message");
  };
  Frame frame;
  if (cell.size() < sizeof frame) throw half();
  std::memcpy(&frame, cell.data(), sizeof frame);
  cell = cell.subspan(sizeof frame);
  check_frame(frame, receives_taken_, rail_);
  own.offered.clear();
  own.first_offered = 0;
  if (frame.kind == FrameKind::kRequest) {
    std::uint64_t count = 0;
    if (cell.size() < sizeof count) throw half();
    std::memcpy(&count, cell.data(), sizeof count);
    cell = cell.subspan(sizeof count);
    if (count > frame.packets || cell.size() < count * sizeof(VerbsTarget)) throw half();
    own.offered.resize(count);
    if (count > 0) std::memcpy(own.offered.data(), cell.data(), count * sizeof(VerbsTarget));
    cell = cell.subspan(count * sizeof(VerbsTarget));
    std::uint64_t total_bytes = 0;
    for (const VerbsTarget& piece : own.offered) total_bytes += piece.size_bytes;
    if (count > 0 && total_bytes != frame.body_bytes) {
      throw Error(Fault::kPeer, rail_ + ": the peer offered other sizes than it announced");
    }
  }
  own.incoming.begin(frame, rail_);
  return cell;
}

// Lists the memory for the bodies: from now on only the device writes there.
void VerbsEndpoint::start_moving(Receiving& own) {
  own.places.clear();
  while (!own.incoming.next().empty()) {
    const Bytes place = own.incoming.next();
    own.places.add(place, targets_.get(place));
    own.incoming.advance(place.size());
  }
  if (own.places.left_bytes() != own.incoming.frame().body_bytes) {
    throw Error(Fault::kPeer, rail_ + ": the peer sent a body together with its request");
  }
  own.moving = own.offered.empty() ? Moving::kGrant : Moving::kReads;
}

// Does what can be done now for the bodies of all receives. The sender takes a grant for the oldest
// message that waits for one, and a report for the oldest that it has offered. So both go in the
// order of the messages.
void VerbsEndpoint::move_bodies() {
  bool grants = true;   // no message before needs one
  bool reports = true;  // likewise
  for (std::uint32_t number = receives_ended_; number != receives_taken_; ++number) {
    Receiving& own = receiving(number);
    if (own.moving == Moving::kGrant && grants && push_grant(own)) own.moving = Moving::kWritten;
    if (own.moving == Moving::kReads && push_reads(own)) own.moving = Moving::kAnswer;
    if (own.moving == Moving::kAnswer && reports && connection_.done(own.last_read) &&
        cells_.can_send(CellKind::kRead)) {
      cells_.send(CellKind::kRead, 0, {}, false);
      own.moving = Moving::kNo;
    }
    const bool granted = own.moving != Moving::kWritten || own.places.done();
    grants = grants && granted && own.moving != Moving::kGrant;
    reports = reports && own.moving != Moving::kReads && own.moving != Moving::kAnswer;
  }
}

bool VerbsEndpoint::push_grant(Receiving& own) {
  if (!cells_.can_send(CellKind::kGrant)) return false;
  const Bytes cell = cells_.payload();
  const std::vector<VerbsTarget> targets = own.places.targets(cell.size() / sizeof(VerbsTarget));
  const std::size_t size_bytes = targets.size() * sizeof(VerbsTarget);
  std::memcpy(cell.data(), targets.data(), size_bytes);
  cells_.send(CellKind::kGrant, size_bytes, {}, false);
  return true;
}

bool VerbsEndpoint::push_reads(Receiving& own) {
  std::array<VerbsPiece, 32> room;
  const std::size_t pieces_max = std::min(room.size(), connection_.pieces_max());
  while (own.first_offered < own.offered.size()) {
    VerbsTarget& source = own.offered[own.first_offered];
    while (source.size_bytes > 0) {
      if (connection_.room() == 0) return false;
      const auto pieces =
          own.places.take(std::span(room).first(pieces_max),
                          std::min<std::size_t>(source.size_bytes, connection_.work_bytes_max()));
      std::uint32_t size_bytes = 0;
      for (const VerbsPiece& piece : pieces) size_bytes += piece.size_bytes;
      own.last_read =
          connection_.read(pieces, {source.address, source.key}, size_bytes == source.size_bytes);
      source.address += size_bytes;
      source.size_bytes -= size_bytes;
    }
    ++own.first_offered;
  }
  return true;
}

// The sender writes in the order of the grants.
void VerbsEndpoint::written() {
  for (std::uint32_t number = receives_ended_; number != receives_taken_; ++number) {
    Receiving& own = receiving(number);
    if (own.moving != Moving::kWritten) continue;
    own.moving = own.places.done() ? Moving::kNo : Moving::kGrant;
    return;
  }
  throw Error(Fault::kPeer, rail_ + ": the peer wrote to memory that was not granted");
}

void VerbsEndpoint::report_received(Progress& progress) {
  Receiving& oldest = receiving(receives_ended_);
  if (receives_ended_ != receives_taken_ && oldest.moving == Moving::kNo) {
    progress.received = true;
    progress.received_bytes = oldest.incoming.finish();
    oldest.places.clear();
    ++receives_ended_;
  }
  if (receives_taken_ != receives_posted_) receiving(receives_taken_).incoming.announce(progress);
}

}  // namespace nmt::drivers
