// SPDX-License-Identifier: BSD-3-Clause
//
// A proven peer that misbehaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "core/error.h"
#include "tests/control/stranger.h"

namespace nmt::control {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using SteadyClock = std::chrono::steady_clock;

std::string failure(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kPeer);
    return error.what();
  }
  return "";
}

std::string receive_failure(Connection& connection) {
  return failure([&] { connection.receive(milliseconds(300)); });
}

TEST(Connection, CarriesMessagesInOrder) {
  Pair pair = make_pair();
  pair.stranger.say(framed(7, "one") + framed(8, "") + framed(9, std::string(60000, 'x')));
  EXPECT_EQ(pair.connection.receive(milliseconds(5000)).text, "one");
  EXPECT_EQ(pair.connection.receive(milliseconds(5000)).kind, 8);
  EXPECT_EQ(pair.connection.receive(milliseconds(5000)).text.size(), 60000u);
  EXPECT_FALSE(pair.connection.has_message());
  pair.connection.send(5, "back");
  EXPECT_EQ(pair.stranger.hear(20), framed(5, "back"));
}

TEST(Connection, RefusesAnAnnouncedSizeBeforeItTakesMemory) {
  for (const std::uint64_t length : {std::uint64_t{1} << 60, std::uint64_t{kMessageBytesMax} + 1}) {
    Pair pair = make_pair();
    pair.stranger.say(announcement(1, length));
    EXPECT_THAT(receive_failure(pair.connection), HasSubstr(std::to_string(length)));
  }
}

TEST(Connection, RefusesGarbage) {
  Pair pair = make_pair();
  pair.stranger.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(receive_failure(pair.connection),
              HasSubstr("not a message of nmadtune's control protocol"));
}

TEST(Connection, GivesUpAPeerThatNeverAnswers) {
  Pair pair = make_pair();
  const auto start = SteadyClock::now();
  EXPECT_THAT(receive_failure(pair.connection), HasSubstr("does not answer"));
  EXPECT_LT(SteadyClock::now() - start, milliseconds(2000));
}

TEST(Connection, GivesUpAPeerThatSaysAByteNowAndThen) {
  Pair pair = make_pair();
  const std::string text = framed(1, std::string(1000, 'x'));
  std::jthread drip([&](const std::stop_token& stop) {
    for (std::size_t i = 0; i < text.size() && !stop.stop_requested(); ++i) {
      pair.stranger.say(text.substr(i, 1));
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  const auto start = SteadyClock::now();
  EXPECT_THAT(receive_failure(pair.connection), HasSubstr("does not answer"));
  EXPECT_LT(SteadyClock::now() - start, milliseconds(2000));
}

TEST(Connection, WaitsForEverWhereAskedTo) {
  Pair pair = make_pair();
  const std::jthread late([&] {
    std::this_thread::sleep_for(milliseconds(50));
    pair.stranger.say(framed(7, "one"));
    std::this_thread::sleep_for(milliseconds(50));
    pair.stranger.say(framed(8, "two"));
  });
  EXPECT_TRUE(pair.connection.has_message(milliseconds(std::int64_t{1} << 32)));
  EXPECT_EQ(pair.connection.receive(std::chrono::nanoseconds::max()).text, "one");
  EXPECT_EQ(pair.connection.receive(std::chrono::nanoseconds::max()).text, "two");
}

TEST(Connection, SaysThatAPeerHasGone) {
  std::optional<Pair> pair(make_pair());
  { const Stranger gone = std::move(pair->stranger); }
  EXPECT_TRUE(pair->connection.has_message());
  EXPECT_THAT(receive_failure(pair->connection), HasSubstr("peer closed the connection"));
  Pair half = make_pair();
  half.stranger.say(announcement(1, 100) + "not a hundred");
  { const Stranger gone = std::move(half.stranger); }
  EXPECT_THAT(receive_failure(half.connection), HasSubstr("peer closed the connection"));
}

TEST(Connection, GivesUpAPeerThatTakesNothing) {
  Pair pair = make_pair();
  const std::string text(60000, 'x');
  const auto start = SteadyClock::now();
  EXPECT_THAT(
      failure([&] {
        while (SteadyClock::now() - start < std::chrono::seconds(30)) {
          pair.connection.send(1, text);
        }
      }),
      ::testing::AnyOf(HasSubstr("does not receive"), HasSubstr("peer closed the connection")));
  EXPECT_LT(SteadyClock::now() - start, std::chrono::seconds(15));
}

}  // namespace
}  // namespace nmt::control
