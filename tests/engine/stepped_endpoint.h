// SPDX-License-Identifier: BSD-3-Clause
//
// An end over which one message comes in two steps, each when the test says so.
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
  SteppedEndpoint() { places_.reserve(16); }  // so that accept() takes no memory

  void announce(const Label& label) {
    const Head head;
    std::memcpy(headers_.data(), &head, sizeof head);
    std::memcpy(headers_.data() + sizeof head, &label, sizeof label);
    progress_ = {.announced = true,
                 .header_bytes = sizeof head + sizeof label,
                 .body_bytes = label.body_bytes};
  }
  void finish() {
    for (const drivers::Bytes place : places_) std::ranges::fill(place, std::byte{0x2a});
    progress_ = {.received = true};
  }

  bool accepted() const { return accepted_; }

  void send(Method, std::span<const drivers::Packet>) override { ++progress_.sent; }
  void receive(drivers::Bytes, drivers::Bytes, drivers::Delivery) override {}
  void listen(drivers::Bytes headers) override { headers_ = headers; }
  void accept(std::span<const drivers::Bytes> bodies) override {
    places_.assign(bodies.begin(), bodies.end());
    accepted_ = true;
  }
  Progress poll() override { return std::exchange(progress_, {}); }
  void copy(drivers::Bytes, drivers::ConstBytes) override {}
  std::size_t size_bytes_max(Method) const override { return std::size_t{1} << 30; }

 private:
  drivers::Bytes headers_;
  std::vector<drivers::Bytes> places_;
  bool accepted_ = false;
  Progress progress_;
};

}  // namespace nmt::engine
