// SPDX-License-Identifier: BSD-3-Clause
//
// The engine over links in memory: any interleaving, any loss.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/error.h"
#include "tests/engine/couple.h"
#include "tests/engine/stepped_endpoint.h"
#include "tests/engine/traffic.h"
#include "tests/runtime/planted.h"

namespace nmt::engine {
namespace {

class EveryStrategy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, BringsEveryMessageOnceWhateverTheInterleaving) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Couple couple(seed % 4 == 0 ? 4 : seed % 4, seed, {.strategy = GetParam()});
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.seed = seed, .messages = 500}), "")
        << "seed " << seed;
    EXPECT_TRUE(couple.reports.empty());
  }
}

TEST_P(EveryStrategy, LosesAndDoublesNothingWithItsRails) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Couple couple(4, seed, {.strategy = GetParam()});
    const auto cut = [&](double share) {
      if (share > 0.2) couple.wires[seed % 4]->cut();
      if (share > 0.5) couple.wires[(seed + 1) % 4]->cut();
      if (share > 0.51) couple.wires[(seed + 2) % 4]->cut();
    };
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.seed = seed, .messages = 300}, cut), "")
        << "seed " << seed;
    std::size_t alive = 0;
    for (const LinkState& link : couple.a->links(0)) alive += link.alive;
    EXPECT_EQ(alive, 1u);
    EXPECT_EQ(couple.reports.size(), 6u);  // three by each end
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy,
                         testing::Values("single:memory:0", "greedy", "aggregate", "iso", "strip",
                                         "adaptive"),
                         [](const auto& tested) { return tested.param.substr(0, 6); });

// 100000 messages, in couples that lose three of their four rails each at some moment.
TEST(Engine, AHundredThousandMessagesComeOnceThoughRailsAreLostAllTheTime) {
  constexpr std::size_t kCouples = 25;
  constexpr std::size_t kMessages = 100000 / 2 / kCouples;  // in each direction
  std::mt19937_64 random(1);
  for (std::uint64_t seed = 1; seed <= kCouples; ++seed) {
    Couple couple(4, seed);
    double moments[] = {0, 0, 0};
    for (double& moment : moments) moment = static_cast<double>(random() % 1000) / 1000;
    const auto cut = [&](double share) {
      for (std::size_t i = 0; i < 3; ++i) {
        if (share > moments[i]) couple.wires[(seed + i) % 4]->cut();
      }
    };
    const TrafficOptions options{
        .seed = seed, .messages = kMessages, .size_bytes_max = 100000, .tags = 1000};
    ASSERT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, options, cut), "") << "seed " << seed;
  }
}

// What says that a send waits for memory may be lost with the rail that carried it.
TEST(Engine, NoSendWaitsForEverThoughRailsAreLostWhileMemoryIsShort) {
  std::mt19937_64 random(1);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Couple couple(4, seed, {.eager_bytes_max = 1000, .unexpected_bytes_max = 6000});
    double moments[] = {0, 0, 0};
    for (double& moment : moments) moment = static_cast<double>(random() % 1000) / 1000;
    const auto cut = [&](double share) {
      for (std::size_t i = 0; i < 3; ++i) {
        if (share > moments[i]) couple.wires[(seed + i) % 4]->cut();
      }
    };
    const TrafficOptions options{.seed = seed, .messages = 200, .size_bytes_max = 3000, .tags = 8};
    ASSERT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, options, cut), "") << "seed " << seed;
  }
}

// With a profile, messages that ask begin before they are granted.
class Ahead : public testing::Test {
 protected:
  static std::vector<RailPlan> rails() {
    std::vector<RailPlan> all;
    for (int i = 0; i < 4; ++i) {
      const double end_ns = 1e6 * (1 + i);
      all.push_back(planted::plain_rail("memory:" + std::to_string(i), {{1, 5e3}, {1e6, end_ns}}));
    }
    return all;
  }

  // Time, so that rails are free at times.
  static void pass(Couple& couple) { couple.clock->advance_to(couple.clock->now_ns() + 20000); }

  planted::Profile profile_{planted::plan(rails())};
};

TEST_F(Ahead, BringsEveryMessageOnceWhateverTheInterleaving) {
  for (const char* strategy : {"single:memory:0", "adaptive"}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Couple couple(1 + seed % 4, seed, {.strategy = strategy, .profile = profile_.get()});
      const auto event = [&](double) { pass(couple); };
      EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.seed = seed, .messages = 500}, event), "")
          << strategy << ", seed " << seed;
      EXPECT_TRUE(couple.reports.empty());
      EXPECT_GT(couple.a->state(0).ahead_sends, 0u);
    }
  }
}

TEST_F(Ahead, LosesAndDoublesNothingWithItsRails) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Couple couple(4, seed, {.profile = profile_.get()});
    const auto cut = [&](double share) {
      pass(couple);
      for (std::size_t i = 0; i < 3; ++i) {
        if (share > 0.1 + 0.3 * static_cast<double>(i)) couple.wires[(seed + i) % 4]->cut();
      }
    };
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.seed = seed, .messages = 300}, cut), "")
        << "seed " << seed;
    EXPECT_GT(couple.a->state(0).ahead_sends, 0u);
  }
}

TEST_F(Ahead, LittleRoomForTheUnexpectedSlowsDownButBringsEverything) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Couple couple(
        2, seed,
        {.profile = profile_.get(), .eager_bytes_max = 1000, .unexpected_bytes_max = 5000});
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.seed = seed, .messages = 400}), "");
  }
}

TEST_F(Ahead, WaitsForTheGrantWithAllButWhatRailsCarryMeanwhile) {
  Couple couple(2, 1, {.profile = profile_.get()});
  std::vector<std::byte> memory(1 << 20);
  const drivers::ConstBytes message[] = {memory};
  couple.a->isend(0, 1, message);
  for (int i = 0; i < 1000; ++i) couple.a->progress(), couple.b->progress();
  EXPECT_EQ(couple.a->state(0).ahead_sends, 1u);
  std::uint64_t sent_bytes = 0;
  for (const LinkState& link : couple.a->links(0)) sent_bytes += link.bytes_sent;
  EXPECT_GT(sent_bytes, 1000u);
  EXPECT_LE(sent_bytes, EngineOptions{}.eager_bytes_max);
}

// Only its bytes occupy the rail, and not for how long its arrival takes.
TEST_F(Ahead, AlsoBehindASmallMessageOnARailThatIsSlowerThanItsProfile) {
  const std::vector<Point> curve = {{1, 5e3}, {1e6, 1e6}};
  const planted::Profile profile(
      planted::plan({planted::rail("memory:0",
                                   {planted::curve(benchmark::kTransfer, "copy", curve),
                                    planted::curve(benchmark::kTransfer, "rendezvous", curve)},
                                   {planted::threshold(DecisionKind::kRendezvous, {32768})})}));
  Couple couple(1, 1, {.strategy = "single:memory:0", .profile = profile.get()});
  std::vector<std::byte> memory(1 << 20), room(8);
  const drivers::ConstBytes small[] = {drivers::ConstBytes(memory).first(8)}, large[] = {memory};
  const drivers::Bytes place[] = {room};
  for (int i = 0; i < 10; ++i) {  // each takes 8 times as long as the profile says
    Engine& from = i % 2 == 0 ? *couple.a : *couple.b;
    Engine& to = i % 2 == 0 ? *couple.b : *couple.a;
    const Engine::Request receive = to.irecv(0, 1, place), sent = from.isend(0, 1, small);
    from.progress();
    couple.clock->advance_to(couple.clock->now_ns() + 40000);
    for (int turn = 0; turn < 100; ++turn) from.progress(), to.progress();
    ASSERT_TRUE(to.test(receive) && from.test(sent));
  }
  couple.a->isend(0, 2, small);
  for (int turn = 0; turn < 100; ++turn) couple.a->progress();
  couple.clock->advance_to(couple.clock->now_ns() + 1000);
  couple.a->isend(0, 3, large);
  for (int turn = 0; turn < 100; ++turn) couple.a->progress();
  EXPECT_EQ(couple.a->state(0).ahead_sends, 1u);
}

TEST(Engine, LittleRoomForTheUnexpectedSlowsDownButBringsEverything) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Couple couple(2, seed, {.eager_bytes_max = 1000, .unexpected_bytes_max = 5000});
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.seed = seed, .messages = 400}), "");
  }
}

TEST(Engine, AllOperationsEndAsLostWithTheLastRail) {
  Couple couple(2, 7);
  std::vector<std::byte> memory(1 << 20);
  const drivers::ConstBytes to_send[] = {memory};
  std::vector<std::byte> other(1 << 20);
  const drivers::Bytes room[] = {other};
  std::vector<Engine::Request> requests;
  for (std::uint64_t tag = 0; tag < 20; ++tag) {
    requests.push_back(couple.a->isend(0, tag, to_send));
    requests.push_back(couple.a->irecv(0, tag, room));
  }
  couple.wires[0]->cut();
  couple.wires[1]->cut();
  for (const Engine::Request request : requests) {
    const std::optional<Completion> completion = couple.a->wait(request, std::chrono::seconds(5));
    ASSERT_TRUE(completion);
    EXPECT_EQ(completion->outcome, Outcome::kLost);
  }
  const Engine::Request late = couple.a->isend(0, 1, to_send);
  EXPECT_EQ(couple.a->wait(late, std::chrono::seconds(5))->outcome, Outcome::kLost);
  EXPECT_FALSE(couple.a->flush(std::chrono::seconds(5)));
  EXPECT_EQ(couple.reports.size(), 2u);
}

TEST(Engine, WhatCameWholeCanBeReceivedAfterThePeerIsLost) {
  Couple couple(1, 3);
  std::vector<std::byte> memory(5000);
  fill(memory, 5);
  const drivers::ConstBytes to_send[] = {memory};
  const Engine::Request send = couple.a->isend(0, 9, to_send);
  ASSERT_TRUE(turn_until(*couple.a, *couple.b, [&] { return couple.a->flush({}); }));
  EXPECT_TRUE(couple.a->test(send).has_value());
  couple.a.reset();
  while (couple.b->links(0)[0].alive) couple.b->progress();
  std::vector<std::byte> room(5000);
  const drivers::Bytes place[] = {room};
  const std::optional<Completion> completion =
      couple.b->wait(couple.b->irecv(0, 9, place), std::chrono::seconds(5));
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->outcome, Outcome::kDone);
  EXPECT_TRUE(holds(room, 5));
}

// A gate over one rail whose other end the test plays by itself.
class Stepped : public testing::TestWithParam<std::size_t> {
 protected:
  Stepped() {
    auto end = std::make_unique<SteppedEndpoint>(GetParam());
    rail_ = end.get();
    std::vector<LinkDescription> links;
    links.push_back({std::move(end), "memory:s", {Method::kCopy}});
    gate_ = engine().add_gate("stepped", std::move(links));
  }
  Engine& engine() { return *couple_.a; }
  void progress() {
    for (int i = 0; i < 10; ++i) engine().progress();
  }

  Couple couple_{1, 1, {.strategy = "greedy"}};
  SteppedEndpoint* rail_ = nullptr;
  std::size_t gate_ = 0;
};

TEST_P(Stepped, AllReceivesThatTheRailTakesArePosted) {
  const std::size_t window = GetParam();
  EXPECT_EQ(rail_->listened(), window);
  for (std::uint64_t sequence = 0; sequence < window; ++sequence) {
    rail_->announce({.kind = Kind::kEager,
                     .body_bytes = 100,
                     .sequence = sequence,
                     .tag = sequence,
                     .total_bytes = 100});
    progress();
    EXPECT_EQ(rail_->accepted(), sequence + 1);
  }
  for (std::uint64_t tag = 0; tag < window; ++tag) {
    rail_->finish();
    std::vector<std::byte> room(100);
    const drivers::Bytes place[] = {room};
    const Engine::Request request = engine().irecv(gate_, tag, place);
    progress();
    EXPECT_EQ(rail_->listened(), window + tag + 1);
    ASSERT_TRUE(engine().test(request)) << tag;
    EXPECT_EQ(room, std::vector<std::byte>(100, std::byte{0x2a})) << tag;
  }
}

// Large messages follow each other as far as the rail takes them, but no small one waits for all.
TEST_P(Stepped, LargeMessagesGoTogetherButLetSmallOnesPass) {
  const std::size_t window = GetParam();
  const std::vector<std::byte> memory(100000);
  const drivers::ConstBytes large[] = {memory}, small[] = {drivers::ConstBytes(memory).first(8)};
  for (std::size_t i = 0; i < window + 2; ++i) engine().isend(gate_, 1, large);
  progress();
  rail_->hold();
  for (std::uint64_t sequence = 0; sequence < window + 2; ++sequence) {
    rail_->announce({.kind = Kind::kGrant, .sequence = sequence, .total_bytes = 100000});
    progress();
    rail_->finish();
    progress();
  }
  EXPECT_EQ(rail_->held(), window);
  engine().isend(gate_, 2, small);
  progress();
  for (std::size_t left = window - 1; left > 0; --left) {
    rail_->release(1);
    progress();
    EXPECT_EQ(rail_->held(), left);
  }
}

INSTANTIATE_TEST_SUITE_P(Receives, Stepped, testing::Values(1, 2, 4),
                         [](const auto& tested) { return std::to_string(tested.param); });

TEST(Engine, RefusesEagerMessagesForWhichNoMemoryIsEnough) {
  for (const std::uint64_t eager_bytes : {~std::uint64_t{0}, ~std::uint64_t{0} - 16, 4ul << 20}) {
    EXPECT_THROW(Engine({.eager_bytes_max = eager_bytes}), Error) << eager_bytes;
  }
  EXPECT_THROW(Engine({.unexpected_bytes_max = 16}), Error);
}

TEST(Engine, WaitEndsWithItsPatience) {
  Couple couple(1, 3);
  std::vector<std::byte> memory(10);
  const drivers::Bytes room[] = {memory};
  const Engine::Request request = couple.a->irecv(0, 1, room);
  EXPECT_FALSE(couple.a->wait(request, std::chrono::milliseconds(10)).has_value());
}

}  // namespace
}  // namespace nmt::engine
