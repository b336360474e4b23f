// SPDX-License-Identifier: BSD-3-Clause
//
// A gate whose peer is no engine, or one that lies: it is given up, and the other gates go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "core/error.h"
#include "engine/wire.h"
#include "tests/engine/couple.h"
#include "tests/engine/stepped_endpoint.h"
#include "tests/engine/traffic.h"

namespace nmt::engine {
namespace {

using ::testing::HasSubstr;

// Couple's engine `a` with a second gate, whose other end this test plays by itself.
class Hostile : public testing::Test {
 protected:
  Hostile() {
    std::vector<LinkDescription> links;
    links.push_back({std::make_unique<MemoryEndpoint>(wire_, 0), "memory:h", {Method::kCopy}});
    gate_ = couple_.a->add_gate("hostile", std::move(links));
    attacker_ = std::make_unique<MemoryEndpoint>(wire_, 1);
  }

  void say(const Head& head, const std::vector<Label>& labels, std::size_t body_bytes = 0) {
    headers_.resize(sizeof head + labels.size() * sizeof(Label));
    std::memcpy(headers_.data(), &head, sizeof head);
    std::memcpy(headers_.data() + sizeof head, labels.data(), labels.size() * sizeof(Label));
    body_.resize(body_bytes);
    const drivers::Packet packet{headers_, body_};
    attacker_->send(Method::kCopy, std::span(&packet, 1));
  }

  void say_garbage() {
    headers_.assign(100, std::byte{0x2a});
    const drivers::Packet packet{headers_, {}};
    attacker_->send(Method::kCopy, std::span(&packet, 1));
  }

  bool is_given_up() const { return !couple_.a->links(gate_)[0].alive; }

  // Turns until the gate is given up; then its operations end as lost.
  void expect_given_up(const std::string& why) {
    const Engine::Request request = couple_.a->irecv(gate_, 1, {});
    ASSERT_TRUE(turn_until(*couple_.a, *couple_.b, [&] { return is_given_up(); }));
    EXPECT_EQ(couple_.a->wait(request, std::chrono::seconds(1))->outcome, Outcome::kLost);
    ASSERT_FALSE(couple_.reports.empty());
    EXPECT_THAT(couple_.reports.back(), HasSubstr(why));
  }

  void expect_others_unaffected() {
    EXPECT_EQ(run_traffic(*couple_.a, 0, *couple_.b, 0, {.messages = 100}), "");
  }

  Couple couple_{2, 1};
  std::shared_ptr<MemoryWire> wire_ = std::make_shared<MemoryWire>(9);
  std::size_t gate_ = 0;
  std::unique_ptr<MemoryEndpoint> attacker_;
  std::vector<std::byte> headers_, body_;
};

TEST_F(Hostile, GarbageIsRefused) {
  say_garbage();
  expect_given_up("hostile: lost: memory:h: malformed message from the peer");
  expect_others_unaffected();
}

TEST_F(Hostile, AnotherVersionIsRefused) {
  say({.version = Head::kVersion + 1}, {Label{}});
  expect_given_up("it has another version");
  expect_others_unaffected();
}

TEST_F(Hostile, AnEagerMessageBeyondTheAgreedSizeIsRefused) {
  say({}, {{.kind = Kind::kEager, .body_bytes = 10, .total_bytes = 1 << 30}}, 10);
  expect_given_up("bytes without asking");
  expect_others_unaffected();
}

TEST_F(Hostile, AGrantOfNothingIsRefused) {
  say({}, {{.kind = Kind::kGrant, .sequence = 5}});
  expect_given_up("granted a message that did not ask");
  expect_others_unaffected();
}

TEST_F(Hostile, ALinkThatDoesNotExistIsNotGivenUp) {
  say({}, {{.kind = Kind::kLinkDown, .sequence = 7}});
  expect_given_up("a link that does not exist");
  expect_others_unaffected();
}

TEST_F(Hostile, AMessageThatGivesUpItsOwnLinkEndsThere) {
  say({}, {{.kind = Kind::kLinkDown}, {.kind = Kind::kEager}});
  expect_given_up("the peer gave up this link");
  expect_others_unaffected();
}

TEST_F(Hostile, ConfirmingOrReleasingWhatNeverWasIsRefused) {
  say({.received = 3}, {Label{}});
  expect_given_up("confirmed packets that were not sent");
  expect_others_unaffected();
}

TEST_F(Hostile, AMessageOf2To60BytesTakesNoMemoryAndIsTooLargeForItsReceive) {
  const Label request{.kind = Kind::kRequest, .tag = 3, .total_bytes = std::uint64_t{1} << 60};
  say({}, {request});
  std::vector<std::byte> memory(1000);
  const drivers::Bytes room[] = {memory};
  const Engine::Request receive = couple_.a->irecv(gate_, 3, room);
  std::optional<Completion> completion;
  ASSERT_TRUE(turn_until(*couple_.a, *couple_.b,
                         [&] { return (completion = couple_.a->test(receive)).has_value(); }));
  EXPECT_EQ(completion->outcome, Outcome::kTooSmall);
  EXPECT_EQ(completion->size_bytes, std::uint64_t{1} << 60);
  EXPECT_FALSE(is_given_up());
  expect_others_unaffected();
}

TEST_F(Hostile, RequestsThatNobodyReceivesFillTheirRoomAndNoMore) {
  for (std::uint64_t sequence = 0; !is_given_up() && sequence < 1000000; ++sequence) {
    std::vector<Label> labels;
    for (std::size_t i = 0; i < drivers::kPacketsMax; ++i) {
      labels.push_back({.kind = Kind::kRequest, .sequence = sequence * drivers::kPacketsMax + i});
    }
    say({}, labels);
    while (!is_given_up() && attacker_->poll().sent == 0) couple_.a->progress();
  }
  EXPECT_TRUE(is_given_up());
  EXPECT_THAT(couple_.reports.back(), HasSubstr("more than the receive buffer holds"));
  expect_others_unaffected();
}

// The memory of a receive is the application's once the receive has ended: nothing may still be
// written there, over another rail or by a later message over the same one.
TEST_F(Hostile, APieceThatIsAnnouncedTwiceIsNotWrittenTwice) {
  const Label whole{.kind = Kind::kEager, .body_bytes = 100, .tag = 4, .total_bytes = 100};
  Label part = whole;
  part.offset_bytes = 90;
  part.body_bytes = 10;
  for (const auto& [second, over] : {std::pair{whole, 1}, {part, 1}, {whole, 0}, {part, 0}}) {
    SteppedEndpoint* rails[2];
    std::vector<LinkDescription> links;
    for (SteppedEndpoint*& rail : rails) {
      auto end = std::make_unique<SteppedEndpoint>(2);
      rail = end.get();
      links.push_back({std::move(end), "memory:h", {Method::kCopy}});
    }
    gate_ = couple_.a->add_gate("hostile", std::move(links));
    auto memory = std::make_unique<std::byte[]>(100);
    const drivers::Bytes room[] = {{memory.get(), 100}};
    const Engine::Request receive = couple_.a->irecv(gate_, 4, room);
    rails[0]->announce(whole);
    couple_.a->progress();
    rails[over]->announce(second);
    couple_.a->progress();
    EXPECT_TRUE(is_given_up());
    if (!is_given_up()) {  // what then happens
      rails[0]->finish();
      EXPECT_FALSE(couple_.a->test(receive)) << "ended while a message is still written";
      memory.reset();
      rails[over]->finish();
    }
    expect_given_up("announced a piece twice");
  }
  expect_others_unaffected();
}

TEST_F(Hostile, WhoNeverAnswersHoldsUpNobodyElse) {
  std::vector<std::byte> memory(1 << 20);
  const drivers::ConstBytes message[] = {memory};
  const Engine::Request send = couple_.a->isend(gate_, 1, message);
  expect_others_unaffected();
  EXPECT_FALSE(couple_.a->wait(send, std::chrono::milliseconds(50)).has_value());
}

}  // namespace
}  // namespace nmt::engine
