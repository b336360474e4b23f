// SPDX-License-Identifier: BSD-3-Clause
//
// What a verbs rail does with what a device and a peer can do to it.
#include "drivers/verbs/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "core/error.h"
#include "core/json.h"
#include "drivers/verbs/driver.h"
#include "tests/drivers/pair.h"
#include "tests/verbs/stub.h"

namespace nmt::verbs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class VerbsEndpoints : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    pair_ = drivers::open_pair("verbs:stub0/1");
    pair_.use("rdma_read");
  }
  void TearDown() override {
    pair_ = {};
    stub::reset();
    EXPECT_EQ(stub::counts().contexts, 0u);
    EXPECT_EQ(stub::counts().queues, 0u);
    EXPECT_EQ(stub::counts().regions, 0u);
  }

  // "received", or what the ends say instead, polled as long as it takes.
  std::string move(Method method, const drivers::TestMessage& message) {
    drivers::TestReceive receive(message);
    try {
      receive.post(*pair_.far);
      pair_.near->send(method, message.packets());
      unsigned sent = 0;
      const bool done = drivers::eventually([&] {
        sent += pair_.near->poll().sent;
        receive.take(pair_.far->poll());
        return sent == 1 && receive.done();
      });
      return done ? receive.holds(message) ? "received" : "received something else" : "nothing";
    } catch (const Error& error) {
      return (error.fault() == Fault::kPeer ? "peer: " : "failed: ") + std::string(error.what());
    }
  }

  drivers::Pair pair_;
};

constexpr std::size_t kLarge = 100000;

TEST_F(VerbsEndpoints, SmallMessagesGoInline) {
  const auto before = stub::counts();
  EXPECT_EQ(move(Method::kCopy, drivers::TestMessage(1, {8}, {8})), "received");
  EXPECT_EQ(move(Method::kIovec, drivers::TestMessage(1, {8}, {8})), "received");
  EXPECT_EQ(stub::counts().inlined, before.inlined + 2);
  EXPECT_EQ(stub::counts().registrations, before.registrations);
  EXPECT_EQ(move(Method::kCopy, drivers::TestMessage(1, {8}, {200})), "received");
  EXPECT_EQ(stub::counts().inlined, before.inlined + 2);
}

TEST_F(VerbsEndpoints, ASmallMessageBehindOneThatWaitsKeepsItsPlace) {
  const drivers::TestMessage large(1, kLarge), small(2, 8);
  drivers::TestReceive first(large), second(small);
  pair_.near->send(Method::kRendezvous, large.packets());
  pair_.near->send(Method::kCopy, small.packets());
  first.post(*pair_.far);
  unsigned sent = 0;
  bool posted = false;
  EXPECT_TRUE(drivers::eventually([&] {
    sent += pair_.near->poll().sent;
    (posted ? second : first).take(pair_.far->poll());
    if (first.done() && !posted) second.post(*pair_.far), posted = true;
    return sent == 2 && second.done();
  }));
  EXPECT_TRUE(first.holds(large) && second.holds(small));
}

TEST_F(VerbsEndpoints, FewPiecesOfWorkTell) {
  const auto before = stub::counts();
  for (int i = 0; i < 160; ++i)
    ASSERT_EQ(move(Method::kCopy, drivers::TestMessage(1, 8)), "received");
  EXPECT_GE(stub::counts().posted - before.posted, 160u);
  EXPECT_LE(stub::counts().signalled - before.signalled, 20u);
}

TEST_F(VerbsEndpoints, MorePiecesThanTheDeviceTakesAreSplit) {
  const std::vector<std::size_t> headers(drivers::kPacketsMax, 1),
      bodies(drivers::kPacketsMax, 300);
  for (const char* way : {"rdma_read", "rdma_write"}) {
    pair_.use(way);
    for (const Method method : kMethods) {
      EXPECT_EQ(move(method, drivers::TestMessage(3, headers, bodies)), "received")
          << to_string(method);
    }
  }
}

// More places than one grant lists.
TEST_F(VerbsEndpoints, AMessageMayBeAcceptedInManyPieces) {
  for (const char* way : {"rdma_read", "rdma_write"}) {
    pair_.use(way);
    const drivers::TestMessage message(4, 30000);
    std::vector<std::byte> headers(64), bodies(30000);
    std::vector<drivers::Bytes> places;
    for (std::size_t at = 0; at < bodies.size(); at += 25) {
      places.push_back(drivers::Bytes(bodies).subspan(at, 25));
    }
    pair_.far->listen(headers);
    pair_.near->send(Method::kRendezvous, message.packets());
    bool received = false;
    unsigned sent = 0;
    EXPECT_TRUE(drivers::eventually([&] {
      sent += pair_.near->poll().sent;
      const drivers::Endpoint::Progress progress = pair_.far->poll();
      if (progress.announced) pair_.far->accept(places);
      received |= progress.received;
      return received && sent == 1;
    }));
    EXPECT_EQ(bodies, message.bodies()) << way;
  }
}

// One poll of the receiver posts the reads, or grants the places, of all messages that it has
// receives for; one poll of the sender writes all that is granted.
TEST_F(VerbsEndpoints, BodiesOfAllPostedReceivesMoveAtTheSameTime) {
  for (const char* way : {"rdma_read", "rdma_write"}) {
    SCOPED_TRACE(way);
    pair_.use(way);
    const unsigned count = static_cast<unsigned>(pair_.far->receives_max());
    ASSERT_GE(count, 2u);
    std::deque<drivers::TestMessage> messages;
    std::deque<drivers::TestReceive> receives;
    for (unsigned i = 0; i < count; ++i) {
      messages.emplace_back(i, kLarge);
      receives.emplace_back(messages.back());
      receives.back().post(*pair_.far);
      pair_.near->send(Method::kRendezvous, messages.back().packets());
    }
    const auto before = stub::counts();
    EXPECT_FALSE(pair_.far->poll().received);
    EXPECT_EQ(stub::counts().posted, before.posted + count);
    unsigned sent = 0, received = 0;
    EXPECT_TRUE(drivers::eventually([&] {
      sent += pair_.near->poll().sent;
      const drivers::Endpoint::Progress progress = pair_.far->poll();
      if (progress.received) receives[received++].take(progress);
      return sent == count && received == count;
    }));
    for (unsigned i = 0; i < count; ++i) EXPECT_TRUE(receives[i].holds(messages[i])) << i;
  }
}

// The first takes several grants, and those of the second come after all of them; so do reports.
TEST_F(VerbsEndpoints, MessagesOfBothWaysAndManyPlacesKeepTheirOrder) {
  const std::vector<const char*> orders[] = {{"rdma_write", "rdma_write", "rdma_read"},
                                             {"rdma_read", "rdma_write", "rdma_read"},
                                             {"rdma_write", "rdma_read", "rdma_write"}};
  for (const auto& ways : orders) {
    std::deque<drivers::TestMessage> messages;
    std::vector<std::vector<std::byte>> headers(ways.size()), bodies(ways.size());
    for (std::size_t i = 0; i < ways.size(); ++i) {
      messages.emplace_back(i, 30000);
      headers[i].resize(64);
      bodies[i].resize(30000);
      pair_.far->listen(headers[i]);
      pair_.use(ways[i]);
      pair_.near->send(Method::kRendezvous, messages.back().packets());
    }
    std::size_t sent = 0, announced = 0, received = 0;
    EXPECT_TRUE(drivers::eventually([&] {
      sent += pair_.near->poll().sent;
      const drivers::Endpoint::Progress progress = pair_.far->poll();
      received += progress.received;
      if (progress.announced) {
        std::vector<drivers::Bytes> places;
        for (std::size_t at = 0; at < bodies[announced].size(); at += 25) {
          places.push_back(drivers::Bytes(bodies[announced]).subspan(at, 25));
        }
        pair_.far->accept(places);
        ++announced;
      }
      return sent == ways.size() && received == ways.size();
    }));
    for (std::size_t i = 0; i < ways.size(); ++i) EXPECT_EQ(bodies[i], messages[i].bodies()) << i;
  }
}

TEST_F(VerbsEndpoints, EveryClassOfFailedCompletionSaysWhoFailed) {
  const std::pair<ibv_wc_status, const char*> classes[] = {
      {IBV_WC_LOC_LEN_ERR, "peer: verbs:stub0/1: the peer sent more than the buffer holds"},
      {IBV_WC_LOC_QP_OP_ERR, "failed: verbs:stub0/1: the device failed"},
      {IBV_WC_LOC_PROT_ERR, "failed: verbs:stub0/1: the device failed"},
      {IBV_WC_WR_FLUSH_ERR, "peer: verbs:stub0/1: the connection was shut down"},
      {IBV_WC_BAD_RESP_ERR, "peer: verbs:stub0/1: the peer failed"},
      {IBV_WC_LOC_ACCESS_ERR, "failed: verbs:stub0/1: the device failed"},
      {IBV_WC_REM_INV_REQ_ERR, "peer: verbs:stub0/1: the peer failed"},
      {IBV_WC_REM_ACCESS_ERR, "peer: verbs:stub0/1: the peer refused the access to its memory"},
      {IBV_WC_REM_OP_ERR, "peer: verbs:stub0/1: the peer failed"},
      {IBV_WC_RETRY_EXC_ERR, "peer: verbs:stub0/1: the peer no longer answers"},
      {IBV_WC_RNR_RETRY_EXC_ERR, "peer: verbs:stub0/1: the peer no longer receives"},
      {IBV_WC_REM_ABORT_ERR, "peer: verbs:stub0/1: the peer failed"},
      {IBV_WC_FATAL_ERR, "failed: verbs:stub0/1: the device failed"},
      {IBV_WC_GENERAL_ERR, "failed: verbs:stub0/1: the device failed"}};
  for (const auto& [status, answer] : classes) {
    for (const Method method : kMethods) {
      pair_ = drivers::open_pair("verbs:stub0/1");
      stub::settings().next_work = status;
      EXPECT_THAT(move(method, drivers::TestMessage(1, kLarge)), StartsWith(answer))
          << to_string(method);
    }
  }
}

TEST_F(VerbsEndpoints, EveryEventThatEndsARailIsSaid) {
  const std::pair<ibv_event_type, const char*> events[] = {
      {IBV_EVENT_DEVICE_FATAL, "the device failed or was removed"},
      {IBV_EVENT_PORT_ERR, "the port went down"},
      {IBV_EVENT_CQ_ERR, "the completion queue overflowed"}};
  for (const auto& [event, answer] : events) {
    pair_ = drivers::open_pair("verbs:stub0/1");
    stub::raise(event);
    EXPECT_THAT(move(Method::kRendezvous, drivers::TestMessage(1, kLarge)),
                testing::Not(HasSubstr("other")));
    std::string said;
    EXPECT_TRUE(drivers::eventually([&] {
      try {
        pair_.near->poll();
      } catch (const Error& error) {
        said = error.what();
      }
      return !said.empty();
    }));
    EXPECT_THAT(said, StartsWith(std::string("verbs:stub0/1: ") + answer));
  }
}

TEST_F(VerbsEndpoints, EventsOfOthersAreNone) {
  stub::raise(IBV_EVENT_PORT_ERR, "stub0", 2);
  stub::raise(IBV_EVENT_SM_CHANGE);
  for (int i = 0; i < 2000; ++i) pair_.near->poll();
  EXPECT_EQ(move(Method::kCopy, drivers::TestMessage(1, 8)), "received");
}

TEST_F(VerbsEndpoints, ACompletionQueueThatRunsOverEndsTheRail) {
  stub::settings().queues_hold_nothing = true;
  EXPECT_THAT(move(Method::kIovec, drivers::TestMessage(1, kLarge)),
              StartsWith("failed: verbs:stub0/1: the completion queue overflowed"));
}

TEST_F(VerbsEndpoints, AFailedRegistrationIsSaidWithItsRemedy) {
  stub::settings().failing["ibv_reg_mr"] = EPERM;
  EXPECT_THAT(move(Method::kIovec, drivers::TestMessage(1, kLarge)),
              AllOf(HasSubstr("cannot register"), HasSubstr("Operation not permitted")));
}

// A cable that was cut makes no sound; looking for the other end does.
TEST_F(VerbsEndpoints, ACutIsNoticedByAnIdleEnd) {
  stub::cut("stub0");
  std::string said;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(drivers::eventually([&] {
    try {
      pair_.near->poll();
    } catch (const Error& error) {
      said = error.what();
    }
    return !said.empty();
  }));
  EXPECT_THAT(said, HasSubstr("no longer answers"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(VerbsEndpoints, AFailedRailCanBeOpenedAgain) {
  stub::settings().next_work = IBV_WC_RETRY_EXC_ERR;
  EXPECT_THAT(move(Method::kCopy, drivers::TestMessage(1, kLarge)), StartsWith("peer:"));
  pair_ = drivers::open_pair("verbs:stub0/1");
  EXPECT_EQ(move(Method::kRendezvous, drivers::TestMessage(1, kLarge)), "received");
}

TEST_F(VerbsEndpoints, SleepingEndsWithTheNextMessage) {
  std::vector<pollfd> watched;
  EXPECT_FALSE(pair_.far->watch(watched));  // something may have come meanwhile
  pair_.far->poll();
  EXPECT_TRUE(pair_.far->watch(watched));
  ASSERT_EQ(watched.size(), 2u);
  EXPECT_EQ(::poll(watched.data(), 2, 0), 0);
  const drivers::TestMessage message(1, 8);
  pair_.near->send(Method::kCopy, message.packets());
  EXPECT_EQ(::poll(watched.data(), 2, 1000), 1);
  drivers::TestReceive receive(message);
  receive.post(*pair_.far);
  EXPECT_TRUE(drivers::eventually([&] {
    receive.take(pair_.far->poll());
    return receive.done();
  }));
}

// An exchange in which the other end says what this one would, but for one member.
class Lying final : public drivers::Exchange {
 public:
  Lying(std::string member, json::Value value) : member_(std::move(member)), value_(value) {}
  std::string swap(std::string_view mine) override {
    json::Value said = json::parse(mine, "introduction");
    return said.set(member_, value_).dump(-1);
  }

 private:
  std::string member_;
  json::Value value_;
};

std::string answer_to(drivers::Exchange& exchange) {
  const std::unique_ptr<drivers::Driver> driver = drivers::make_verbs_driver();
  try {
    driver->open(driver->detect().rails.at(0), drivers::Side::kNear, exchange);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kPeer);
    return error.what();
  }
  return "opened";
}

TEST_F(VerbsEndpoints, APeerOfAnotherVersionOrOtherSizesIsRefused) {
  for (const char* member : {"verbs", "cell_bytes", "credits"}) {
    Lying exchange(member, 7);
    EXPECT_THAT(answer_to(exchange), HasSubstr(std::string(member) + " is 7 on the peer and "))
        << member;
  }
}

TEST_F(VerbsEndpoints, APeerThatSaysSomethingElseIsRefused) {
  for (const char* text : {"", "{", "HTTP/1.1 200 OK", "{\"verbs\":1}", "[]", "null"}) {
    drivers::Saying exchange(text);
    EXPECT_THAT(answer_to(exchange), StartsWith("verbs:stub0/1: introduction of the peer"));
  }
  const std::pair<const char*, json::Value> lies[] = {{"queue", 1 << 24},   {"lid", -1},
                                                      {"gid", "::1"},       {"mtu_bytes", 1e9},
                                                      {"reads", "several"}, {"gid", nullptr}};
  for (const auto& [member, value] : lies) {
    Lying exchange(member, value);
    EXPECT_THAT(answer_to(exchange), HasSubstr(member));
  }
}

// A peer that speaks for itself: cells as the test says.
class VerbsStranger : public VerbsEndpoints {
 protected:
  void SetUp() override {
    drivers::ExchangePair meeting;
    near_ = std::make_unique<drivers::VerbsEndpoint>("verbs:near", "stub0/1");
    stranger_ = std::make_unique<drivers::VerbsConnection>(
        "verbs:stranger", "stub0/1", drivers::VerbsNeeds{.receives = 100, .sends = 100});
    memory_.resize(100 * drivers::VerbsCells::kCellBytes);
    region_ = stranger_->register_memory(memory_, drivers::VerbsAccess::kTarget);
    for (std::uint64_t i = 0; i < 100; ++i) {
      stranger_->receive({memory_.data() + i * drivers::VerbsCells::kCellBytes,
                          drivers::VerbsCells::kCellBytes, region_->local_key()},
                         i);
    }
    stranger_->connect(near_->connection().address());
    near_->connect(stranger_->address());
  }
  void TearDown() override {
    near_.reset();
    region_.reset();
    stranger_.reset();
    VerbsEndpoints::TearDown();
  }

  template <class... Parts>
  void say(const Parts&... parts) {
    std::vector<std::byte> cell;
    const auto append = [&](const auto& part) {
      const auto bytes = std::as_bytes(std::span(&part, 1));
      cell.insert(cell.end(), bytes.begin(), bytes.end());
    };
    (append(parts), ...);
    const auto region = stranger_->register_memory(cell, drivers::VerbsAccess::kOwn);
    stranger_->send(std::array{drivers::VerbsPiece{
                        cell.data(), static_cast<std::uint32_t>(cell.size()), region->local_key()}},
                    false, true);
  }

  // What the endpoint says of all that with a receive of 1000 bytes posted.
  std::string answer() {
    drivers::TestReceive receive(64, 1000);
    receive.post(*near_);
    try {
      for (int i = 0; i < 100; ++i) {
        if (near_->poll().received) return "received";
      }
    } catch (const Error& error) {
      return (error.fault() == Fault::kPeer ? "peer: " : "failed: ") + std::string(error.what());
    }
    return "waits";
  }

  static drivers::Frame frame(drivers::FrameKind kind, std::uint64_t body_bytes) {
    drivers::Frame made{.kind = kind, .packets = 1};
    made.body_bytes = body_bytes;
    return made;
  }

  std::unique_ptr<drivers::VerbsEndpoint> near_;
  std::unique_ptr<drivers::VerbsConnection> stranger_;
  std::vector<std::byte> memory_;
  std::shared_ptr<drivers::VerbsRegion> region_;
};

TEST_F(VerbsStranger, WhatIsNoCellIsALostPeer) {
  say(std::uint32_t{7});
  EXPECT_THAT(answer(), StartsWith("peer: verbs:near: the peer sent a cell of unknown kind"));
}

TEST_F(VerbsStranger, CellsOfAnotherKindOrMagicAreALostPeer) {
  say(drivers::CellHead{.kind = static_cast<drivers::CellKind>(99)});
  EXPECT_THAT(answer(), StartsWith("peer: verbs:near: the peer sent a cell of unknown kind 99"));
}

TEST_F(VerbsStranger, CreditsForWhatWasNotSentAreALostPeer) {
  say(drivers::CellHead{.kind = drivers::CellKind::kCredits, .freed = 5});
  EXPECT_THAT(answer(), StartsWith("peer: verbs:near: the peer freed a cell that was not sent"));
}

TEST_F(VerbsStranger, ControlThatNobodyAskedForIsALostPeer) {
  for (const drivers::CellKind kind :
       {drivers::CellKind::kGrant, drivers::CellKind::kWritten, drivers::CellKind::kRead}) {
    TearDown();
    SetUp();
    say(drivers::CellHead{.kind = kind});
    EXPECT_THAT(answer(), StartsWith("peer: verbs:near: the peer"));
  }
}

TEST_F(VerbsStranger, HalfAMessageIsALostPeer) {
  say(drivers::CellHead{}, std::uint64_t{1});
  EXPECT_THAT(answer(), StartsWith("peer: verbs:near: the peer sent only a part of a message"));
}

TEST_F(VerbsStranger, AnAbsurdLengthIsRefusedBeforeAnythingIsDoneWithIt) {
  say(drivers::CellHead{}, frame(drivers::FrameKind::kEager, std::uint64_t{1} << 60));
  EXPECT_THAT(answer(),
              StartsWith("peer: verbs:near: unexpected message from the peer: a message of"));
}

TEST_F(VerbsStranger, MoreThanWasAnnouncedIsALostPeer) {
  say(drivers::CellHead{}, frame(drivers::FrameKind::kEager, 4), std::uint64_t{1});
  EXPECT_THAT(answer(), StartsWith("peer: verbs:near: the peer sent more than it announced"));
}

TEST_F(VerbsStranger, MoreThanTheCreditsAllowIsALostPeer) {
  for (std::uint32_t i = 0; i <= drivers::VerbsCells::kCredits; ++i) say(drivers::CellHead{});
  EXPECT_THAT(
      [&] {
        try {
          for (int i = 0; i < 100; ++i) near_->poll();
        } catch (const Error& error) {
          return std::string(error.what());
        }
        return std::string("waits");
      }(),
      StartsWith("verbs:near: the peer sent more than its credits allow"));
}

TEST_F(VerbsStranger, AnOfferOfOtherSizesIsALostPeer) {
  say(drivers::CellHead{}, frame(drivers::FrameKind::kRequest, 500), std::uint64_t{1},
      drivers::VerbsTarget{0, 0, 900});
  EXPECT_THAT(answer(), HasSubstr("offered other sizes than it announced"));
}

TEST_F(VerbsStranger, ABodyTogetherWithItsOfferIsALostPeer) {
  say(drivers::CellHead{}, frame(drivers::FrameKind::kRequest, 500), std::uint64_t{1},
      drivers::VerbsTarget{0, 0, 500}, std::uint64_t{7});
  EXPECT_THAT(answer(), HasSubstr("sent a body together with its request"));
}

TEST_F(VerbsStranger, AnOfferOfMorePiecesThanPacketsIsALostPeer) {
  say(drivers::CellHead{}, frame(drivers::FrameKind::kRequest, 500), ~std::uint64_t{0});
  EXPECT_THAT(answer(), HasSubstr("sent only a part of a message"));
}

TEST_F(VerbsStranger, AKeyThatIsNoneIsALostPeer) {
  const drivers::VerbsTarget invented{0x1000, 4711, 500};
  say(drivers::CellHead{}, frame(drivers::FrameKind::kRequest, 500), std::uint64_t{1}, invented);
  EXPECT_THAT(answer(), StartsWith("peer: verbs:near: the peer refused the access to its memory"));
}

TEST_F(VerbsStranger, AnAddressOutsideTheAnnouncedRegionIsALostPeer) {
  const auto end = reinterpret_cast<std::uintptr_t>(memory_.data()) + memory_.size();
  say(drivers::CellHead{}, frame(drivers::FrameKind::kRequest, 500), std::uint64_t{1},
      drivers::VerbsTarget{end - 100, region_->remote_key(), 500});
  EXPECT_THAT(answer(), StartsWith("peer: verbs:near: the peer refused the access to its memory"));
}

TEST_F(VerbsStranger, GrantsAreHeldAgainstWhatWasAsked) {
  struct Case {
    std::size_t offset;  // from the stranger's memory
    std::uint32_t key;   // from its key
    std::uint32_t size_bytes;
    const char* answer;
  };
  const Case cases[] = {{0, 0, 1001, "granted memory that was not requested"},
                        {0, 0, 0, "granted memory that was not requested"},
                        {memory_.size(), 0, 500, "refused the access to its memory"},
                        {0, 77, 500, "refused the access to its memory"}};
  for (const Case& each : cases) {
    near_->use(Method::kRendezvous, 1);
    const drivers::TestMessage message(1, {8}, {1000});
    near_->send(Method::kRendezvous, message.packets());
    say(drivers::CellHead{.kind = drivers::CellKind::kGrant},
        drivers::VerbsTarget{reinterpret_cast<std::uintptr_t>(memory_.data()) + each.offset,
                             region_->remote_key() + each.key, each.size_bytes});
    EXPECT_THAT(answer(), AllOf(StartsWith("peer: verbs:near"), HasSubstr(each.answer)));
    TearDown();
    SetUp();
  }
}

}  // namespace
}  // namespace nmt::verbs
