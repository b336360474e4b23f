// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/shm/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace nmt::drivers {
namespace {

// A check of the socket costs about as much as ten polls of an idle rail, so at this period its
// cost does not matter; and a rail that is polled every few milliseconds still notices within
// seconds.
constexpr unsigned kIdlePollsPerPeerCheck = 1024;

ShmRings& rings_of(const node::SharedSegment& segment) {
  NMT_CHECK(segment.memory().size() >= sizeof(ShmRings));
  return *reinterpret_cast<ShmRings*>(segment.memory().data());
}

}  // namespace

ShmEndpoint::ShmEndpoint(std::string rail, Side side, node::SharedSegment segment,
                         node::LocalSocket socket, pid_t peer)
    : rail_(std::move(rail)),
      segment_(std::move(segment)),
      socket_(std::move(socket)),
      peer_(peer),
      out_ring_(side == Side::kNear ? rings_of(segment_).from_near : rings_of(segment_).from_far),
      in_ring_(side == Side::kNear ? rings_of(segment_).from_far : rings_of(segment_).from_near),
      writer_(out_ring_),
      reader_(in_ring_) {}

std::size_t ShmEndpoint::size_bytes_max(Method) const { return kBodyBytesMax; }

void ShmEndpoint::copy(Bytes to, ConstBytes from) {
  NMT_CHECK(to.size() == from.size());
  if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
}

void ShmEndpoint::send(Method method, std::span<const Packet> packets) {
  FrameKind kind = FrameKind::kEager;
  offered_.clear();
  if (method == Method::kRendezvous) {
    kind = FrameKind::kRequest;
    for (const Packet& packet : packets) {
      offered_.push_back({reinterpret_cast<std::uint64_t>(packet.body.data()), packet.body.size()});
    }
  }
  const Frame frame = make_frame(kind, sends_started_++, packets);
  start(outbox_.push(), method, frame, std::as_bytes(std::span(offered_)), packets);
  push();
}

void ShmEndpoint::receive(Bytes headers, Bytes bodies, Delivery delivery) {
  incoming_.post(headers, bodies, delivery);
}

void ShmEndpoint::listen(Bytes headers) { incoming_.listen(headers); }

void ShmEndpoint::accept(std::span<const Bytes> bodies) { incoming_.accept(bodies); }

Endpoint::Progress ShmEndpoint::poll() {
  Progress progress;
  push();
  progress.sent = count_completed();
  if (take_cells()) {
    progress.received = true;
    progress.received_bytes = incoming_.finish();
  }
  incoming_.announce(progress);
  if (progress.sent > 0 || progress.received || progress.announced) {
    idle_polls_ = 0;
  } else if (++idle_polls_ % kIdlePollsPerPeerCheck == 0) {
    check_peer();
  }
  return progress;
}

// Writes messages into the ring as long as it has free cells.
void ShmEndpoint::push() {
  for (; pushed_ < outbox_.size(); ++pushed_) {
    Gather& gather = outbox_[pushed_].gather;
    while (!gather.done()) {
      const Bytes cell = writer_.claim();
      if (cell.empty()) return;
      writer_.publish(gather.copy_to(cell));
    }
  }
}

// Sends complete in order: eager ones when they are in the ring, rendezvous when they have been
// read.
unsigned ShmEndpoint::count_completed() {
  unsigned completed = 0;
  while (pushed_ > 0) {
    if (outbox_[0].method == Method::kRendezvous) {
      if (out_ring_.rendezvous.load(std::memory_order_acquire) <= rendezvous_sent_) break;
      ++rendezvous_sent_;
    }
    outbox_.pop();
    --pushed_;
    ++completed;
  }
  return completed;
}

// Takes the ready cells of the posted receive's message; true when the message is complete. Every
// message starts in a new cell, so a cell never has parts of two messages. The cell that announces
// a message stays until the message is accepted.
bool ShmEndpoint::take_cells() {
  while (incoming_.posted() && (cell_open_ || reader_.ready())) {
    if (!cell_open_) cell_ = reader_.payload();
    cell_open_ = true;
    if (!incoming_.begun()) cell_ = begin_message(cell_);
    cell_ = cell_.subspan(incoming_.put(cell_));
    if (incoming_.waits()) return false;
    if (!cell_.empty()) {
      throw Error(Fault::kPeer, rail_ + ": the peer sent more than it announced");
    }
    cell_open_ = false;
    reader_.free();
    if (incoming_.frame().kind == FrameKind::kRequest && incoming_.placed()) read_bodies();
    if (incoming_.complete()) return true;
  }
  return false;
}

// Returns the rest of the cell after the frame and, for a rendezvous, after the list of its pieces.
ConstBytes ShmEndpoint::begin_message(ConstBytes cell) {
  Frame frame;
  std::size_t list_bytes = 0;
  bool whole = cell.size() >= sizeof frame;
  if (whole) {
    std::memcpy(&frame, cell.data(), sizeof frame);
    check_frame(frame, receives_begun_, rail_);
    if (frame.kind == FrameKind::kRequest) list_bytes = frame.packets * sizeof(ShmPiece);
    whole = cell.size() >= sizeof frame + list_bytes;
  }
  if (!whole) throw Error(Fault::kPeer, rail_ + ": the peer sent only a part of a message");
  pieces_.resize(list_bytes / sizeof(ShmPiece));
  if (list_bytes > 0) std::memcpy(pieces_.data(), cell.data() + sizeof frame, list_bytes);
  incoming_.begin(frame, rail_);
  ++receives_begun_;
  return cell.subspan(sizeof frame + list_bytes);
}

// Reads the bodies of a rendezvous and reports that to the sender. The check that the sender lives
// comes after the reads: if it lives then, it lived all the time, and the memory was its own and
// not that of another process that got its number.
void ShmEndpoint::read_bodies() {
  for (ShmPiece piece : pieces_) {
    while (piece.size_bytes > 0) {
      const Bytes room = incoming_.next();
      if (room.empty()) {
        throw Error(Fault::kPeer, rail_ + ": the peer offered more than it announced");
      }
      const Bytes part = room.first(std::min<std::size_t>(room.size(), piece.size_bytes));
      node::read_from_process(peer_, piece.address, part);
      incoming_.advance(part.size());
      piece.address += part.size();
      piece.size_bytes -= part.size();
    }
  }
  if (!incoming_.complete()) {
    throw Error(Fault::kPeer, rail_ + ": the peer offered less than it announced");
  }
  if (socket_.peer_gone()) throw Error(Fault::kPeer, rail_ + ": the peer process has ended");
  in_ring_.rendezvous.store(++rendezvous_received_, std::memory_order_release);
}

void ShmEndpoint::check_peer() {
  if (socket_.peer_gone() && !reader_.ready()) {
    throw Error(Fault::kPeer, rail_ + ": the peer process has ended");
  }
}

}  // namespace nmt::drivers
