// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/memory_link.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace nmt::engine {

MemoryEndpoint::~MemoryEndpoint() {
  std::erase_if(wire_->ways_[side_], [](const auto& message) { return !message->copied; });
  wire_->closed_[side_] = true;
}

void MemoryEndpoint::fail_by_chance(unsigned one_in) {
  if (wire_->cut_ && wire_->chance(one_in)) throw Error(Fault::kPeer, "memory: cut");
}

void MemoryEndpoint::send(Method, std::span<const drivers::Packet> packets) {
  NMT_CHECK(unsent_.size() < drivers::kSendsInFlightMax);
  fail_by_chance(4);
  auto message = std::make_shared<MemoryWire::Message>();
  for (const drivers::Packet& packet : packets) {
    message->headers.insert(message->headers.end(), packet.header.begin(), packet.header.end());
    message->bodies.push_back(packet.body);
    message->size_bytes += packet.body.size();
  }
  unsent_.push_back(message);
  wire_->ways_[side_].push_back(std::move(message));
}

void MemoryEndpoint::receive(drivers::Bytes, drivers::Bytes, drivers::Delivery) {
  NMT_CHECK(false);
}

void MemoryEndpoint::listen(drivers::Bytes headers) {
  NMT_CHECK(stage_ == Stage::kNone);
  stage_ = Stage::kListening;
  headers_ = headers;
}

void MemoryEndpoint::accept(std::span<const drivers::Bytes> bodies) {
  NMT_CHECK(stage_ == Stage::kAnnounced);
  std::size_t size_bytes = 0;
  for (const drivers::Bytes place : bodies) size_bytes += place.size();
  if (!wire_->ways_[1 - side_].empty()) {
    NMT_CHECK(size_bytes == wire_->ways_[1 - side_].front()->size_bytes);
  }
  stage_ = Stage::kAccepted;
  places_.assign(bodies.begin(), bodies.end());
}

drivers::Endpoint::Progress MemoryEndpoint::poll() {
  Progress progress;
  fail_by_chance(8);
  while (!unsent_.empty() && wire_->chance(2)) {
    MemoryWire::Message& message = *unsent_.front();
    if (!message.copied) {
      for (const drivers::ConstBytes body : message.bodies) {
        message.copy.insert(message.copy.end(), body.begin(), body.end());
      }
      message.copied = true;
    }
    unsent_.pop_front();
    ++progress.sent;
  }
  std::deque<std::shared_ptr<MemoryWire::Message>>& way = wire_->ways_[1 - side_];
  if (!way.empty() && wire_->chance(2)) {
    take(progress);
  } else if (way.empty() && wire_->closed_[1 - side_]) {
    throw Error(Fault::kPeer, "memory: the other end has closed");
  }
  return progress;
}

void MemoryEndpoint::take(Progress& progress) {
  MemoryWire::Message& message = *wire_->ways_[1 - side_].front();
  if (stage_ == Stage::kListening) {
    NMT_CHECK(message.headers.size() <= headers_.size());
    std::ranges::copy(message.headers, headers_.begin());
    progress.announced = true;
    progress.header_bytes = message.headers.size();
    progress.body_bytes = message.size_bytes;
    stage_ = Stage::kAnnounced;
  } else if (stage_ == Stage::kAccepted) {
    std::vector<std::byte> all = message.copy;
    if (!message.copied) {
      for (const drivers::ConstBytes body : message.bodies)
        all.insert(all.end(), body.begin(), body.end());
      message.copied = true;
      message.copy.clear();
    }
    const std::byte* from = all.data();
    for (const drivers::Bytes place : places_) {
      if (!place.empty()) std::memcpy(place.data(), from, place.size());
      from += place.size();
    }
    wire_->ways_[1 - side_].pop_front();
    progress.received = true;
    progress.received_bytes = all.size();
    stage_ = Stage::kNone;
  }
}

void MemoryEndpoint::copy(drivers::Bytes to, drivers::ConstBytes from) {
  if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
}

}  // namespace nmt::engine
