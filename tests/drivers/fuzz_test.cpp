// SPDX-License-Identifier: BSD-3-Clause
//
// Random messages at random moments over every driver, in one thread and in two.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>
#include <thread>

#include "tests/drivers/contract.h"

namespace nmt::drivers {
namespace {

// One end of the fuzz: sends `total` random messages and receives as many, at random moments.
class Fuzzer {
 public:
  Fuzzer(Endpoint& endpoint, const std::vector<Method>& methods, std::uint64_t own_seed,
         std::uint64_t peer_seed, unsigned total)
      : endpoint_(endpoint),
        methods_(methods),
        own_(own_seed),
        peer_(peer_seed),
        moments_(own_seed + peer_seed),
        total_(total) {}

  bool done() const { return received_ == total_ && sent_ == total_; }
  unsigned wrong() const { return wrong_; }

  void step() {
    if (started_ < total_ && started_ - sent_ < kSendsInFlightMax && moments_() % 4 == 0) {
      const Method method = methods_[moments_() % methods_.size()];
      outgoing_.push_back(draw(own_));
      endpoint_.send(method, outgoing_.back().packets());
      ++started_;
    }
    if (posted_ < total_ && expected_.size() < endpoint_.receives_max() && moments_() % 4 == 0) {
      TestMessage message = draw(peer_);
      const std::size_t slack = moments_() % 2 * 100;
      TestReceive receive(message.headers().size() + slack, message.bodies().size() + slack);
      receive.post(endpoint_, moments_() % 2 ? Delivery::kExpected : Delivery::kUnexpected);
      expected_.push_back({std::move(message), std::move(receive)});
      ++posted_;
    }
    const Endpoint::Progress progress = endpoint_.poll();
    sent_ += progress.sent;
    for (unsigned i = 0; i < progress.sent; ++i) outgoing_.pop_front();
    if (!progress.received) return;
    Expected& oldest = expected_.front();
    oldest.receive.take(progress);
    if (!oldest.receive.holds(oldest.message)) ++wrong_;
    expected_.pop_front();
    ++received_;
  }

 private:
  struct Expected {
    TestMessage message;
    TestReceive receive;
  };

  // Sizes log-uniform up to 256 KiB: as many around ten bytes as around ten thousand.
  static TestMessage draw(std::mt19937_64& random) {
    const std::size_t packets = random() % 4 == 0 ? 1 + random() % kPacketsMax : 1;
    std::vector<std::size_t> headers;
    std::vector<std::size_t> bodies;
    for (std::size_t i = 0; i < packets; ++i) {
      const double exponent = static_cast<double>(random() % 1000) / 1000 * (packets > 1 ? 12 : 18);
      headers.push_back(random() % (kHeaderBytesMax + 1));
      bodies.push_back(random() % 8 == 0 ? 0 : static_cast<std::size_t>(std::exp2(exponent)));
    }
    return TestMessage(random(), headers, bodies);
  }

  Endpoint& endpoint_;
  std::vector<Method> methods_;
  std::mt19937_64 own_;   // what this end sends
  std::mt19937_64 peer_;  // the same stream as the other end's own
  std::mt19937_64 moments_;
  unsigned total_;
  std::deque<TestMessage> outgoing_;
  std::deque<Expected> expected_;  // the posted receives
  unsigned started_ = 0;
  unsigned posted_ = 0;
  unsigned sent_ = 0;
  unsigned received_ = 0;
  unsigned wrong_ = 0;
};

using Fuzz = Contract;

TEST_P(Fuzz, TwoThousandRandomMessagesArriveWhole) {
  constexpr unsigned kMessages = 1000;  // in each direction
  Fuzzer near_end(near(), methods_, 11, 22, kMessages);
  Fuzzer far_end(far(), methods_, 22, 11, kMessages);
  std::mt19937_64 turns(33);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (!near_end.done() || !far_end.done()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    (turns() % 2 ? near_end : far_end).step();
  }
  EXPECT_EQ(near_end.wrong(), 0u);
  EXPECT_EQ(far_end.wrong(), 0u);
}

TEST_P(Fuzz, EachEndMayLiveInAThreadOfItsOwn) {
  if (pair_.under_test.driver->virtual_clock() != nullptr) GTEST_SKIP() << "one thread, one time";
  Fuzzer near_end(near(), methods_, 44, 55, 300);
  Fuzzer far_end(far(), methods_, 55, 44, 300);
  const auto run = [](Fuzzer& fuzzer) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!fuzzer.done() && std::chrono::steady_clock::now() < end) {
      fuzzer.step();
      std::this_thread::yield();
    }
  };
  std::thread other([&] { run(far_end); });
  run(near_end);
  other.join();
  EXPECT_TRUE(near_end.done() && far_end.done());
  EXPECT_EQ(near_end.wrong() + far_end.wrong(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Rails, Fuzz, testing::ValuesIn(kRailsUnderTest), name_of_rail);

}  // namespace
}  // namespace nmt::drivers
