// SPDX-License-Identifier: BSD-3-Clause
//
// Links in memory that behave as badly as drivers may: everything takes its time, by chance; what
// was counted as sent can be lost; the two ends notice at different moments that the link is cut.
#pragma once

#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "drivers/driver.h"

namespace nmt::engine {

// What both ends share. Keep it as long as the link may be cut.
class MemoryWire {
 public:
  explicit MemoryWire(std::uint64_t seed) : random_(seed) {}

  // Each end throws at some later moment; what is on its way may still come, or not.
  void cut() { cut_ = true; }

 private:
  friend class MemoryEndpoint;
  struct Message {
    std::vector<std::byte> headers;
    std::vector<drivers::ConstBytes> bodies;  // the sender's memory,
    std::vector<std::byte> copy;              // until it was copied here
    std::size_t size_bytes = 0;
    bool copied = false;
  };
  bool chance(unsigned one_in) { return random_() % one_in == 0; }

  std::mt19937_64 random_;
  bool cut_ = false;
  std::deque<std::shared_ptr<Message>> ways_[2];
  bool closed_[2] = {false, false};
};

class MemoryEndpoint final : public drivers::Endpoint {
 public:
  MemoryEndpoint(std::shared_ptr<MemoryWire> wire, int side)
      : wire_(std::move(wire)), side_(side) {}
  ~MemoryEndpoint() override;

  void send(Method method, std::span<const drivers::Packet> packets) override;
  void receive(drivers::Bytes headers, drivers::Bytes bodies, drivers::Delivery delivery) override;
  void listen(drivers::Bytes headers) override;
  void accept(std::span<const drivers::Bytes> bodies) override;
  std::size_t receives_max() const override { return kReceivesMax; }
  Progress poll() override;
  void copy(drivers::Bytes to, drivers::ConstBytes from) override;
  std::size_t size_bytes_max(Method) const override { return std::size_t{1} << 30; }

 private:
  static constexpr std::size_t kReceivesMax = 3;
  struct Receive {
    enum class Stage { kListening, kAnnounced, kAccepted };
    Stage stage = Stage::kListening;
    drivers::Bytes headers;
    std::vector<drivers::Bytes> places;
  };
  using Messages = std::deque<std::shared_ptr<MemoryWire::Message>>;

  void fail_by_chance(unsigned one_in);
  void announce(Messages& way, Progress& progress);
  void deliver(Messages& way, Progress& progress);

  std::shared_ptr<MemoryWire> wire_;
  int side_;
  std::deque<std::shared_ptr<MemoryWire::Message>> unsent_;
  std::deque<Receive> receives_;  // the n-th is for the n-th message on the way
};

}  // namespace nmt::engine
