// SPDX-License-Identifier: BSD-3-Clause
//
// How long tcp waits: not for ever for what is lost, and long enough for what is only slow.
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>
#include <thread>

#include "core/error.h"
#include "node/node.h"
#include "tests/drivers/pair.h"
#include "tests/node/child.h"

namespace nmt::drivers {
namespace {

class TcpPatience : public testing::Test {
 protected:
  void SetUp() override {
    const RailUnderTest lo = find_rail("tcp:lo");
    if (!lo.driver) GTEST_SKIP() << lo.missing;
  }
};

// A namespace of its own, whose loopback can be cut without harm.
bool set_loopback(bool up) {
  const Descriptor descriptor(::socket(AF_INET, SOCK_DGRAM, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  if (::ioctl(descriptor.get(), SIOCGIFFLAGS, &request) != 0) return false;
  const int flag = IFF_UP;
  request.ifr_flags = static_cast<short>(up ? request.ifr_flags | flag : request.ifr_flags & ~flag);
  return ::ioctl(descriptor.get(), SIOCSIFFLAGS, &request) == 0;
}

// Seconds until the end says that its peer is lost, in words.
std::string noticed(Endpoint& end, std::chrono::steady_clock::time_point cut) {
  const bool done = eventually([&] {
    try {
      end.poll();
    } catch (const Error& error) {
      return error.fault() == Fault::kPeer;
    }
    return false;
  });
  const bool in_time = std::chrono::steady_clock::now() - cut < std::chrono::seconds(5);
  return !done ? "never " : in_time ? "noticed " : "late ";
}

TEST_F(TcpPatience, ACutLinkIsNoticedInEveryStateAtBothEnds) {
  const std::string seen = node::in_child([]() -> std::string {
    if (::unshare(CLONE_NEWNET) != 0 || !set_loopback(true)) return "no namespace";
    Pair idle = open_pair("tcp:lo");
    Pair receiving = open_pair("tcp:lo");
    Pair sending = open_pair("tcp:lo");
    Pair asking = open_pair("tcp:lo");
    const TestMessage large(1, 16 << 20);
    TestReceive receive(large);
    receive.post(*receiving.near);
    sending.near->send(Method::kIovec, large.packets());
    asking.near->send(Method::kRendezvous, large.packets());
    set_loopback(false);
    const auto cut = std::chrono::steady_clock::now();
    std::string text;
    for (Pair* pair : {&idle, &receiving, &sending, &asking}) {
      text += noticed(*pair->near, cut) + noticed(*pair->far, cut);
    }
    return text;
  });
  if (seen == "no namespace") GTEST_SKIP() << "network namespaces are not permitted here";
  std::string expected;
  for (int i = 0; i < 8; ++i) expected += "noticed ";
  EXPECT_EQ(seen, expected);
}

// The other side of the same coin: a far side that computes is waited for.
TEST_F(TcpPatience, ASlowReceiverIsNotLost) {
  Pair pair = open_pair("tcp:lo");
  const TestMessage large(1, 32 << 20);
  pair.near->send(Method::kIovec, large.packets());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(6);
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_EQ(pair.near->poll().sent, 0u);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  TestReceive receive(large);
  receive.post(*pair.far);
  EXPECT_TRUE(eventually([&] {
    pair.near->poll();
    receive.take(pair.far->poll());
    return receive.done();
  }));
  EXPECT_TRUE(receive.holds(large));
}

TEST_F(TcpPatience, APeerThatNeverConnectsIsGivenUpAfterThreeSeconds) {
  const RailUnderTest lo = find_rail("tcp:lo");
  Saying exchange("- 0 " + std::string(32, 'a'));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(lo.driver->open(lo.rail, Side::kNear, exchange), Error);
  const auto waited = std::chrono::steady_clock::now() - start;
  EXPECT_GE(waited, std::chrono::milliseconds(2900));
  EXPECT_LT(waited, std::chrono::seconds(5));
}

}  // namespace
}  // namespace nmt::drivers
