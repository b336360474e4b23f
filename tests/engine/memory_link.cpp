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
  NMT_CHECK(receives_.size() < kReceivesMax);
  receives_.push_back({.headers = headers, .places = {}});
}

void MemoryEndpoint::accept(std::span<const drivers::Bytes> bodies) {
  const auto receive = std::ranges::find(receives_, Receive::Stage::kAnnounced, &Receive::stage);
  NMT_CHECK(receive != receives_.end());
  std::size_t size_bytes = 0;
  for (const drivers::Bytes place : bodies) size_bytes += place.size();
  const auto number = static_cast<std::size_t>(receive - receives_.begin());
  const Messages& way = wire_->ways_[1 - side_];
  if (number < way.size()) NMT_CHECK(size_bytes == way[number]->size_bytes);
  receive->places.assign(bodies.begin(), bodies.end());
  receive->stage = Receive::Stage::kAccepted;
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
  Messages& way = wire_->ways_[1 - side_];
  if (way.empty() && wire_->closed_[1 - side_]) {
    throw Error(Fault::kPeer, "memory: the other end has closed");
  }
  if (wire_->chance(2)) deliver(way, progress);
  if (wire_->chance(2)) announce(way, progress);
  return progress;
}

// The first message that was not announced, unless one still waits for its places.
void MemoryEndpoint::announce(Messages& way, Progress& progress) {
  const auto receive = std::ranges::find_if(
      receives_, [](const Receive& each) { return each.stage != Receive::Stage::kAccepted; });
  const auto number = static_cast<std::size_t>(receive - receives_.begin());
  if (receive == receives_.end() || number >= way.size()) return;
  if (receive->stage == Receive::Stage::kAnnounced) return;
  const MemoryWire::Message& message = *way[number];
  NMT_CHECK(message.headers.size() <= receive->headers.size());
  std::ranges::copy(message.headers, receive->headers.begin());
  receive->stage = Receive::Stage::kAnnounced;
  progress.announced = true;
  progress.header_bytes = message.headers.size();
  progress.body_bytes = message.size_bytes;
}

// The first message, once it is accepted.
void MemoryEndpoint::deliver(Messages& way, Progress& progress) {
  if (way.empty() || receives_.empty()) return;
  if (receives_.front().stage != Receive::Stage::kAccepted) return;
  MemoryWire::Message& message = *way.front();
  std::vector<std::byte> all = message.copy;
  if (!message.copied) {
    for (const drivers::ConstBytes body : message.bodies)
      all.insert(all.end(), body.begin(), body.end());
    message.copied = true;
    message.copy.clear();
  }
  const std::byte* from = all.data();
  for (const drivers::Bytes place : receives_.front().places) {
    if (!place.empty()) std::memcpy(place.data(), from, place.size());
    from += place.size();
  }
  way.pop_front();
  receives_.pop_front();
  progress.received = true;
  progress.received_bytes = all.size();
}

void MemoryEndpoint::copy(drivers::Bytes to, drivers::ConstBytes from) {
  if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
}

}  // namespace nmt::engine
