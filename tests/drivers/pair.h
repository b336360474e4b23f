// SPDX-License-Identifier: BSD-3-Clause
//
// Both ends of a rail for tests, and messages whose content tells where it came from.
//
// The contract test needs nothing of a driver but two endpoints and polling both: whatever rail,
// they live in one process here, opened by two threads where the driver's sides wait for each
// other. Tests that need a second process fork one themselves (peer_test.cpp).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "drivers/drivers.h"

namespace nmt::drivers {

// A rail by its full name: "shm", "tcp:lo", "fake:contract".
struct RailUnderTest {
  std::unique_ptr<Driver> driver;
  Rail rail;
  std::string missing;  // why there is none, for GTEST_SKIP
};
RailUnderTest find_rail(const std::string& full_name);

struct Pair {
  RailUnderTest under_test;
  std::unique_ptr<Endpoint> near;
  std::unique_ptr<Endpoint> far;

  std::vector<Method> methods() const { return under_test.driver->methods(under_test.rail); }
  void use(std::string_view variant);  // at both ends, of the methods that have it
};
// Missing: endpoints stay null. "RAIL VARIANT": with this variant of the methods that have it.
Pair open_pair(const std::string& rail);

// What both ends of an exchange hold within one process.
class ExchangePair {
 public:
  ExchangePair();
  ~ExchangePair();
  Exchange& near();
  Exchange& far();

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

// An exchange in which the other end says `theirs`, whatever it hears.
class Saying final : public Exchange {
 public:
  explicit Saying(std::string theirs) : theirs_(std::move(theirs)) {}
  std::string swap(std::string_view) override { return theirs_; }

 private:
  std::string theirs_;
};

// Polls with `step` until it says true; false after five seconds. Gives way to other processes.
bool eventually(const std::function<bool()>& step);

struct TestPacket {
  std::vector<std::byte> header;
  std::vector<std::byte> body;
};

// One message with content drawn from `seed`.
class TestMessage {
 public:
  TestMessage(std::uint64_t seed, std::vector<std::size_t> header_bytes,
              std::vector<std::size_t> body_bytes);
  TestMessage(std::uint64_t seed, std::size_t body_bytes) : TestMessage(seed, {64}, {body_bytes}) {}

  std::vector<Packet> packets() const;
  std::vector<std::byte> headers() const;  // one after the other
  std::vector<std::byte> bodies() const;
  std::vector<TestPacket>& content() { return content_; }

 private:
  std::vector<TestPacket> content_;
};

// A posted receive and what came of it.
class TestReceive {
 public:
  TestReceive(std::size_t header_bytes, std::size_t body_bytes);
  explicit TestReceive(const TestMessage& expected);

  void post(Endpoint& endpoint, Delivery delivery = Delivery::kExpected);
  void take(const Endpoint::Progress& progress);
  bool done() const { return done_; }

  // Whether exactly this message came, and nothing around the buffers was touched.
  bool holds(const TestMessage& expected) const;

 private:
  static constexpr std::size_t kMarginBytes = 64;
  static constexpr std::byte kUntouched{0xa5};

  std::size_t header_bytes_;
  std::size_t body_bytes_;
  std::vector<std::byte> headers_;  // with margins on both sides
  std::vector<std::byte> bodies_;
  std::size_t received_bytes_ = 0;
  bool done_ = false;
};

}  // namespace nmt::drivers
