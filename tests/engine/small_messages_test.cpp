// SPDX-License-Identifier: BSD-3-Clause
//
// What a small message costs beside its bytes: driver messages, and calls into the kernel.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <functional>

#include "tests/engine/couple.h"
#include "tests/engine/real_couple.h"
#include "tests/engine/traffic.h"
#include "tests/runtime/planted.h"

namespace {

// Calls of this program that moved bytes, by whichever thread.
struct Calls {
  std::atomic<int> sent = 0;
  std::atomic<int> received = 0;
} calls;

}  // namespace

// In front of those of the C library, for the whole program.
extern "C" {

ssize_t send(int descriptor, const void* bytes, std::size_t size_bytes, int flags) {
  ++calls.sent;
  return ::syscall(SYS_sendto, descriptor, bytes, size_bytes, flags, nullptr, 0);
}

ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  ++calls.sent;
  return ::syscall(SYS_sendmsg, descriptor, message, flags);
}

ssize_t recv(int descriptor, void* bytes, std::size_t size_bytes, int flags) {
  const ssize_t n = ::syscall(SYS_recvfrom, descriptor, bytes, size_bytes, flags, nullptr, nullptr);
  if (n > 0) ++calls.received;
  return n;
}

}  // extern "C"

namespace nmt::engine {
namespace {

constexpr int kRounds = 1000;

// Messages of `size_bytes` there and back, and `between` after each.
void ping_pong(
    Engine& a, Engine& b, std::size_t size_bytes, int rounds,
    const std::function<void()>& between = [] {}) {
  std::vector<std::byte> memory(size_bytes), room(size_bytes);
  const drivers::ConstBytes message[] = {memory};
  const drivers::Bytes place[] = {room};
  const auto send = [&](Engine& from, Engine& to) {
    const Engine::Request receive = to.irecv(0, 1, place), sent = from.isend(0, 1, message);
    bool came = false, gone = false;
    ASSERT_TRUE(turn_until(from, to, [&] {
      came = came || to.test(receive);
      gone = gone || from.test(sent);
      return came && gone;
    }));
    between();
  };
  for (int i = 0; i < rounds; ++i) send(a, b), send(b, a);
}

std::uint64_t driver_messages(const Engine& engine) {
  std::uint64_t count = 0;
  for (const LinkState& link : engine.links(0)) count += link.messages_sent;
  return count;
}

// A profile by which everything small goes as a gather list, whose memory is not copied.
planted::Profile all_iovec(const std::vector<std::string>& rails) {
  std::vector<RailPlan> plans;
  for (const std::string& rail : rails) {
    const std::vector<Point> points = {{1, 5e3}, {1e6, 1e6}};
    plans.push_back(planted::rail(rail,
                                  {planted::curve(benchmark::kTransfer, "copy", points),
                                   planted::curve(benchmark::kTransfer, "iovec", points),
                                   planted::curve(benchmark::kTransfer, "rendezvous", points)},
                                  {planted::threshold(DecisionKind::kIovec, {}, true),
                                   planted::threshold(DecisionKind::kRendezvous, {65536})}));
  }
  return planted::Profile(planted::plan(std::move(plans)));
}

TEST(SmallMessages, AnswersRideOnWhatGoesBack) {
  for (const std::size_t links : {1u, 2u}) {
    Couple couple(links, 1);
    ping_pong(*couple.a, *couple.b, 64, kRounds);
    EXPECT_LE(driver_messages(*couple.a), kRounds + 4u) << links;
    EXPECT_LE(driver_messages(*couple.b), kRounds + 4u) << links;
  }
}

TEST(SmallMessages, AnswersRideOnWhatGoesBackAlsoIfNothingIsCopied) {
  const planted::Profile profile = all_iovec({"memory:0", "memory:1"});
  Couple couple(2, 1, {.profile = profile.get()});
  // By a clock that stands still the bytes of one message would never leave the rail.
  ping_pong(*couple.a, *couple.b, 64, kRounds, [&] {
    for (int turn = 0; turn < 8; ++turn) couple.a->progress(), couple.b->progress();
    couple.clock->advance_to(couple.clock->now_ns() + 1000);
  });
  EXPECT_LE(driver_messages(*couple.a), kRounds + 4u);
  EXPECT_LE(driver_messages(*couple.b), kRounds + 4u);
}

TEST(SmallMessages, AnswersComeTogetherIfNothingGoesBack) {
  Couple couple(2, 1);
  std::vector<std::byte> memory(64), room(64);
  const drivers::ConstBytes message[] = {memory};
  const drivers::Bytes place[] = {room};
  for (int i = 0; i < kRounds; ++i) {
    const Engine::Request receive = couple.b->irecv(0, 1, place);
    const Engine::Request sent = couple.a->isend(0, 1, message);
    bool came = false, gone = false;
    ASSERT_TRUE(turn_until(*couple.a, *couple.b, [&] {
      came = came || couple.b->test(receive);
      gone = gone || couple.a->test(sent);
      return came && gone;
    }));
  }
  EXPECT_LE(driver_messages(*couple.b), kRounds / 16u);
}

TEST(SmallMessages, AreNotAccompaniedByReportsOnceNoSendWaitsForMemory) {
  Couple couple(1, 1, {.eager_bytes_max = 1000, .unexpected_bytes_max = 5000});
  std::vector<std::byte> memory(100), room(100);
  const drivers::ConstBytes message[] = {memory};
  const drivers::Bytes place[] = {room};
  const auto turn = [&] {
    for (int i = 0; i < 1000; ++i) couple.a->progress(), couple.b->progress();
  };
  std::vector<Engine::Request> sends;
  for (std::uint64_t tag = 0; tag < 60; ++tag) sends.push_back(couple.a->isend(0, tag, message));
  turn();
  int cancelled = 0;
  for (auto send = sends.rbegin(); send != sends.rend(); ++send) {
    cancelled += couple.a->cancel(*send);
  }
  ASSERT_GT(cancelled, 0);
  const std::uint64_t before = driver_messages(*couple.a);
  for (std::uint64_t tag = 0; tag < 8; ++tag) {  // of those that came eagerly
    EXPECT_TRUE(couple.b->wait(couple.b->irecv(0, tag, place), std::chrono::seconds(5)));
    turn();
  }
  EXPECT_LE(driver_messages(*couple.a), before + 2);
}

TEST(SmallMessages, TakeOneCallIntoTheKernelAtEachEnd) {
  for (const std::vector<std::string>& rails :
       {std::vector<std::string>{"tcp:lo"}, {"tcp:lo", "tcp:lo"}}) {
    RealCouple couple(rails, "adaptive");
    if (!couple.missing.empty()) GTEST_SKIP() << couple.missing;
    ping_pong(*couple.a, *couple.b, 64, 100);
    calls.sent = 0;
    calls.received = 0;
    ping_pong(*couple.a, *couple.b, 64, kRounds);
    EXPECT_LE(calls.sent.load(), 2 * kRounds + 8);
    EXPECT_LE(calls.received.load(), 2 * kRounds + 8);
  }
}

}  // namespace
}  // namespace nmt::engine
