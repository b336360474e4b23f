// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/error.h"

namespace nmt::drivers {
namespace {

// memcpy requires valid pointers even for size 0.
void copy_bytes(std::byte* to, ConstBytes from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

}  // namespace

Frame make_frame(FrameKind kind, std::uint32_t number, std::span<const Packet> packets) {
  NMT_CHECK(!packets.empty() && packets.size() <= kPacketsMax);
  Frame frame;
  frame.kind = kind;
  frame.number = number;
  frame.packets = static_cast<std::uint16_t>(packets.size());
  for (const Packet& packet : packets) {
    NMT_CHECK(packet.header.size() <= kHeaderBytesMax);
    frame.header_bytes += static_cast<std::uint32_t>(packet.header.size());
    frame.body_bytes += packet.body.size();
  }
  NMT_CHECK(frame.body_bytes <= kBodyBytesMax);
  return frame;
}

void check_frame(const Frame& frame, std::uint32_t number, std::string_view rail) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Fault::kPeer, fmt::format("{}: unexpected message from the peer: {}; run the same "
                                          "version of nmadtune on both ends",
                                          rail, what));
  };
  if (frame.magic != Frame::kMagic) refuse(fmt::format("magic {:#x}", frame.magic));
  if (frame.kind != FrameKind::kEager && frame.kind != FrameKind::kRequest) {
    refuse(fmt::format("a message of kind {}", static_cast<unsigned>(frame.kind)));
  }
  if (frame.number != number) refuse(fmt::format("message {} as {}", frame.number, number));
  if (frame.packets == 0 || frame.packets > kPacketsMax ||
      frame.header_bytes > frame.packets * kHeaderBytesMax || frame.body_bytes > kBodyBytesMax) {
    refuse(fmt::format("a message of {} packets, {} bytes of headers and {} of bodies",
                       frame.packets, frame.header_bytes, frame.body_bytes));
  }
}

void Gather::advance(std::size_t size_bytes) {
  while (size_bytes > 0) {
    ConstBytes& piece = pieces_[first_];
    if (size_bytes < piece.size()) {
      piece = piece.subspan(size_bytes);
      return;
    }
    size_bytes -= piece.size();
    ++first_;
  }
}

std::size_t Gather::copy_to(Bytes to) {
  std::size_t copied = 0;
  while (!done() && copied < to.size()) {
    const ConstBytes piece = pieces_[first_];
    const ConstBytes part = piece.first(std::min(piece.size(), to.size() - copied));
    std::memcpy(to.data() + copied, part.data(), part.size());
    copied += part.size();
    advance(part.size());
  }
  return copied;
}

Bytes Staging::take(std::size_t size_bytes) {
  if (size_bytes > size_bytes_) {
    memory_ = std::make_unique_for_overwrite<std::byte[]>(size_bytes);
    size_bytes_ = size_bytes;
  }
  return {memory_.get(), size_bytes};
}

void start(Outgoing& message, Method method, const Frame& frame, ConstBytes addition,
           std::span<const Packet> packets) {
  message.method = method;
  message.frame = frame;
  message.gather.clear();
  message.bodies.clear();
  const std::size_t flat_bytes = method == Method::kCopy ? frame.body_bytes : 0;
  const Bytes staging =
      message.staging.take(sizeof frame + addition.size() + frame.header_bytes + flat_bytes);
  std::byte* to = staging.data();
  const auto append = [&to](ConstBytes from) {
    copy_bytes(to, from);
    to += from.size();
  };
  append(std::as_bytes(std::span(&frame, 1)));
  append(addition);
  for (const Packet& packet : packets) append(packet.header);
  if (method == Method::kCopy) {
    for (const Packet& packet : packets) append(packet.body);
  }
  message.gather.add(staging);
  if (method == Method::kCopy) return;
  for (const Packet& packet : packets) {
    if (method == Method::kIovec) message.gather.add(packet.body);
    if (method == Method::kRendezvous && !packet.body.empty())
      message.bodies.push_back(packet.body);
  }
}

Outbox::Outbox() { std::iota(order_.begin(), order_.end(), std::uint8_t{0}); }

Outgoing& Outbox::push() {
  NMT_CHECK(count_ < kSendsInFlightMax);
  return slots_[order_[count_++]];
}

// Moves the first slot behind the others in use, so that it is the first free one.
void Outbox::pop() {
  std::rotate(order_.begin(), order_.begin() + 1, order_.begin() + static_cast<long>(count_));
  --count_;
}

void Incoming::post(Bytes headers, Bytes bodies, Delivery delivery) {
  NMT_CHECK(state_ == State::kNone);
  state_ = State::kPosted;
  listening_ = false;
  headers_ = headers;
  bodies_ = bodies;
  delivery_ = delivery;
}

void Incoming::listen(Bytes headers) {
  post(headers, {}, Delivery::kExpected);
  listening_ = true;
  announced_ = false;
}

void Incoming::announce(Endpoint::Progress& progress) {
  if (!waits() || announced_) return;
  announced_ = true;
  progress.announced = true;
  progress.header_bytes = frame_.header_bytes;
  progress.body_bytes = frame_.body_bytes;
}

void Incoming::accept(std::span<const Bytes> bodies) {
  NMT_CHECK(waits());
  listening_ = false;
  more_.clear();
  next_of_more_ = 0;
  std::size_t total_bytes = 0;
  for (const Bytes piece : bodies) {
    total_bytes += piece.size();
    if (!piece.empty()) more_.push_back(piece);
  }
  NMT_CHECK(total_bytes == frame_.body_bytes);
  advance(0);
}

void Incoming::begin(const Frame& frame, std::string_view rail) {
  const bool fits = listening_ || frame.body_bytes <= bodies_.size();
  if (frame.header_bytes > headers_.size() || !fits) {
    throw Error(Fault::kFailed, fmt::format("{}: the peer sent a message with {} bytes of headers "
                                            "and {} of bodies; the receive has "
                                            "{} and {}",
                                            rail, frame.header_bytes, frame.body_bytes,
                                            headers_.size(), bodies_.size()));
  }
  state_ = State::kBegun;
  frame_ = frame;
  headers_ = headers_.first(frame.header_bytes);
  more_.clear();
  next_of_more_ = 0;
  if (listening_) return;
  destination_ = bodies_.first(frame.body_bytes);
  const bool copies = delivery_ == Delivery::kUnexpected && frame.kind == FrameKind::kEager;
  bodies_ = copies ? unexpected_.take(frame.body_bytes) : destination_;
  source_ = bodies_;
}

void Incoming::advance(std::size_t size_bytes) {
  Bytes& target = headers_.empty() ? bodies_ : headers_;
  target = target.subspan(size_bytes);
  if (bodies_.empty() && next_of_more_ < more_.size()) bodies_ = more_[next_of_more_++];
}

std::size_t Incoming::put(ConstBytes from) {
  std::size_t taken = 0;
  while (taken < from.size() && !next().empty()) {
    const ConstBytes part = from.subspan(taken).first(std::min(next().size(), from.size() - taken));
    copy_bytes(next().data(), part);
    advance(part.size());
    taken += part.size();
  }
  return taken;
}

std::size_t Incoming::finish() {
  state_ = State::kNone;
  if (source_.data() != destination_.data()) copy_bytes(destination_.data(), source_);
  source_ = destination_ = {};
  return frame_.body_bytes;
}

}  // namespace nmt::drivers
