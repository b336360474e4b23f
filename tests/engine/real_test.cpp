// SPDX-License-Identifier: BSD-3-Clause
//
// The engine over shared memory and connections, in one process and in two.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/descriptor.h"
#include "core/error.h"
#include "tests/drivers/pair.h"
#include "tests/engine/real_couple.h"
#include "tests/engine/traffic.h"

namespace nmt::engine {
namespace {

// A real endpoint that stops at once when told; the other end sees what it does to the rail.
class Fragile final : public drivers::Endpoint {
 public:
  Fragile(std::unique_ptr<drivers::Endpoint> real, std::shared_ptr<bool> broken)
      : real_(std::move(real)), broken_(std::move(broken)) {}
  void send(Method method, std::span<const drivers::Packet> packets) override {
    check();
    real_->send(method, packets);
  }
  void receive(drivers::Bytes headers, drivers::Bytes bodies, drivers::Delivery delivery) override {
    real_->receive(headers, bodies, delivery);
  }
  void listen(drivers::Bytes headers) override { real_->listen(headers); }
  void accept(std::span<const drivers::Bytes> bodies) override { real_->accept(bodies); }
  Progress poll() override {
    check();
    return real_->poll();
  }
  void copy(drivers::Bytes to, drivers::ConstBytes from) override { real_->copy(to, from); }
  std::size_t size_bytes_max(Method method) const override { return real_->size_bytes_max(method); }

 private:
  void check() const {
    if (*broken_) throw Error(Fault::kPeer, "reset");
  }
  std::unique_ptr<drivers::Endpoint> real_;
  std::shared_ptr<bool> broken_;
};

class RealRails : public testing::TestWithParam<std::string> {};

TEST_P(RealRails, BringEveryMessage) {
  for (const std::vector<std::string>& rails : {std::vector<std::string>{"shm"},
                                                {"tcp:lo"},
                                                {"tcp:lo", "tcp:lo"},
                                                {"shm", "tcp:lo", "tcp:lo"}}) {
    RealCouple couple(rails, GetParam());
    if (!couple.missing.empty()) GTEST_SKIP() << couple.missing;
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.messages = 400}), "");
    EXPECT_TRUE(couple.reports.empty());
  }
}

TEST_P(RealRails, LoseNothingWhereOneIsReset) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    std::vector<std::shared_ptr<bool>> broken;
    RealCouple couple({"shm", "tcp:lo", "tcp:lo"}, GetParam(),
                      [&](std::unique_ptr<drivers::Endpoint> end) {
                        broken.push_back(std::make_shared<bool>(false));
                        return std::make_unique<Fragile>(std::move(end), broken.back());
                      });
    if (!couple.missing.empty()) GTEST_SKIP() << couple.missing;
    const auto cut = [&](double share) {
      if (share > 0.3) *broken[seed % 3] = true;
      if (share > 0.6) *broken[(seed + 1) % 3] = true;
    };
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.seed = seed, .messages = 300}, cut), "");
    EXPECT_EQ(couple.reports.size(), 4u);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, RealRails, testing::Values("greedy", "iso", "adaptive"),
                         [](const auto& tested) { return tested.param; });

class SocketExchange final : public drivers::Exchange {
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

std::unique_ptr<Engine> open_engine(drivers::Side side, int socket) {
  auto engine = std::make_unique<Engine>(EngineOptions{});
  SocketExchange exchange(socket);
  std::vector<LinkDescription> links;
  for (const char* name : {"shm", "tcp:lo", "tcp:lo"}) {
    drivers::RailUnderTest rail = drivers::find_rail(name);
    links.push_back(
        {rail.driver->open(rail.rail, side, exchange), name, rail.driver->methods(rail.rail)});
  }
  engine->add_gate("peer", std::move(links));
  return engine;
}

// Transfers of all kinds without end, in a process of its own.
[[noreturn]] void live(int socket) {
  const std::unique_ptr<Engine> engine = open_engine(drivers::Side::kFar, socket);
  std::vector<std::byte> out(1 << 20), in(1 << 20);
  for (std::uint64_t tag = 0;; ++tag) {
    const std::size_t size_bytes = tag % 3 == 0 ? 1 << 20 : tag % 3 == 1 ? 5000 : 10;
    const drivers::ConstBytes to_send[] = {drivers::ConstBytes(out).first(size_bytes)};
    const drivers::Bytes room[] = {in};
    const Engine::Request receive = engine->irecv(0, tag, room);
    const Engine::Request send = engine->isend(0, tag, to_send);
    const auto timeout = std::chrono::seconds(20);
    if (engine->wait(receive, timeout)->outcome != Outcome::kDone) ::_exit(1);
    engine->wait(send, timeout);
  }
}

TEST(TwoProcesses, APeerThatIsKilledIsLostWithinFiveSeconds) {
  for (const int after_messages : {0, 1, 2, 50, 301}) {
    int sockets[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
    const Descriptor own(sockets[0]);
    const pid_t peer = ::fork();
    if (peer == 0) live(sockets[1]);
    const Descriptor other(sockets[1]);
    const std::unique_ptr<Engine> engine = open_engine(drivers::Side::kNear, own.get());
    std::vector<std::byte> out(1 << 20), in(1 << 20);
    std::chrono::steady_clock::time_point killed;
    Outcome outcome = Outcome::kDone;
    for (int i = 0; outcome == Outcome::kDone; ++i) {
      const std::size_t size_bytes = i % 3 == 0 ? 1 << 20 : 300;
      const drivers::ConstBytes to_send[] = {drivers::ConstBytes(out).first(size_bytes)};
      const drivers::Bytes room[] = {in};
      const auto tag = static_cast<std::uint64_t>(i);
      const Engine::Request send = engine->isend(0, tag, to_send);
      const Engine::Request receive = engine->irecv(0, tag, room);
      if (i == after_messages) {
        engine->progress();
        killed = std::chrono::steady_clock::now();
        ::kill(peer, SIGKILL);
        ::waitpid(peer, nullptr, 0);
      }
      const auto timeout = std::chrono::seconds(10);
      const std::optional<Completion> came = engine->wait(receive, timeout);
      ASSERT_TRUE(came);
      outcome = came->outcome;
      ASSERT_TRUE(engine->wait(send, timeout));
    }
    EXPECT_EQ(outcome, Outcome::kLost);
    EXPECT_LT(std::chrono::steady_clock::now() - killed, std::chrono::seconds(5));
  }
}

}  // namespace
}  // namespace nmt::engine
