// SPDX-License-Identifier: BSD-3-Clause
//
// What small messages allocate once others have gone before them: nothing. The rails between the
// engines allocate nothing either.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "engine/engine.h"
#include "engine/wire.h"
#include "tests/runtime/malloc_hooks.h"
#include "tests/runtime/planted.h"

namespace nmt::engine {
namespace {

constexpr std::size_t kSizeBytesMax = 16384;

// Messages on their way in one direction.
struct QuietWay {
  struct Message {
    std::array<std::byte, kHeadersBytesMax> headers;
    std::array<std::byte, kSizeBytesMax> bodies;
    std::size_t header_bytes = 0;
    std::size_t body_bytes = 0;
  };
  std::array<Message, 16> ring;
  std::size_t sent = 0, received = 0;

  Message& at(std::size_t number) { return ring[number % ring.size()]; }
  bool has_room() const { return sent - received < ring.size(); }
};

class QuietEndpoint final : public drivers::Endpoint {
 public:
  QuietEndpoint(std::shared_ptr<QuietWay> out, std::shared_ptr<QuietWay> in)
      : out_(std::move(out)), in_(std::move(in)) {}

  void send(Method, std::span<const drivers::Packet> packets) override {
    NMT_CHECK(out_->has_room());
    QuietWay::Message& message = out_->at(out_->sent++);
    message.header_bytes = message.body_bytes = 0;
    for (const drivers::Packet& packet : packets) {
      NMT_CHECK(message.body_bytes + packet.body.size() <= message.bodies.size());
      append(message.headers.data(), message.header_bytes, packet.header);
      append(message.bodies.data(), message.body_bytes, packet.body);
    }
    ++unsent_;
  }
  void receive(drivers::Bytes, drivers::Bytes, drivers::Delivery) override { NMT_CHECK(false); }
  void listen(drivers::Bytes headers) override { headers_ = headers; }
  void accept(std::span<const drivers::Bytes> bodies) override {
    const std::byte* from = in_->at(in_->received).bodies.data();
    for (const drivers::Bytes place : bodies) {
      if (!place.empty()) std::memcpy(place.data(), from, place.size());
      from += place.size();
    }
    accepted_ = true;
  }
  Progress poll() override {
    Progress progress;
    progress.sent = std::exchange(unsent_, 0u);
    if (accepted_) {
      accepted_ = announced_ = false;
      progress.received = true;
      progress.received_bytes = in_->at(in_->received++).body_bytes;
    } else if (!announced_ && in_->received < in_->sent) {
      const QuietWay::Message& message = in_->at(in_->received);
      std::memcpy(headers_.data(), message.headers.data(), message.header_bytes);
      announced_ = progress.announced = true;
      progress.header_bytes = message.header_bytes;
      progress.body_bytes = message.body_bytes;
    }
    return progress;
  }
  void copy(drivers::Bytes, drivers::ConstBytes) override {}
  std::size_t size_bytes_max(Method) const override { return kSizeBytesMax; }

 private:
  static void append(std::byte* to, std::size_t& at, drivers::ConstBytes from) {
    if (!from.empty()) std::memcpy(to + at, from.data(), from.size());
    at += from.size();
  }

  std::shared_ptr<QuietWay> out_, in_;
  drivers::Bytes headers_;
  unsigned unsent_ = 0;
  bool announced_ = false, accepted_ = false;
};

struct QuietCouple {
  VirtualClock clock;
  std::unique_ptr<Engine> a, b;

  QuietCouple(std::size_t links, EngineOptions options) {
    options.clock = &clock;
    a = std::make_unique<Engine>(options);
    b = std::make_unique<Engine>(options);
    std::vector<LinkDescription> sides[2];
    for (std::size_t i = 0; i < links; ++i) {
      const std::string rail = "quiet:" + std::to_string(i);
      const auto there = std::make_shared<QuietWay>(), back = std::make_shared<QuietWay>();
      sides[0].push_back({std::make_unique<QuietEndpoint>(there, back), rail, {Method::kCopy}});
      sides[1].push_back({std::make_unique<QuietEndpoint>(back, there), rail, {Method::kCopy}});
    }
    a->add_gate("b", std::move(sides[0]));
    b->add_gate("a", std::move(sides[1]));
  }
};

// A message there, which a receive waits for or not. False if it does not come.
bool bring(Engine& from, Engine& to, std::span<std::byte> memory, bool expected, bool any_gate) {
  constexpr std::uint64_t kTag = 7;
  const drivers::Bytes place[] = {memory};
  const drivers::ConstBytes message[] = {memory};
  const Match wants{.gate = any_gate ? kAnyGate : 0, .tag = kTag};
  Engine::Request receive = 0;
  if (expected) receive = to.irecv(wants, place);
  const Engine::Request send = from.isend(0, kTag, message);
  bool came = false, gone = false;
  for (int i = 0; i < 100 && !(came && gone); ++i) {
    from.progress(), to.progress();
    if (!expected && i == 10) receive = to.irecv(wants, place);
    if (!came && (expected || i >= 10)) came = to.test(receive).has_value();
    if (!gone) gone = from.test(send).has_value();
  }
  return came && gone;
}

void expect_no_allocations(QuietCouple& couple) {
  std::vector<std::byte> memory(kSizeBytesMax);
  bool all = true;
  const auto exchange = [&](std::size_t i) {
    const std::span<std::byte> some = std::span(memory).first(i % 4 == 0 ? kSizeBytesMax : i % 64);
    all = all && bring(*couple.a, *couple.b, some, i % 3 != 0, i % 5 == 0);
    all = all && bring(*couple.b, *couple.a, some, i % 3 != 1, i % 7 == 0);
  };
  for (std::size_t i = 0; i < 500; ++i) exchange(i);
  const std::uint64_t before = planted::allocations();
  for (std::size_t i = 0; i < 1000; ++i) exchange(i);
  EXPECT_EQ(planted::allocations(), before);
  EXPECT_TRUE(all);
}

TEST(SmallMessages, AllocateNothing) {
  for (const std::size_t links : {1u, 2u}) {
    QuietCouple couple(links, {});
    expect_no_allocations(couple);
  }
}

TEST(SmallMessages, AllocateNothingByAProfile) {
  std::vector<RailPlan> plans;
  for (const char* rail : {"quiet:0", "quiet:1"}) {
    const std::vector<Point> points = {{1, 5e3}, {1e6, 1e6}};
    plans.push_back(planted::rail(rail, {planted::curve(benchmark::kTransfer, "copy", points)}));
  }
  const planted::Profile profile(planted::plan(std::move(plans)));
  QuietCouple couple(2, {.profile = profile.get()});
  expect_no_allocations(couple);
}

}  // namespace
}  // namespace nmt::engine
