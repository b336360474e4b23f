// SPDX-License-Identifier: BSD-3-Clause
//
// Rails between two processes: content, and the far one's death by SIGKILL in every state.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/id.h"
#include "tests/drivers/contract.h"

namespace nmt::drivers {
namespace {

class SocketExchange final : public Exchange {
 public:
  explicit SocketExchange(int socket) : socket_(socket) {}
  std::string swap(std::string_view mine) override {
    NMT_CHECK(::send(socket_, mine.data(), mine.size(), 0) == static_cast<ssize_t>(mine.size()));
    char theirs[65536];
    const ssize_t n = ::recv(socket_, theirs, sizeof theirs, 0);
    NMT_CHECK(n > 0);
    return {theirs, static_cast<std::size_t>(n)};
  }

 private:
  int socket_;
};

// The far end of a rail in a forked process, which runs `life` with it.
class Peer : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    under_test_ = find_rail(GetParam());
    if (!under_test_.driver) GTEST_SKIP() << under_test_.missing;
    methods_ = under_test_.driver->methods(under_test_.rail);
  }
  void TearDown() override { end_peer(); }

  // `life` tells when it has come as far as the test wants by calling its second argument.
  using Life = std::function<void(Endpoint&, const std::function<void()>&)>;
  void start(const Life& life) {
    int sockets[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
    own_socket_ = Descriptor(sockets[0]);
    const Descriptor peer_socket(sockets[1]);
    peer_ = ::fork();
    if (peer_ == 0) live(life, peer_socket.get());
    SocketExchange exchange(own_socket_.get());
    endpoint_ = under_test_.driver->open(under_test_.rail, Side::kNear, exchange);
  }

  void end_peer() {
    if (peer_ > 0) {
      ::kill(peer_, SIGKILL);
      ::waitpid(peer_, nullptr, 0);
    }
    peer_ = -1;
  }

  // Polls until the peer has come there.
  bool peer_is_there() {
    return eventually([&] {
      endpoint_->poll();
      char byte = 0;
      return ::recv(own_socket_.get(), &byte, 1, MSG_DONTWAIT) == 1;
    });
  }

  // Kills the peer, and polls until that is an Error(kPeer).
  testing::AssertionResult notices_its_death() {
    end_peer();
    std::optional<Fault> fault;
    eventually([&] {
      try {
        endpoint_->poll();
      } catch (const Error& error) {
        fault = error.fault();
      }
      return fault.has_value();
    });
    if (!fault) return testing::AssertionFailure() << "not within five seconds";
    if (*fault != Fault::kPeer) return testing::AssertionFailure() << "took it for something else";
    return testing::AssertionSuccess();
  }

  RailUnderTest under_test_;
  std::vector<Method> methods_;
  std::unique_ptr<Endpoint> endpoint_;

 private:
  [[noreturn]] void live(const Life& life, int socket) {
    try {
      SocketExchange exchange(socket);
      const auto end = under_test_.driver->open(under_test_.rail, Side::kFar, exchange);
      life(*end, [&] { NMT_CHECK(::send(socket, "!", 1, 0) == 1); });
      for (;;) ::pause();
    } catch (const Error& error) {
      std::fprintf(stderr, "peer: %s\n", error.what());
      ::_exit(1);
    }
  }

  pid_t peer_ = -1;
  Descriptor own_socket_;
};

std::uint64_t digest_of(const std::vector<std::byte>& bytes) {
  return Digest()
      .add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()))
      .value();
}

// Sends the digest of every message back.
void echo_digests(Endpoint& end, const std::function<void()>&) {
  for (;;) {
    std::vector<std::byte> header(64);
    std::vector<std::byte> body(2 << 20);
    end.receive(header, body, Delivery::kExpected);
    Endpoint::Progress progress;
    while (!progress.received) progress = end.poll();
    body.resize(progress.received_bytes);
    const std::uint64_t digest = digest_of(body);
    const Packet answer{header, std::as_bytes(std::span(&digest, 1))};
    end.send(Method::kCopy, {&answer, 1});
    while (end.poll().sent == 0) {
    }
  }
}

TEST_P(Peer, WhatArrivesInAnotherProcessIsWhatWasSent) {
  start(echo_digests);
  for (const Method method : methods_) {
    for (const std::size_t size_bytes : {0, 1, 64, 8192, 65537, 1048576 + 7}) {
      const TestMessage message(size_bytes, size_bytes);
      std::vector<std::byte> header(64);
      std::uint64_t digest = 0;
      endpoint_->receive(header, std::as_writable_bytes(std::span(&digest, 1)),
                         Delivery::kExpected);
      endpoint_->send(method, message.packets());
      ASSERT_TRUE(eventually([&] { return endpoint_->poll().received; }));
      EXPECT_EQ(digest, digest_of(message.bodies())) << to_string(method) << size_bytes;
      EXPECT_EQ(header, message.headers());
    }
  }
}

const TestMessage kSmall(1, 100);
const TestMessage kLarge(2, 32 << 20);

TEST_P(Peer, ItsDeathIsNoticedWhileNothingGoesOn) {
  start([](Endpoint&, const auto& there) { there(); });
  ASSERT_TRUE(peer_is_there());
  EXPECT_TRUE(notices_its_death());
}

TEST_P(Peer, ItsDeathIsNoticedWhileReceiving) {
  start([](Endpoint&, const auto& there) { there(); });
  ASSERT_TRUE(peer_is_there());
  TestReceive receive(kSmall);
  receive.post(*endpoint_);
  endpoint_->poll();
  EXPECT_TRUE(notices_its_death());
}

TEST_P(Peer, ItsDeathIsNoticedInTheMiddleOfItsMessage) {
  for (const Method method : methods_) {
    start([&](Endpoint& end, const auto& there) {
      end.send(method, kLarge.packets());
      end.poll();
      there();
    });
    TestReceive receive(kLarge);
    receive.post(*endpoint_);
    // Its process stands still now; what it had not sent never comes.
    ASSERT_TRUE(peer_is_there());
    EXPECT_TRUE(notices_its_death());
  }
}

TEST_P(Peer, ItsDeathIsNoticedWhileItTakesNothing) {
  for (const Method method : methods_) {
    start([](Endpoint&, const auto& there) { there(); });
    endpoint_->send(method, kLarge.packets());
    ASSERT_TRUE(peer_is_there());
    EXPECT_TRUE(notices_its_death());
  }
}

TEST_P(Peer, ItsDeathIsNoticedWhileItTakesAMessage) {
  for (const Method method : methods_) {
    start([](Endpoint& end, const auto& there) {
      TestReceive receive(kLarge);
      receive.post(end);
      end.poll();
      there();
      end.poll();
    });
    endpoint_->send(method, kLarge.packets());
    ASSERT_TRUE(peer_is_there());
    EXPECT_TRUE(notices_its_death());
  }
}

// A rendezvous that was asked for, whose sender died before the receive was posted.
TEST_P(Peer, ItsDeathIsNoticedWhenItsOfferIsTaken) {
  start([&](Endpoint& end, const auto& there) {
    end.send(methods_.back(), kLarge.packets());
    there();
  });
  ASSERT_TRUE(peer_is_there());
  end_peer();
  TestReceive receive(kLarge);
  receive.post(*endpoint_);
  EXPECT_TRUE(notices_its_death());
}

INSTANTIATE_TEST_SUITE_P(Rails, Peer, testing::Values("shm", "tcp:lo"), name_of_rail);

}  // namespace
}  // namespace nmt::drivers
