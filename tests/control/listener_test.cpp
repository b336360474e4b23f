// SPDX-License-Identifier: BSD-3-Clause
//
// Strangers at the door, while the real peer wants in.
#include "control/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <future>
#include <mutex>
#include <random>
#include <thread>

#include "core/error.h"
#include "tests/control/stranger.h"

namespace nmt::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;

// A listener at work in a thread, and what it said of those it refused.
class Door : public ::testing::Test {
 protected:
  Door() : listener_("127.0.0.1", 0) {
    accepted_ = std::async(std::launch::async, [this] {
      return listener_.accept(secret_, seconds(30), {.refused = [this](const std::string& reason) {
                                const std::lock_guard lock(mutex_);
                                refused_.push_back(reason);
                              }});
    });
  }

  ~Door() override {
    if (!accepted_.valid()) return;
    EXPECT_TRUE(peer_gets_in());
  }

  Stranger stranger() const { return Stranger(listener_.address()); }

  // Whether the real peer, that comes now, is let in and can talk.
  bool peer_gets_in() {
    Connection near = connect("127.0.0.1", listener_.address().port(), secret_, seconds(10));
    std::optional<Connection> far = accepted_.get();
    if (!far) return false;
    near.send(100, "over here");
    far->send(101, "over there");
    return far->receive(seconds(5)).text == "over here" &&
           near.receive(seconds(5)).text == "over there";
  }

  std::vector<std::string> refused() {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

  void expect_refused(const std::string& reason) {
    for (int i = 0; i < 250; ++i) {
      for (const std::string& each : refused()) {
        if (each.find(reason) != std::string::npos) return;
      }
      std::this_thread::sleep_for(milliseconds(20));
    }
    ADD_FAILURE() << "nobody was refused for: " << reason;
  }

  const Secret secret_ = Secret::random();
  Listener listener_;

 private:
  std::mutex mutex_;
  std::vector<std::string> refused_;
  std::future<std::optional<Connection>> accepted_;
};

std::string nonce() { return std::string(32, 'n'); }

std::string connect_failure(std::uint16_t port, milliseconds timeout = seconds(10)) {
  try {
    connect("127.0.0.1", port, Secret::random(), timeout);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kPeer);
    return error.what();
  }
  return "";
}

TEST_F(Door, OpensForWhoKnowsTheSecret) { EXPECT_TRUE(peer_gets_in()); }

TEST_F(Door, StaysClosedForTheWrongSecret) {
  EXPECT_THAT(connect_failure(listener_.address().port()), HasSubstr("refused: wrong secret"));
  expect_refused("wrong secret");
}

TEST_F(Door, StaysClosedForAnotherVersionAndSaysWhich) {
  const Stranger other = stranger();
  other.say(framed(kHello, nonce(), 9));
  EXPECT_THAT(other.hear_all(), HasSubstr("the peer has version 9"));
  expect_refused("version 9");
}

TEST_F(Door, StaysClosedForGarbage) {
  stranger().say("GET / HTTP/1.1\r\nHost: somewhere\r\nAccept: */*\r\n\r\n");
  expect_refused("not a message of nmadtune's control protocol");
}

TEST_F(Door, StaysClosedForAnAnnouncementOfAnExbibyte) {
  const Stranger other = stranger();
  other.say(announcement(kHello, std::uint64_t{1} << 60));
  EXPECT_THAT(other.hear_all(), HasSubstr("1152921504606846976"));
  expect_refused("the peer announced a message of 1152921504606846976 bytes");
}

TEST_F(Door, StaysClosedForAProofBeforeAChallenge) {
  const Stranger other = stranger();
  other.say(framed(kProof, nonce()));
  expect_refused("unexpected message in the handshake");
}

// Who listened to a conversation cannot have it again: the challenge is another.
TEST_F(Door, StaysClosedForAProofOfYesterday) {
  Nonce own{};
  std::fill(own.begin(), own.end(), 'n');
  const Proof old = prove(secret_, Role::kConnecting, own, random_bytes());
  const Stranger other = stranger();
  other.say(framed(kHello, nonce()));
  EXPECT_EQ(other.hear(kFrameBytes + sizeof(Nonce)).size(), kFrameBytes + sizeof(Nonce));
  other.say(framed(kProof, std::string(old.begin(), old.end())));
  EXPECT_THAT(other.hear_all(), HasSubstr("wrong secret"));
}

TEST_F(Door, IsNotHeldByAHalfOpenConnection) {
  const Stranger silent = stranger();
  const Stranger half = stranger();
  half.say(framed(kHello, nonce()).substr(0, 20));
  EXPECT_TRUE(peer_gets_in());
}

TEST_F(Door, ClosesForWhoSaysNothing) {
  const Stranger silent = stranger();
  EXPECT_THAT(silent.hear_all(), HasSubstr("too slow"));
  expect_refused("did not answer in time");
}

TEST_F(Door, IsNotHeldByACrowd) {
  std::vector<Stranger> crowd;
  for (int i = 0; i < 200; ++i) crowd.push_back(stranger());
  expect_refused("too many connections");
  EXPECT_TRUE(peer_gets_in());
}

TEST_F(Door, StaysClosedForRandomBytes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = framed(kHello, nonce()) + framed(kProof, nonce());
    bytes.resize(random() % bytes.size());
    for (int change = 0; change < 4 && !bytes.empty(); ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    stranger().say(bytes);
  }
  EXPECT_TRUE(peer_gets_in());
}

TEST(Waiting, EndsWithAnErrorAtItsTime) {
  Listener listener("127.0.0.1", 0);
  try {
    listener.accept(Secret::random(), milliseconds(200), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kPeer);
    EXPECT_THAT(error.what(), HasSubstr("no peer that knows the secret connected"));
  }
}

TEST(Waiting, ForEverIsLong) {
  Listener listener("127.0.0.1", 0);
  const Secret secret = Secret::random();
  const auto forever = std::chrono::nanoseconds::max();
  auto accepted = std::async(std::launch::async,
                             [&] { return listener.accept(secret, forever, {}).has_value(); });
  EXPECT_EQ(accepted.wait_for(milliseconds(100)), std::future_status::timeout);
  connect("127.0.0.1", listener.address().port(), secret, forever);
  EXPECT_TRUE(accepted.get());
}

TEST(Waiting, ReportsACrowdInFewLines) {
  Listener listener("127.0.0.1", 0);
  std::vector<std::string> lines;
  std::jthread crowd([&] {
    for (int i = 0; i < 1000; ++i) Stranger(listener.address()).say("GET / HTTP/1.1\r\n\r\n");
  });
  EXPECT_THROW(listener.accept(Secret::random(), milliseconds(1500),
                               {.refused = [&](const auto& line) { lines.push_back(line); }}),
               Error);
  EXPECT_GE(lines.size(), 8u);
  EXPECT_LE(lines.size(), 20u);
  EXPECT_THAT(lines.back(), HasSubstr("refused so far"));
}

TEST(Waiting, SleepsWhereNoDescriptorIsLeft) {
#ifdef NMT_SANITIZED
  GTEST_SKIP() << "a sanitizer looks at memory by way of a pipe, for which no descriptor is left";
#endif
  Listener listener("127.0.0.1", 0);
  const Stranger stranger(listener.address());
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(Descriptor(::dup(0)).get());
  const auto cpu_ns = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
  };
  ::setrlimit(RLIMIT_NOFILE, &none);
  const double start_ns = cpu_ns();
  EXPECT_THROW(listener.accept(Secret::random(), milliseconds(500), {}), Error);
  const double used_ns = cpu_ns() - start_ns;
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_LT(used_ns, 20e6);
}

TEST(Waiting, EndsWhereItIsInterrupted) {
  Listener listener("127.0.0.1", 0);
  EXPECT_FALSE(
      listener.accept(Secret::random(), seconds(30), {.interrupted = [] { return true; }}));
}

TEST(Listening, AtAnAddressOfAnotherHostIsAMistake) {
  try {
    const Listener listener("192.0.2.1", 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kUsage);
  }
}

TEST(Connecting, ToNobodyIsAPeerLost) {
  std::uint16_t port = 0;
  { port = BareListener().port(); }
  EXPECT_THAT(connect_failure(port), HasSubstr("nmad-sample --serve"));
}

TEST(Connecting, ToWhoNeverAnswersEnds) {
  const BareListener silent;
  EXPECT_THAT(connect_failure(silent.port(), milliseconds(300)), HasSubstr("does not answer"));
}

TEST(Connecting, ToAnotherServiceIsRefused) {
  const BareListener service;
  const std::jthread thread([&] { service.accept().say("SSH-2.0-OpenSSH_9.2p1\r\n"); });
  EXPECT_THAT(connect_failure(service.port()),
              HasSubstr("not a message of nmadtune's control protocol"));
}

TEST(Connecting, ToAnotherVersionNamesBoth) {
  const BareListener newer;
  const std::jthread thread([&] { newer.accept().say(framed(kChallenge, nonce(), 2)); });
  EXPECT_THAT(connect_failure(newer.port()), HasSubstr("the peer has version 2"));
}

TEST(Connecting, ToAnImpostorThatLetsEverybodyInIsRefused) {
  const BareListener impostor;
  const std::jthread thread([&] {
    const Stranger other = impostor.accept();
    other.say(framed(kChallenge, nonce()) + framed(kWelcome, nonce()));
    other.hear_all();
  });
  EXPECT_THAT(connect_failure(impostor.port()), HasSubstr("does not know the secret"));
}

// An impostor that only mirrors what it hears has heard a proof, but one of the connecting side.
TEST(Connecting, ToAMirrorIsRefused) {
  const BareListener mirror;
  const std::jthread thread([&] {
    const Stranger other = mirror.accept();
    const std::string hello = other.hear(kFrameBytes + sizeof(Nonce));
    other.say(framed(kChallenge, hello.substr(kFrameBytes)));
    const std::string proof = other.hear(kFrameBytes + sizeof(Nonce));
    other.say(framed(kWelcome, proof.substr(kFrameBytes)));
    other.hear_all();
  });
  EXPECT_THAT(connect_failure(mirror.port()), HasSubstr("does not know the secret"));
}

TEST(Connecting, ARefusalFromOutsideCannotDriveATerminal) {
  const BareListener listener;
  const std::jthread thread([&] { listener.accept().say(framed(kRefusal, "\033[2J\nbye")); });
  EXPECT_THAT(connect_failure(listener.port()), HasSubstr("refused: ?[2J?bye"));
}

}  // namespace
}  // namespace nmt::control
