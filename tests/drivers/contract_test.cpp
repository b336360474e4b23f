// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of drivers/driver.h, over every driver that is present.
#include <gtest/gtest.h>

#include <deque>
#include <optional>

#include "core/error.h"
#include "tests/drivers/contract.h"

namespace nmt::drivers {
namespace {

// Around everything that a driver may treat differently: nothing, cache lines, pages, cells of the
// shared ring, the inbox of a connection, what a kernel takes at once.
constexpr std::size_t kSizes[] = {
    0,    1,    2,     63,    64,    65,    4095,  4096,  4097,  8087,  8088,  8089,   8175,
    8176, 8177, 16295, 16296, 16297, 16383, 16384, 16385, 65535, 65536, 65537, 300000, 1048576 + 7};

TEST_P(Contract, EveryMethodMovesEverySizeInBothDirections) {
  for (const Method method : methods_) {
    for (const std::size_t size_bytes : kSizes) {
      const TestMessage message(size_bytes + 1, size_bytes);
      EXPECT_TRUE(moves(near(), far(), method, message)) << to_string(method) << size_bytes;
      EXPECT_TRUE(moves(far(), near(), method, message)) << to_string(method) << size_bytes;
    }
  }
}

TEST_P(Contract, UnexpectedMessagesArriveAsWell) {
  for (const Method method : methods_) {
    for (const std::size_t size_bytes : kSizes) {
      EXPECT_TRUE(moves(near(), far(), method, TestMessage(7, size_bytes), Delivery::kUnexpected))
          << to_string(method) << size_bytes;
    }
  }
}

// Headers first; then the bodies into three pieces of memory.
TEST_P(Contract, AnAnnouncedMessageGoesWhereItIsAccepted) {
  for (const Method method : methods_) {
    for (const std::size_t size_bytes : kSizes) {
      const TestMessage message(size_bytes, {64, 32}, {size_bytes / 3, size_bytes});
      const std::size_t total_bytes = size_bytes / 3 + size_bytes;
      std::vector<std::byte> headers(500);
      std::vector<std::byte> bodies(total_bytes);
      far().listen(headers);
      near().send(method, message.packets());
      unsigned sent = 0, announced = 0;
      bool received = false;
      EXPECT_TRUE(eventually([&] {
        sent += near().poll().sent;
        const Endpoint::Progress progress = far().poll();
        if (progress.announced) {
          ++announced;
          EXPECT_EQ(progress.header_bytes, 96u);
          EXPECT_EQ(progress.body_bytes, total_bytes);
          const std::size_t cut = total_bytes / 5;
          const Bytes all(bodies);
          const Bytes pieces[] = {all.first(cut), {}, all.subspan(cut, cut), all.subspan(2 * cut)};
          far().accept(pieces);
        }
        if (progress.received) {
          received = true;
          EXPECT_EQ(progress.received_bytes, total_bytes);
        }
        return received && sent == 1;
      })) << to_string(method)
          << size_bytes;
      EXPECT_EQ(announced, 1u);
      headers.resize(96);
      EXPECT_EQ(headers, message.headers());
      EXPECT_EQ(bodies, message.bodies());
      EXPECT_TRUE(moves(near(), far(), method, TestMessage(9, 100)));
    }
  }
}

// As many receives as the endpoint takes, posted at a time: messages of all sizes and methods fill
// them in order.
TEST_P(Contract, SeveralReceivesTakeTheMessagesInOrder) {
  const std::size_t window = far().receives_max();
  ASSERT_GE(window, 1u);
  std::deque<TestMessage> messages;
  std::deque<TestReceive> receives;
  for (std::size_t i = 0; i < 4 * window; ++i) {
    messages.emplace_back(i, i % 4 == 3 ? 200000 : 5000 * (i % 4));
    receives.emplace_back(messages.back());
  }
  std::size_t posted = 0, started = 0, sent = 0, received = 0;
  EXPECT_TRUE(eventually([&] {
    for (; posted < messages.size() && posted - received < window; ++posted) {
      receives[posted].post(far(), posted % 2 ? Delivery::kExpected : Delivery::kUnexpected);
    }
    for (; started < messages.size() && started - sent < kSendsInFlightMax; ++started) {
      near().send(methods_[started % methods_.size()], messages[started].packets());
    }
    sent += near().poll().sent;
    const Endpoint::Progress progress = far().poll();
    if (progress.received) receives[received++].take(progress);
    return sent == messages.size() && received == messages.size();
  }));
  for (std::size_t i = 0; i < received; ++i) EXPECT_TRUE(receives[i].holds(messages[i])) << i;
}

// A receive that only listens is posted before the message before it has come. Messages are
// announced in order, and received in order.
TEST_P(Contract, SeveralAnnouncedMessagesGoWhereEachIsAccepted) {
  const std::size_t window = far().receives_max();
  for (const Method method : methods_) {
    for (const std::size_t size_bytes : kSizes) {
      std::deque<TestMessage> messages;
      std::vector<std::vector<std::byte>> headers(window), bodies(window);
      for (std::size_t i = 0; i < window; ++i) {
        messages.emplace_back(size_bytes + i, std::vector<std::size_t>{64},
                              std::vector<std::size_t>{size_bytes});
        headers[i].resize(64);
        bodies[i].resize(size_bytes);
        far().listen(headers[i]);
        near().send(method, messages.back().packets());
      }
      std::size_t sent = 0, announced = 0, received = 0;
      EXPECT_TRUE(eventually([&] {
        sent += near().poll().sent;
        const Endpoint::Progress progress = far().poll();
        received += progress.received;
        if (progress.announced) {
          EXPECT_LE(received, announced);
          EXPECT_EQ(progress.header_bytes, 64u);
          EXPECT_EQ(progress.body_bytes, size_bytes);
          const Bytes pieces[] = {bodies[announced++]};
          far().accept(pieces);
        }
        return sent == window && received == window;
      })) << to_string(method)
          << size_bytes;
      EXPECT_EQ(announced, window);
      for (std::size_t i = 0; i < window; ++i) {
        EXPECT_EQ(headers[i], messages[i].headers()) << i;
        EXPECT_EQ(bodies[i], messages[i].bodies()) << i;
      }
    }
  }
}

TEST_P(Contract, HeadersMayHaveAnySizeUpToTheLimit) {
  for (const Method method : methods_) {
    for (const std::size_t header_bytes : {std::size_t{0}, std::size_t{1}, kHeaderBytesMax}) {
      for (const std::size_t body_bytes : {0, 1, 100, 20000}) {
        EXPECT_TRUE(moves(near(), far(), method, TestMessage(3, {header_bytes}, {body_bytes})))
            << to_string(method) << header_bytes << "+" << body_bytes;
      }
    }
  }
}

TEST_P(Contract, PacketsOfOneMessageArriveOneAfterTheOther) {
  for (const Method method : methods_) {
    EXPECT_TRUE(moves(near(), far(), method, TestMessage(1, {64, 64}, {1000, 1000})));
    EXPECT_TRUE(moves(near(), far(), method, TestMessage(2, {0, 7, 256}, {65536, 0, 3})));
    EXPECT_TRUE(moves(near(), far(), method, TestMessage(3, {8, 8, 8}, {0, 0, 0})));
    const std::vector<std::size_t> headers(kPacketsMax, kHeaderBytesMax);
    EXPECT_TRUE(moves(near(), far(), method,
                      TestMessage(4, headers, std::vector<std::size_t>(kPacketsMax, 0))));
    EXPECT_TRUE(moves(near(), far(), method,
                      TestMessage(5, headers, std::vector<std::size_t>(kPacketsMax, 4321))));
  }
}

TEST_P(Contract, MessagesSentBackToBackStayInOrder) {
  std::deque<TestMessage> messages;
  for (std::size_t i = 0; i < kSendsInFlightMax; ++i) {
    messages.emplace_back(i, i % 3 == 2 ? 200000 : 10 * i);
    near().send(methods_[i % methods_.size()], messages.back().packets());
  }
  unsigned sent = 0;
  for (const TestMessage& message : messages) {
    TestReceive receive(message);
    receive.post(far());
    ASSERT_TRUE(eventually([&] {
      sent += near().poll().sent;
      receive.take(far().poll());
      return receive.done();
    }));
    EXPECT_TRUE(receive.holds(message));
  }
  EXPECT_TRUE(eventually([&] { return (sent += near().poll().sent) == kSendsInFlightMax; }));
}

TEST_P(Contract, BothDirectionsMoveAtOnce) {
  for (const Method method : methods_) {
    for (const std::size_t size_bytes : {1, 5000, 3000000}) {
      const TestMessage there(1, size_bytes);
      const TestMessage back(2, size_bytes);
      TestReceive at_near(back);
      TestReceive at_far(there);
      near().send(method, there.packets());
      far().send(method, back.packets());
      at_near.post(near());
      at_far.post(far());
      EXPECT_TRUE(eventually([&] {
        at_near.take(near().poll());
        at_far.take(far().poll());
        return at_near.done() && at_far.done();
      }));
      EXPECT_TRUE(at_far.holds(there) && at_near.holds(back)) << to_string(method) << size_bytes;
    }
  }
}

// Near's messages lie there unasked for while far waits for its own sends to end, and near for
// nothing but far's messages.
TEST_P(Contract, SendsEndThoughTheirSenderReceivesNothing) {
  for (const Method method : methods_) {
    SCOPED_TRACE(to_string(method));
    const TestMessage waiting(1, 3000000);
    const TestMessage wanted(2, 3000000);
    near().send(Method::kCopy, waiting.packets());
    far().send(method, wanted.packets());
    TestReceive at_near(wanted);
    at_near.post(near());
    unsigned sent_by_far = 0;
    EXPECT_TRUE(eventually([&] {
      at_near.take(near().poll());
      sent_by_far += far().poll().sent;
      return at_near.done() && sent_by_far == 1;
    }));
    EXPECT_TRUE(at_near.holds(wanted));
    TestReceive at_far(waiting);
    at_far.post(far());
    EXPECT_TRUE(eventually([&] {
      near().poll();
      at_far.take(far().poll());
      return at_far.done();
    }));
    EXPECT_TRUE(at_far.holds(waiting));
  }
}

TEST_P(Contract, HeadersAreTakenWhenTheSendIsPosted) {
  for (const Method method : methods_) {
    const TestMessage expected(9, {100, 100}, {100000, 5});
    TestMessage message(9, {100, 100}, {100000, 5});
    near().send(method, message.packets());
    for (TestPacket& packet : message.content()) packet.header.assign(100, std::byte{0});
    TestReceive receive(expected);
    receive.post(far());
    EXPECT_TRUE(eventually([&] {
      near().poll();
      receive.take(far().poll());
      return receive.done();
    }));
    EXPECT_TRUE(receive.holds(expected)) << to_string(method);
  }
}

TEST_P(Contract, ShorterMessagesLeaveTheRestOfTheBuffersAlone) {
  for (const Method method : methods_) {
    for (const Delivery delivery : {Delivery::kExpected, Delivery::kUnexpected}) {
      for (const std::size_t size_bytes : {0, 10, 9000, 50000}) {
        // Two at once: what is behind the first must not spill into its buffer.
        const TestMessage first(1, {3}, {size_bytes});
        const TestMessage second(2, {64}, {size_bytes});
        near().send(method, first.packets());
        near().send(method, second.packets());
        for (const TestMessage* message : {&first, &second}) {
          TestReceive receive(kHeaderBytesMax, 65536);
          receive.post(far(), delivery);
          ASSERT_TRUE(eventually([&] {
            near().poll();
            receive.take(far().poll());
            return receive.done();
          }));
          EXPECT_TRUE(receive.holds(*message)) << to_string(method) << size_bytes;
        }
        EXPECT_TRUE(eventually([&] { return near().poll().sent == 0; }));
      }
    }
  }
}

// The fault of an Error that `step` runs into, nullopt where none comes.
std::optional<Fault> fault_of(const std::function<void()>& step) {
  std::optional<Fault> fault;
  eventually([&] {
    try {
      step();
    } catch (const Error& error) {
      fault = error.fault();
    }
    return fault.has_value();
  });
  return fault;
}

TEST_P(Contract, MessageThatDoesNotFitIsAnErrorAtTheReceiver) {
  struct Case {
    std::size_t header_bytes;
    std::size_t body_bytes;
  };
  for (const Method method : methods_) {
    for (const Case room : {Case{64, 999}, Case{63, 1000}, Case{64, 0}, Case{0, 0}}) {
      Pair pair = open_pair(GetParam());
      const TestMessage message(1, {64}, {1000});
      TestReceive receive(room.header_bytes, room.body_bytes);
      receive.post(*pair.far);
      pair.near->send(method, message.packets());
      EXPECT_EQ(fault_of([&] {
                  pair.near->poll();
                  pair.far->poll();
                }),
                Fault::kFailed)
          << to_string(method);
      pair.far.reset();
      EXPECT_EQ(fault_of([&] { pair.near->poll(); }), Fault::kPeer) << to_string(method);
    }
  }
}

TEST_P(Contract, ClosedPeerIsNoticedInEveryState) {
  const TestMessage small(1, 100);
  const TestMessage large(2, 16 << 20);
  TestReceive receive(64, 16 << 20);
  const std::pair<const char*, std::function<void(Endpoint&)>> states[] = {
      {"idle", [](Endpoint&) {}},
      {"receiving", [&](Endpoint& end) { receive.post(end); }},
      {"sending more than fits", [&](Endpoint& end) { end.send(methods_[0], large.packets()); }},
      {"sending by the last method",
       [&](Endpoint& end) { end.send(methods_.back(), small.packets()); }},
      {"both", [&](Endpoint& end) {
         receive.post(end);
         end.send(methods_.back(), large.packets());
       }}};
  for (const auto& [name, enter] : states) {
    Pair pair = open_pair(GetParam());
    enter(*pair.near);
    for (int i = 0; i < 3; ++i) pair.near->poll(), pair.far->poll();
    pair.far.reset();
    EXPECT_EQ(fault_of([&] { pair.near->poll(); }), Fault::kPeer) << name;
  }
}

TEST_P(Contract, MessagesCountedAsSentArriveAfterTheirSenderClosed) {
  const TestMessage message(1, 20000);
  near().send(methods_[0], message.packets());
  near().send(methods_[0], message.packets());
  unsigned sent = 0;
  for (int i = 0; i < 10000 && sent < 2; ++i) sent += near().poll().sent;
  if (sent < 2) GTEST_SKIP() << "sends end with their receives";
  pair_.near.reset();
  for (int i = 0; i < 2; ++i) {
    TestReceive receive(message);
    receive.post(far());
    ASSERT_TRUE(eventually([&] {
      receive.take(far().poll());
      return receive.done();
    }));
    EXPECT_TRUE(receive.holds(message));
  }
}

TEST_P(Contract, CopyIsTheMachinesOwn) {
  for (const std::size_t size_bytes : {0, 1, 100000}) {
    const std::vector<std::byte> from = TestMessage(1, size_bytes).bodies();
    std::vector<std::byte> to(size_bytes);
    near().copy(to, from);
    EXPECT_EQ(to, from);
  }
}

TEST_P(Contract, OffersMethodsInOrderWithoutRepetition) {
  ASSERT_FALSE(methods_.empty());
  for (std::size_t i = 1; i < methods_.size(); ++i) EXPECT_LT(methods_[i - 1], methods_[i]);
  for (const Method method : methods_) EXPECT_GE(near().size_bytes_max(method), 64u << 20);
}

using ContractDeathTest = Contract;
TEST_P(ContractDeathTest, BreakingTheContractIsABug) {
  const TestMessage message(1, 100);
  EXPECT_DEATH(near().send(methods_[0], {}), "bug");
  EXPECT_DEATH(
      {
        for (std::size_t i = 0; i <= kSendsInFlightMax; ++i) {
          near().send(methods_.back(), message.packets());
        }
        for (std::size_t i = 0; i <= kSendsInFlightMax; ++i) {
          near().send(methods_[0], TestMessage(1, 32 << 20).packets());
        }
      },
      "bug");
  TestReceive receive(message);
  for (std::size_t i = 0; i < near().receives_max(); ++i) receive.post(near());
  EXPECT_DEATH(receive.post(near()), "bug");
}

INSTANTIATE_TEST_SUITE_P(Rails, Contract, testing::ValuesIn(kRailsUnderTest), name_of_rail);
INSTANTIATE_TEST_SUITE_P(Rails, ContractDeathTest, testing::ValuesIn(kRailsUnderTest),
                         name_of_rail);

}  // namespace
}  // namespace nmt::drivers
