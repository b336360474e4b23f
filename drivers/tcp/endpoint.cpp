// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/tcp/endpoint.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace nmt::drivers {
namespace {

// A check of the connections costs less than a poll for a message, so at this period its cost does
// not matter; and a rail that is polled every few milliseconds still notices within a second.
constexpr unsigned kIdlePollsPerPeerCheck = 128;

// Bytes given to the kernel per poll. The kernel copies them, and rails that share a thread should
// start together. This many bytes keep any rail busy until the next poll.
constexpr std::size_t kPushBytesMax = 128 << 10;

// Bytes of a body that must arrive before a sleeping receiver wakes: a fraction of what the kernel
// buffers for a connection, so that the sender never waits for it.
constexpr std::size_t kWakeBytes = 64 << 10;

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

TcpEndpoint::TcpEndpoint(std::string rail, TcpConnections connections)
    : rail_(std::move(rail)), connections_(std::move(connections)), unread_(inbox_.data(), 0) {}

std::size_t TcpEndpoint::size_bytes_max(Method) const { return kBodyBytesMax; }

void TcpEndpoint::copy(Bytes to, ConstBytes from) {
  NMT_CHECK(to.size() == from.size());
  if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
}

void TcpEndpoint::send(Method method, std::span<const Packet> packets) {
  const FrameKind kind = method == Method::kRendezvous ? FrameKind::kRequest : FrameKind::kEager;
  const Frame frame = make_frame(kind, sends_started_++, packets);
  start(outbox_.push(), method, frame, {}, packets);
  push();
}

void TcpEndpoint::receive(Bytes headers, Bytes bodies, Delivery delivery) {
  incoming_.post(headers, bodies, delivery);
}

void TcpEndpoint::listen(Bytes headers) { incoming_.listen(headers); }

void TcpEndpoint::accept(std::span<const Bytes> bodies) {
  incoming_.accept(bodies);
  if (incoming_.frame().kind == FrameKind::kRequest && !incoming_.complete()) acknowledge();
}

Endpoint::Progress TcpEndpoint::poll() {
  Progress progress;
  push();
  progress.sent = std::exchange(sent_, 0);
  if (take()) {
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

bool TcpEndpoint::watch(std::vector<pollfd>& watched) {
  const bool in_body = incoming_.begun() && incoming_.placed();
  wake_at(in_body
              ? static_cast<int>(std::clamp<std::size_t>(incoming_.next().size(), 1, kWakeBytes))
              : 1);
  const bool asks = outbox_.size() > 0 && outbox_[0].gather.done();
  const bool pushes = outbox_.size() > 0 && !asks;
  watched.push_back(
      {connections_.messages.get(), static_cast<short>(pushes ? POLLIN | POLLOUT : POLLIN), 0});
  watched.push_back(
      {connections_.acknowledgements.get(), static_cast<short>(asks ? POLLIN : 0), 0});
  return true;
}

// Sets how many bytes wake the receiver: waking for every packet of a long body would cost more
// than the packet.
void TcpEndpoint::wake_at(int size_bytes) {
  if (size_bytes == std::exchange(wake_bytes_, size_bytes)) return;
  ::setsockopt(connections_.messages.get(), SOL_SOCKET, SO_RCVLOWAT, &size_bytes,
               sizeof size_bytes);
}

// Gives messages to the kernel as long as it takes them.
void TcpEndpoint::push() {
  while (outbox_.size() > 0) {
    Outgoing& message = outbox_[0];
    if (!push_gather(message.gather)) return;
    if (!message.bodies.empty()) {
      if (!acknowledged()) return;
      message.gather.clear();
      for (const ConstBytes body : message.bodies) message.gather.add(body);
      message.bodies.clear();
      continue;
    }
    outbox_.pop();
    ++sent_;
  }
}

// False if the kernel does not take all of it, or if the rest is for the next poll.
bool TcpEndpoint::push_gather(Gather& gather) {
  std::size_t room = kPushBytesMax;
  while (!gather.done()) {
    if (room == 0) return false;
    iovec pieces[kPacketsMax + 1];
    msghdr message{};
    message.msg_iov = pieces;
    std::size_t size_bytes = 0;
    for (const ConstBytes piece : gather.left()) {
      const std::size_t part_bytes = std::min(piece.size(), room - size_bytes);
      pieces[message.msg_iovlen++] = {const_cast<std::byte*>(piece.data()), part_bytes};
      size_bytes += part_bytes;
      if (size_bytes == room) break;
    }
    const int descriptor = connections_.messages.get();
    const ssize_t n = message.msg_iovlen == 1
                          ? ::send(descriptor, pieces[0].iov_base, pieces[0].iov_len, MSG_NOSIGNAL)
                          : ::sendmsg(descriptor, &message, MSG_NOSIGNAL);
    if (n < 0) {
      if (would_block(errno)) return false;
      throw system_error(Fault::kPeer, rail_ + ": send", errno);
    }
    room -= static_cast<std::size_t>(n);
    gather.advance(static_cast<std::size_t>(n));
  }
  return true;
}

// Whether the receiver has asked for the bodies of the first message of the outbox.
bool TcpEndpoint::acknowledged() {
  const Bytes whole = std::as_writable_bytes(std::span(&acknowledgement_, 1));
  acknowledgement_bytes_ +=
      read(connections_.acknowledgements.get(), whole.subspan(acknowledgement_bytes_), 0);
  if (acknowledgement_bytes_ < whole.size()) return false;
  acknowledgement_bytes_ = 0;
  if (acknowledgement_.magic != Frame::kMagic || acknowledgement_.kind != FrameKind::kAcknowledge ||
      acknowledgement_.number != outbox_[0].frame.number) {
    throw Error(Fault::kPeer, rail_ + ": the peer acknowledged a request that was not sent");
  }
  return true;
}

void TcpEndpoint::acknowledge() {
  Frame frame = incoming_.frame();
  frame.kind = FrameKind::kAcknowledge;
  const ssize_t n = ::send(connections_.acknowledgements.get(), &frame, sizeof frame, MSG_NOSIGNAL);
  // One at a time, and 24 bytes each: if the kernel has no space, the peer never reads.
  if (n != sizeof frame) throw system_error(Fault::kPeer, rail_ + ": send(acknowledgement)", errno);
}

// Takes the bytes of the posted receive's message; true when it is complete.
bool TcpEndpoint::take() {
  while (incoming_.posted()) {
    if (!incoming_.begun()) {
      if (unread_.size() < sizeof(Frame) && !fill_inbox()) return false;
      if (unread_.size() < sizeof(Frame)) continue;
      begin_message();
    }
    unread_ = unread_.subspan(incoming_.put(unread_));
    if (incoming_.complete()) return true;
    if (incoming_.waits()) return false;
    const std::size_t n = read(connections_.messages.get(), incoming_.next(), 0);
    if (n == 0) return false;
    incoming_.advance(n);
  }
  return false;
}

// Adds to the unread bytes, which are shorter than a frame; false if nothing has arrived. The poll
// right after a read that took all there was does not ask the kernel again: a caller who has just
// got a message wants to answer it.
bool TcpEndpoint::fill_inbox() {
  if (std::exchange(drained_, false)) return false;
  std::memmove(inbox_.data(), unread_.data(), unread_.size());
  const Bytes room = Bytes(inbox_).subspan(unread_.size());
  const std::size_t n = read(connections_.messages.get(), room, 0);
  unread_ = Bytes(inbox_).first(unread_.size() + n);
  drained_ = n > 0 && n < room.size();
  return n > 0;
}

void TcpEndpoint::begin_message() {
  Frame frame;
  std::memcpy(&frame, unread_.data(), sizeof frame);
  unread_ = unread_.subspan(sizeof frame);
  check_frame(frame, receives_begun_++, rail_);
  incoming_.begin(frame, rail_);
  const bool waits_for_us = frame.kind == FrameKind::kRequest && frame.body_bytes > 0;
  if (waits_for_us && !incoming_.listening()) acknowledge();
}

// Reads what has arrived, perhaps nothing.
std::size_t TcpEndpoint::read(int descriptor, Bytes to, int flags) {
  const ssize_t n = ::recv(descriptor, to.data(), to.size(), flags);
  if (n > 0) return static_cast<std::size_t>(n);
  if (n < 0 && would_block(errno)) return 0;
  if (n == 0) throw Error(Fault::kPeer, rail_ + ": the peer closed the connection");
  throw system_error(Fault::kPeer, rail_ + ": recv", errno);
}

// A cut link shows on the connection of acknowledgements (drivers/tcp/connect.cpp). If the peer
// closed or died, the message connection shows that after the last message.
void TcpEndpoint::check_peer() {
  std::byte byte;
  const ssize_t n = ::recv(connections_.acknowledgements.get(), &byte, 1, MSG_PEEK);
  if (n < 0 && !would_block(errno) && errno != ECONNRESET) {
    throw system_error(Fault::kPeer, rail_ + ": the peer cannot be reached", errno);
  }
  if (!incoming_.posted() && unread_.empty()) {
    read(connections_.messages.get(), Bytes(&byte, 1), MSG_PEEK);
  }
}

}  // namespace nmt::drivers
