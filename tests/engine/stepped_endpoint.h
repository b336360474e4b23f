// SPDX-License-Identifier: BSD-3-Clause
//
// An end over which messages come in two steps each, when the test says so, and whose sends end at
// once, or when the test says so.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "drivers/driver.h"
#include "engine/wire.h"

namespace nmt::engine {

class SteppedEndpoint final : public drivers::Endpoint {
 public:
  explicit SteppedEndpoint(std::size_t receives_max = 1) : receives_(receives_max) {
    for (Receive& each : receives_) each.places.reserve(16);  // so that accept() takes no memory
  }

  template <class... Labels>
  void announce(const Label& first, const Labels&... others) {
    const Head head;
    const Label labels[] = {first, others...};
    Receive& receive = receives_[announced_++ % receives_.size()];
    std::memcpy(receive.headers.data(), &head, sizeof head);
    std::memcpy(receive.headers.data() + sizeof head, labels, sizeof labels);
    progress_ = {.announced = true, .header_bytes = sizeof head + sizeof labels};
    for (const Label& label : labels) progress_.body_bytes += label.body_bytes;
  }
  void finish() {  // the oldest
    Receive& receive = receives_[finished_++ % receives_.size()];
    for (const drivers::Bytes place : receive.places) std::ranges::fill(place, std::byte{0x2a});
    progress_ = {.received = true};
  }

  std::size_t listened() const { return listened_; }
  std::size_t accepted() const { return accepted_; }

  // Sends from now on stay under way until the test releases them.
  void hold() { holds_ = true; }
  unsigned held() const { return held_; }
  void release(unsigned count) {
    held_ -= count;
    progress_.sent += count;
  }

  void send(Method, std::span<const drivers::Packet>) override {
    ++(holds_ ? held_ : progress_.sent);
  }
  void receive(drivers::Bytes, drivers::Bytes, drivers::Delivery) override {}
  void listen(drivers::Bytes headers) override {
    receives_[listened_++ % receives_.size()].headers = headers;
  }
  void accept(std::span<const drivers::Bytes> bodies) override {
    receives_[accepted_++ % receives_.size()].places.assign(bodies.begin(), bodies.end());
  }
  std::size_t receives_max() const override { return receives_.size(); }
  Progress poll() override { return std::exchange(progress_, {}); }
  void copy(drivers::Bytes, drivers::ConstBytes) override {}
  std::size_t size_bytes_max(Method) const override { return std::size_t{1} << 30; }

 private:
  struct Receive {
    drivers::Bytes headers;
    std::vector<drivers::Bytes> places;
  };
  std::vector<Receive> receives_;
  std::size_t listened_ = 0, announced_ = 0, accepted_ = 0, finished_ = 0;
  bool holds_ = false;
  unsigned held_ = 0;
  Progress progress_;
};

}  // namespace nmt::engine
