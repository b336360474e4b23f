// SPDX-License-Identifier: BSD-3-Clause
//
// Receives from any gate and by parts of tags, probes, and cancelled operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/engine/couple.h"
#include "tests/engine/traffic.h"

namespace nmt::engine {
namespace {

// An engine with gates to two peers.
class Matching : public testing::Test {
 protected:
  Matching() {
    for (int i : {0, 1}) {
      EngineOptions options;
      options.clock = &clock_;
      peers_.push_back(std::make_unique<Engine>(options));
      if (i == 0) center_ = std::make_unique<Engine>(options);
      std::vector<LinkDescription> sides[2];
      for (std::uint64_t link = 0; link < 2; ++link) {
        wires_.push_back(std::make_shared<MemoryWire>(7 + 2 * link + static_cast<unsigned>(i)));
        for (int side : {0, 1}) {
          sides[side].push_back({std::make_unique<MemoryEndpoint>(wires_.back(), side),
                                 "memory:" + std::to_string(wires_.size()),
                                 {kMethods.begin(), kMethods.end()}});
        }
      }
      center_->add_gate("peer " + std::to_string(i), std::move(sides[0]));
      peers_[static_cast<std::size_t>(i)]->add_gate("center", std::move(sides[1]));
    }
  }

  void turn() {
    center_->progress();
    for (const auto& peer : peers_) peer->progress();
  }

  Engine::Request send(std::size_t peer, std::uint64_t tag, std::size_t size_bytes) {
    memories_.push_back(std::make_unique<std::vector<std::byte>>(size_bytes));
    fill(*memories_.back(), 100 * peer + tag);
    const drivers::ConstBytes message[] = {*memories_.back()};
    return peers_[peer]->isend(0, tag, message);
  }

  Engine::Request receive(const Match& wants, std::size_t size_bytes = 1 << 20) {
    memories_.push_back(std::make_unique<std::vector<std::byte>>(size_bytes));
    const drivers::Bytes place[] = {*memories_.back()};
    return center_->irecv(wants, place);
  }

  Completion end_of(Engine::Request request) {
    for (int i = 0; i < 100000; ++i) {
      turn();
      if (const std::optional<Completion> completion = center_->test(request)) return *completion;
    }
    ADD_FAILURE() << "the operation does not end";
    return {};
  }

  Envelope find(const Match& wants) {
    for (int i = 0; i < 100000; ++i) {
      turn();
      if (const std::optional<Envelope> found = center_->probe(wants)) return *found;
    }
    ADD_FAILURE() << "nothing comes";
    return {};
  }

  VirtualClock clock_;
  std::vector<std::shared_ptr<MemoryWire>> wires_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> memories_;
  std::unique_ptr<Engine> center_;
  std::vector<std::unique_ptr<Engine>> peers_;
};

TEST_F(Matching, AReceiveForAnyGateSaysWhereItsMessageCameFrom) {
  for (const std::size_t size_bytes : {10, 300000}) {
    for (const std::size_t peer : {1u, 0u}) {
      for (const bool expected : {true, false}) {
        Engine::Request request = 0;
        if (expected) request = receive({.tag = 5});
        send(peer, 5, size_bytes);
        if (!expected) {
          EXPECT_EQ(find({.tag = 5}).gate, peer);
          request = receive({.tag = 5});
        }
        const std::vector<std::byte>& room = *memories_.back();
        const std::vector<std::byte>& where = expected ? *memories_[memories_.size() - 2] : room;
        const Completion completion = end_of(request);
        EXPECT_EQ(completion.outcome, Outcome::kDone);
        EXPECT_EQ(completion.gate, peer);
        EXPECT_EQ(completion.tag, 5u);
        EXPECT_EQ(completion.size_bytes, size_bytes);
        EXPECT_TRUE(holds(std::span(where).first(size_bytes), 100 * peer + 5));
      }
    }
  }
}

TEST_F(Matching, OnlyTheBitsOfTheMaskAreCompared) {
  const Engine::Request wanted = receive({.gate = 0, .tag = 0x1200, .tag_mask = 0xff00});
  send(0, 0x1334, 8);
  send(0, 0x1256, 8);
  EXPECT_EQ(end_of(wanted).tag, 0x1256u);
  const Engine::Request any = receive({.gate = 0, .tag_mask = 0});
  EXPECT_EQ(end_of(any).tag, 0x1334u);
}

TEST_F(Matching, OfSeveralReceivesTheFirstPostedGetsTheMessage) {
  const Engine::Request first = receive({.tag_mask = 0});
  const Engine::Request second = receive({.gate = 1, .tag = 3});
  const Engine::Request third = receive({.gate = 1, .tag_mask = 0});
  send(1, 3, 8);
  send(1, 3, 9);
  send(1, 3, 10);
  EXPECT_EQ(end_of(first).size_bytes, 8u);
  EXPECT_EQ(end_of(second).size_bytes, 9u);
  EXPECT_EQ(end_of(third).size_bytes, 10u);
}

TEST_F(Matching, AProbeShowsTheMessageThatAReceiveWouldGetAndTakesNothing) {
  EXPECT_FALSE(center_->probe({}));
  send(0, 7, 20);
  send(0, 6, 200000);
  EXPECT_EQ(find({.tag = 6}).size_bytes, 200000u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(find({.gate = 0, .tag_mask = 0}).tag, 7u);
  EXPECT_FALSE(center_->probe({.gate = 1, .tag_mask = 0}));
  EXPECT_EQ(end_of(receive({.tag_mask = 0})).size_bytes, 20u);
  EXPECT_EQ(find({.tag_mask = 0}).tag, 6u);
}

TEST_F(Matching, GatesTakeTurnsInAProbe) {
  send(0, 1, 8);
  send(1, 1, 8);
  find({.gate = 0, .tag = 1});
  find({.gate = 1, .tag = 1});
  const std::size_t first = center_->probe({.tag = 1})->gate;
  EXPECT_NE(center_->probe({.tag = 1})->gate, first);
}

TEST_F(Matching, AReceiveForAnyGateGetsTheMessageThatAProbeShowed) {
  for (int i = 0; i < 3; ++i) send(0, 1, 8), send(1, 1, 9);
  find({.gate = 0, .tag = 1});
  find({.gate = 1, .tag = 1});
  for (const int probes : {1, 2, 1, 3, 1, 1}) {
    std::size_t shown = 0;
    for (int i = 0; i < probes; ++i) shown = center_->probe({.tag = 1})->gate;
    const Completion got = end_of(receive({.tag = 1}));
    EXPECT_EQ(got.gate, shown);
    EXPECT_EQ(got.size_bytes, shown == 0 ? 8u : 9u);
  }
}

TEST_F(Matching, GatesTakeTurnsInReceivesForAnyGate) {
  for (int i = 0; i < 2; ++i) send(0, 1, 8), send(1, 1, 8);
  find({.gate = 0, .tag = 1});
  find({.gate = 1, .tag = 1});
  const std::size_t first = end_of(receive({.tag = 1})).gate;
  EXPECT_NE(end_of(receive({.tag = 1})).gate, first);
}

TEST_F(Matching, ACancelledReceiveGetsNothing) {
  for (const Match& wants : {Match{.gate = 0, .tag = 4}, Match{.tag = 4}}) {
    const Engine::Request cancelled = receive(wants), other = receive(wants);
    EXPECT_TRUE(center_->cancel(cancelled));
    EXPECT_EQ(end_of(cancelled).outcome, Outcome::kCancelled);
    send(0, 4, 8);
    EXPECT_EQ(end_of(other).outcome, Outcome::kDone);
  }
}

TEST_F(Matching, WhatIsMatchedIsNotCancelledAlsoIfItsRailsDie) {
  for (const std::size_t rails : {1u, 2u}) {
    const auto grants = [&] {
      return center_->links(1)[0].packets_sent + center_->links(1)[1].packets_sent;
    };
    for (int i = 0; i < 1000; ++i) turn();  // the loss of a rail is told by packets too
    const std::uint64_t before = grants();
    const Engine::Request request = receive({.tag = 9});
    send(1, 9, 400000);
    while (grants() == before) turn();
    EXPECT_FALSE(center_->cancel(request));
    for (std::size_t i = 0; i < rails; ++i) wires_[2 + i]->cut();
    const Completion completion = end_of(request);
    if (rails == 1) {
      EXPECT_EQ(completion.outcome, Outcome::kDone);
    } else {
      EXPECT_NE(completion.outcome, Outcome::kCancelled);
    }
  }
}

TEST_F(Matching, ASendUnderWayIsNotCancelledAlsoIfItsRailsDie) {
  Engine& peer = *peers_[1];
  const auto sent = [&](auto member) {
    return peer.links(0)[0].*member + peer.links(0)[1].*member;
  };
  for (const std::size_t rails : {1u, 2u}) {
    const std::uint64_t packets = sent(&LinkState::packets_sent);
    const std::uint64_t bytes = sent(&LinkState::bytes_sent);
    const Engine::Request request = send(1, 9, 400000);
    const Engine::Request received = receive({.gate = 1, .tag = 9});
    while (sent(&LinkState::packets_sent) == packets) turn();
    EXPECT_FALSE(peer.cancel(request));  // it has asked
    while (sent(&LinkState::bytes_sent) == bytes) turn();
    for (std::size_t i = 0; i < rails; ++i) wires_[2 + i]->cut();
    EXPECT_FALSE(peer.cancel(request));
    while (peer.links(0)[rails - 1].alive) turn();
    EXPECT_FALSE(peer.cancel(request));  // it is sent again, or lost
    std::optional<Completion> completion;
    for (int i = 0; i < 100000 && !completion; ++i) turn(), completion = peer.test(request);
    ASSERT_TRUE(completion);
    if (rails == 1) {
      EXPECT_EQ(completion->outcome, Outcome::kDone);
      EXPECT_EQ(end_of(received).outcome, Outcome::kDone);
    } else {
      EXPECT_NE(completion->outcome, Outcome::kCancelled);
      EXPECT_NE(end_of(received).outcome, Outcome::kCancelled);
    }
  }
}

TEST_F(Matching, ASendIsCancelledUntilThePeerMayHaveHeardOfIt) {
  std::vector<std::byte> bytes(8);
  const drivers::ConstBytes message[] = {bytes};
  const Engine::Request first = center_->isend(0, 1, message);
  const Engine::Request second = center_->isend(0, 2, message);
  const Engine::Request third = center_->isend(0, 3, message);
  EXPECT_TRUE(center_->cancel(second));
  EXPECT_FALSE(center_->cancel(second));
  const Engine::Request sent[] = {first, third};
  std::vector<Engine::Request> came;
  for (const std::uint64_t tag : {1u, 3u}) {
    const drivers::Bytes place[] = {bytes};
    came.push_back(peers_[0]->irecv(0, tag, place));
  }
  for (const Engine::Request request : sent) EXPECT_EQ(end_of(request).outcome, Outcome::kDone);
  for (const Engine::Request request : came) {
    for (int i = 0; i < 1000 && !peers_[0]->test(request); ++i) turn();
  }
  EXPECT_EQ(end_of(second).outcome, Outcome::kCancelled);
  const Engine::Request late = center_->isend(0, 4, message);
  turn();
  EXPECT_FALSE(center_->cancel(late));
}

TEST_F(Matching, AReceiveForAnyGateIsLostWithTheLastGate) {
  const Engine::Request request = receive({.tag_mask = 0});
  wires_[0]->cut(), wires_[1]->cut();
  while (center_->links(0)[0].alive || center_->links(0)[1].alive) turn();
  EXPECT_FALSE(center_->test(request));
  wires_[2]->cut(), wires_[3]->cut();
  EXPECT_EQ(end_of(request).outcome, Outcome::kLost);
  EXPECT_EQ(end_of(receive({.tag_mask = 0})).outcome, Outcome::kLost);
}

// Messages of two peers, taken by receives of every kind in any order: each comes exactly once.
TEST_F(Matching, EveryMessageComesOnceWhateverReceivesThereAre) {
  constexpr std::size_t kMessages = 300;
  std::mt19937_64 random(1);
  std::vector<Engine::Request> requests;
  std::vector<std::uint64_t> sizes, came;
  for (std::size_t i = 0; i < kMessages; ++i) {
    const std::size_t size_bytes = i % 10 == 0 ? 70000 + i : i;
    sizes.push_back(size_bytes);
    send(random() % 2, random() % 8, size_bytes);
    if (i % 3 == 0) turn();
    const std::uint64_t mask = random() % 3 == 0 ? 0 : random() % 2 == 0 ? 4 : ~std::uint64_t{0};
    requests.push_back(receive({.gate = random() % 2 == 0 ? kAnyGate : random() % 2,
                                .tag = random() % 8,
                                .tag_mask = mask},
                               80000));
  }
  for (int i = 0; i < 20000; ++i) turn();
  for (const Engine::Request request : requests) {
    std::optional<Completion> completion = center_->test(request);
    if (!completion) {
      ASSERT_TRUE(center_->cancel(request));
      completion = center_->test(request);
      EXPECT_EQ(completion->outcome, Outcome::kCancelled);
    } else {
      came.push_back(completion->size_bytes);
    }
  }
  while (came.size() < kMessages) {
    const Completion completion = end_of(receive({.tag_mask = 0}, 80000));
    ASSERT_EQ(completion.outcome, Outcome::kDone);
    came.push_back(completion.size_bytes);
  }
  std::ranges::sort(came);
  std::ranges::sort(sizes);
  EXPECT_EQ(came, sizes);
}

}  // namespace
}  // namespace nmt::engine
