// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/verbs/endpoint.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/deadline.h"
#include "core/error.h"

namespace nmt::drivers {
namespace {

constexpr std::uint32_t kWork = 256;  // pieces of work in the device at a time

// A reading of the clock costs as much as some polls of an idle rail, so at this period its cost
// does not matter; and a rail that is polled every few milliseconds still notices within seconds.
constexpr unsigned kIdlePollsPerPeerCheck = 256;
constexpr std::chrono::milliseconds kSilence{500};  // before this end checks the other

// A living peer acknowledges within less; this end does not wait longer.
constexpr std::chrono::milliseconds kByeTimeout{500};

// Each kind of region may use this part (1/n) of the memory that may be locked; the rest is for the
// cells, for regions in use, and for other users.
constexpr std::size_t kShareOfLocked = 4;

std::size_t kept_bytes_max() {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  const auto physical_bytes =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::min<std::size_t>(limit.rlim_cur, physical_bytes) / kShareOfLocked;
}

}  // namespace

void VerbsList::clear() {
  pieces_.clear();
  regions_.clear();
  first_ = 0;
  left_bytes_ = 0;
}

void VerbsList::add(ConstBytes memory, std::shared_ptr<const VerbsRegion> region) {
  pieces_.push_back(
      {memory.data(), static_cast<std::uint32_t>(memory.size()), region ? region->local_key() : 0});
  regions_.push_back(std::move(region));
  left_bytes_ += memory.size();
}

std::span<const VerbsPiece> VerbsList::take(std::span<VerbsPiece> room,
                                            std::size_t size_bytes_max) {
  std::size_t count = 0;
  while (!done() && count < room.size() && size_bytes_max > 0) {
    VerbsPiece& piece = pieces_[first_];
    const auto part =
        static_cast<std::uint32_t>(std::min<std::size_t>(piece.size_bytes, size_bytes_max));
    room[count++] = {piece.memory, part, piece.key};
    piece.memory += part;
    piece.size_bytes -= part;
    size_bytes_max -= part;
    left_bytes_ -= part;
    if (piece.size_bytes == 0) ++first_;
  }
  return room.first(count);
}

std::vector<VerbsTarget> VerbsList::targets(std::size_t count_max) {
  std::vector<VerbsTarget> targets;
  for (; !done() && targets.size() < count_max; ++first_) {
    const VerbsPiece& piece = pieces_[first_];
    targets.push_back({reinterpret_cast<std::uintptr_t>(piece.memory),
                       regions_[first_]->remote_key(), piece.size_bytes});
    left_bytes_ -= piece.size_bytes;
  }
  return targets;
}

VerbsEndpoint::VerbsEndpoint(std::string rail, const std::string& port_name)
    : rail_(std::move(rail)),
      watch_(node::UnmapWatch::of_this_process(&why_not_)),
      connection_(rail_, port_name, {.receives = VerbsCells::kReceives, .sends = kWork}),
      cells_(rail_, connection_),
      sources_(connection_, VerbsAccess::kSource, watch_, kept_bytes_max()),
      targets_(connection_, VerbsAccess::kTarget, watch_, kept_bytes_max()),
      heard_(std::chrono::steady_clock::now()) {
  cells_.post_receives();
}

VerbsEndpoint::~VerbsEndpoint() {
  if (connected_ && !peer_closed_) say_bye();
}

void VerbsEndpoint::connect(const VerbsAddress& far) {
  connection_.connect(far);
  connected_ = true;
}

std::size_t VerbsEndpoint::size_bytes_max(Method) const { return kBodyBytesMax; }

void VerbsEndpoint::use(Method method, unsigned variant) {
  if (method != Method::kRendezvous) return;
  if (variant >= kVerbsRendezvous.size()) {
    throw Error(Fault::kFailed, fmt::format("{}: no variant {}", rail_, variant));
  }
  way_ = static_cast<VerbsRendezvous>(variant);
}

bool VerbsEndpoint::prepare(ConstBytes memory) {
  if (!memory.empty()) sources_.get(memory);
  return true;
}

void VerbsEndpoint::copy(Bytes to, ConstBytes from) {
  NMT_CHECK(to.size() == from.size());
  if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
}

void VerbsEndpoint::send(Method method, std::span<const Packet> packets) {
  const bool asks = method == Method::kRendezvous;
  const Frame frame =
      make_frame(asks ? FrameKind::kRequest : FrameKind::kEager, sends_started_++, packets);
  if (send_at_once(method, frame, packets)) return;
  Outgoing& message = outbox_.push();
  Sending& own = sending_[frame.number % kSendsInFlightMax];
  own.bodies.clear();
  own.granted.clear();
  own.first_granted = own.last = 0;
  own.asked = own.pushed = false;
  own.offered = asks && way_ == VerbsRendezvous::kRead;
  own.moved = frame.body_bytes == 0;
  own.taken = method == Method::kCopy ||
              (!asks && cells_.inlines(sizeof frame + frame.header_bytes + frame.body_bytes));
  offer_.clear();
  if (method != Method::kCopy) register_bodies(own, packets);
  const std::uint64_t offers = offer_.size();
  std::vector<std::byte> addition;
  if (asks) {
    addition.resize(sizeof offers + offer_.size() * sizeof(VerbsTarget));
    std::memcpy(addition.data(), &offers, sizeof offers);
    if (!offer_.empty()) {
      std::memcpy(addition.data() + sizeof offers, offer_.data(),
                  offer_.size() * sizeof(VerbsTarget));
    }
  }
  // For a copy the gather list goes into cells, which are the buffer that joins the message. Bodies
  // that the device fetches are held back, as for any rendezvous.
  start(message, method == Method::kCopy ? Method::kIovec : Method::kRendezvous, frame, addition,
        packets);
  message.method = method;
  push();
}

// Copies a message directly into a cell, if it fits into one and no message waits before it.
bool VerbsEndpoint::send_at_once(Method method, const Frame& frame,
                                 std::span<const Packet> packets) {
  const std::size_t size_bytes = sizeof frame + frame.header_bytes + frame.body_bytes;
  const bool flattened =
      method == Method::kCopy || (method == Method::kIovec && cells_.inlines(size_bytes));
  if (!flattened || size_bytes > VerbsCells::kPayloadBytes || outbox_.size() > 0 ||
      !cells_.can_send(CellKind::kMessage)) {
    return false;
  }
  std::byte* to = cells_.payload().data();
  const auto append = [&to](const void* from, std::size_t count) {
    if (count > 0) std::memcpy(to, from, count);
    to += count;
  };
  append(&frame, sizeof frame);
  for (const Packet& packet : packets) append(packet.header.data(), packet.header.size());
  for (const Packet& packet : packets) append(packet.body.data(), packet.body.size());
  cells_.send(CellKind::kMessage, size_bytes, {}, false);
  ++sent_at_once_;
  return true;
}

void VerbsEndpoint::register_bodies(Sending& own, std::span<const Packet> packets) {
  for (const Packet& packet : packets) {
    if (packet.body.empty()) continue;
    const auto region = own.taken ? nullptr : sources_.get(packet.body);
    own.bodies.add(packet.body, region);
    if (!own.offered) continue;
    offer_.push_back({reinterpret_cast<std::uintptr_t>(packet.body.data()), region->remote_key(),
                      static_cast<std::uint32_t>(packet.body.size())});
  }
}

Endpoint::Progress VerbsEndpoint::poll() {
  Progress progress;
  const bool heard = cells_.poll(*this);
  push();
  progress.sent = count_sent();
  take_cells();
  move_bodies();
  report_received(progress);
  if (!peer_closed_) cells_.send_credits();
  if (heard || progress.sent > 0 || progress.received || progress.announced) {
    idle_polls_ = 0;
  } else if (peer_closed_ || ++idle_polls_ % kIdlePollsPerPeerCheck == 0) {
    check_peer();
  }
  return progress;
}

// A completion may arrive between the last poll and arm(): then this returns false, so poll again.
bool VerbsEndpoint::watch(std::vector<pollfd>& watched) {
  if (!connection_.arm()) return false;
  for (const int descriptor : connection_.descriptors()) watched.push_back({descriptor, POLLIN, 0});
  return true;
}

// -- Sending --------------------------------------------------------------------------------------

// Gives messages to the device as long as it and the credits allow: cells in order, then the bodies
// when they are granted.
void VerbsEndpoint::push() {
  bool cells_go = true;
  for (std::size_t i = 0; i < outbox_.size(); ++i) {
    Sending& own = sending(i);
    if (!own.pushed) cells_go = cells_go && push_cells(outbox_[i], own);
    if (own.first_granted < own.granted.size() && !push_bodies(own)) return;
  }
}

bool VerbsEndpoint::push_cells(Outgoing& message, Sending& own) {
  const bool lists = message.method == Method::kIovec;
  while (!message.gather.done() || (lists && !own.bodies.done())) {
    if (!cells_.can_send(CellKind::kMessage)) return false;
    const Bytes cell = cells_.payload();
    const std::size_t flat_bytes = message.gather.copy_to(cell);
    std::array<VerbsPiece, 32> room;
    std::span<const VerbsPiece> behind;
    if (lists && message.gather.done()) {
      behind =
          own.bodies.take(std::span(room).first(std::min(room.size() - 1, cells_.pieces_max())),
                          cell.size() - flat_bytes);
    }
    const bool last = message.gather.done() && own.bodies.done();
    own.last = cells_.send(CellKind::kMessage, flat_bytes, behind, last && !own.taken);
  }
  own.pushed = true;
  own.asked = message.method == Method::kRendezvous;
  return true;
}

// Writes what is granted, then reports that; false if the device cannot take all of it now.
bool VerbsEndpoint::push_bodies(Sending& own) {
  std::array<VerbsPiece, 32> room;
  const std::size_t pieces_max = std::min(room.size(), connection_.pieces_max());
  while (own.first_granted < own.granted.size()) {
    VerbsTarget& target = own.granted[own.first_granted];
    while (target.size_bytes > 0) {
      if (connection_.room() == 0) return false;
      const auto pieces =
          own.bodies.take(std::span(room).first(pieces_max),
                          std::min<std::size_t>(target.size_bytes, connection_.work_bytes_max()));
      connection_.write(pieces, {target.address, target.key}, false);
      for (const VerbsPiece& piece : pieces) {
        target.address += piece.size_bytes;
        target.size_bytes -= piece.size_bytes;
      }
    }
    if (own.first_granted + 1 == own.granted.size()) {
      if (!cells_.can_send(CellKind::kWritten)) return false;
      own.last = cells_.send(CellKind::kWritten, 0, {}, true);
      own.moved = own.bodies.done();
    }
    ++own.first_granted;
  }
  return true;
}

// Data copied into cells counts as sent when the device has all of it: it arrives, or the rail is
// lost.
bool VerbsEndpoint::is_sent(const Outgoing& message, const Sending& own) const {
  if (!own.pushed) return false;
  if (own.taken) return true;
  if (message.method == Method::kRendezvous && !own.moved) return false;
  return message.frame.body_bytes == 0 || connection_.done(own.last);
}

unsigned VerbsEndpoint::count_sent() {
  unsigned sent = std::exchange(sent_at_once_, 0);
  for (; outbox_.size() > 0 && is_sent(outbox_[0], sending(0)); ++sent) {
    sending(0).bodies.clear();
    outbox_.pop();
  }
  return sent;
}

// -- Control --------------------------------------------------------------------------------------

void VerbsEndpoint::control(CellKind kind, ConstBytes payload) {
  switch (kind) {
    case CellKind::kGrant:
      return granted(payload);
    case CellKind::kRead:
      return read_by_peer();
    case CellKind::kBye:
      peer_closed_ = true;
      return;
    case CellKind::kWritten:
      return written();
    case CellKind::kCredits:
    case CellKind::kMessage:
      return;
  }
}

// For the first rendezvous that waits for a grant; those before it are being written.
void VerbsEndpoint::granted(ConstBytes payload) {
  for (std::size_t i = 0; i < outbox_.size(); ++i) {
    Sending& own = sending(i);
    if (!own.asked || own.offered || own.moved) continue;
    if (own.first_granted < own.granted.size()) continue;
    if (payload.empty() || payload.size() % sizeof(VerbsTarget) != 0) break;
    own.granted.resize(payload.size() / sizeof(VerbsTarget));
    std::memcpy(own.granted.data(), payload.data(), payload.size());
    own.first_granted = 0;
    std::uint64_t total_bytes = 0;
    for (const VerbsTarget& target : own.granted) total_bytes += target.size_bytes;
    if (total_bytes == 0 || total_bytes > own.bodies.left_bytes()) break;
    return;
  }
  throw Error(Fault::kPeer, rail_ + ": the peer granted memory that was not requested");
}

void VerbsEndpoint::read_by_peer() {
  for (std::size_t i = 0; i < outbox_.size(); ++i) {
    Sending& own = sending(i);
    if (!own.asked || !own.offered || own.moved) continue;
    own.moved = true;
    own.last = 0;
    return;
  }
  throw Error(Fault::kPeer, rail_ + ": the peer read memory that was not offered");
}

// -- The other end --------------------------------------------------------------------------------

void VerbsEndpoint::check_peer() {
  connection_.check_events();
  if (peer_closed_) {
    if (cells_.ready() || cell_open_) return;  // messages sent before the close
    throw Error(Fault::kPeer, rail_ + ": the peer closed the connection");
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - heard_ < kSilence) return;
  heard_ = now;
  look_for_peer();
}

// Posts an empty write: it needs no memory at the other end, only that the other end lives.
void VerbsEndpoint::look_for_peer() {
  if (!connected_ || connection_.room() == 0 || !connection_.done(looked_)) return;
  looked_ = connection_.write({}, {}, true);
}

// Messages counted as sent must arrive, but a destroyed connection sends nothing more. So this
// waits until the bye, which comes last, is acknowledged.
void VerbsEndpoint::say_bye() {
  try {
    cells_.poll(*this);
    if (peer_closed_ || !cells_.can_send(CellKind::kBye)) return;
    const std::uint64_t bye = cells_.send(CellKind::kBye, 0, {}, true);
    for (const Deadline deadline(kByeTimeout); !connection_.done(bye) && !deadline.passed();) {
      cells_.poll(*this);
    }
  } catch (const Error&) {  // the other end is gone, and with it its messages
  }
}

}  // namespace nmt::drivers
