// SPDX-License-Identifier: BSD-3-Clause
//
// Where an allocation fails: a call that throws has changed nothing.
#include <gtest/gtest.h>

#include <new>

#include "tests/engine/couple.h"
#include "tests/engine/stepped_endpoint.h"
#include "tests/engine/traffic.h"
#include "tests/runtime/malloc_hooks.h"

namespace nmt::engine {
namespace {

constexpr std::uint64_t kAllocationsMax = 100;  // of one call, by far

// True where the call was refused, for want of the n-th allocation.
template <class Call>
bool refuses(std::uint64_t n, Call call) {
  planted::fail_allocation(n);
  bool refused = false;
  try {
    call();
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  EXPECT_EQ(refused, planted::has_failed());
  planted::fail_allocation(0);
  return refused;
}

// How an operation of `engine` ended, once the couple has turned for it; nothing where it did not.
std::optional<Completion> end_of(Couple& couple, Engine& engine, Engine::Request request) {
  std::optional<Completion> completion;
  turn_until(*couple.a, *couple.b, [&] { return (completion = engine.test(request)).has_value(); });
  return completion;
}

struct Message {
  std::vector<std::byte> memory = std::vector<std::byte>(2000);
  Engine::Request request = 0;
};

// What was refused is not sent, and holds up nothing that is sent after it.
TEST(NoMemory, SendsThatAreRefusedAreNotSent) {
  Couple couple(2, 1);
  std::vector<Message> sent;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Message message;
    fill(message.memory, sent.size());
    const drivers::ConstBytes parts[] = {message.memory};
    if (!refuses(1 + i % 6, [&] { message.request = couple.a->isend(0, 1, parts); })) {
      sent.push_back(std::move(message));
    }
  }
  EXPECT_GT(sent.size(), 100u);
  EXPECT_LT(sent.size(), 250u);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    std::vector<std::byte> room(2000);
    const drivers::Bytes place[] = {room};
    const auto completion = end_of(couple, *couple.b, couple.b->irecv(0, 1, place));
    ASSERT_TRUE(completion) << i;
    EXPECT_TRUE(holds(room, i)) << i;
    EXPECT_TRUE(end_of(couple, *couple.a, sent[i].request));
  }
}

TEST(NoMemory, ReceivesThatAreRefusedTakeNoMessage) {
  Couple couple(2, 1);
  std::vector<Message> taken, refused;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Message message;
    const drivers::Bytes place[] = {message.memory};
    const bool no = refuses(1 + i % 6, [&] { message.request = couple.a->irecv(0, 1, place); });
    (no ? refused : taken).push_back(std::move(message));
  }
  EXPECT_GT(taken.size(), 50u);
  EXPECT_GT(refused.size(), 50u);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    std::vector<std::byte> content(2000);
    fill(content, i);
    const drivers::ConstBytes parts[] = {content};
    EXPECT_TRUE(end_of(couple, *couple.b, couple.b->isend(0, 1, parts)));
    ASSERT_TRUE(end_of(couple, *couple.a, taken[i].request)) << i;
    EXPECT_EQ(taken[i].memory, content) << i;
  }
  for (const Message& message : refused) {
    EXPECT_EQ(message.memory, std::vector<std::byte>(2000)) << "written after it was refused";
  }
}

struct Came {
  const char* name;
  std::size_t size_bytes;
  std::size_t room_bytes;
};

class NoMemoryForWhatCame : public testing::TestWithParam<Came> {};

// The message goes to the next receive.
TEST_P(NoMemoryForWhatCame, AReceiveThatIsRefusedLeavesTheMessageAlone) {
  const auto [name, size_bytes, room_bytes] = GetParam();
  std::vector<std::byte> message(size_bytes);
  fill(message, 7);
  const drivers::ConstBytes parts[] = {message};
  bool refused = true;
  for (std::uint64_t n = 1; refused; ++n) {
    ASSERT_LT(n, kAllocationsMax);
    Couple couple(2, n);
    const Engine::Request send = couple.b->isend(0, 1, parts);
    for (int i = 0; i < 500; ++i) couple.a->progress(), couple.b->progress();
    std::vector<std::byte> refused_room(room_bytes);
    std::vector<std::byte> room(room_bytes);
    const drivers::Bytes refused_place[] = {refused_room};
    const drivers::Bytes place[] = {room};
    Engine::Request receive = 0;
    refused = refuses(n, [&] { receive = couple.a->irecv(0, 1, refused_place); });
    if (!refused) break;
    receive = couple.a->irecv(0, 1, place);
    const std::optional<Completion> completion = end_of(couple, *couple.a, receive);
    ASSERT_TRUE(completion) << "allocation " << n;
    EXPECT_EQ(completion->size_bytes, size_bytes) << "allocation " << n;
    const bool fits = size_bytes <= room_bytes;
    EXPECT_EQ(completion->outcome, fits ? Outcome::kDone : Outcome::kTooSmall);
    EXPECT_TRUE(!fits || holds(room, 7)) << "allocation " << n;
    EXPECT_EQ(refused_room, std::vector<std::byte>(room_bytes)) << "allocation " << n;
    EXPECT_TRUE(end_of(couple, *couple.b, send)) << "allocation " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Messages, NoMemoryForWhatCame,
                         testing::Values(Came{"eager", 3000, 3000}, Came{"eager_too_long", 3000, 9},
                                         Came{"asks", 300000, 300000},
                                         Came{"asks_too_long", 300000, 9}),
                         [](const auto& tested) { return tested.param.name; });

// Runs `work` with its n-th allocation and all after it failing; true where it came to that.
template <class Work>
bool short_of_memory(std::uint64_t n, Work work) {
  planted::fail_allocation(n);
  try {
    work();
  } catch (const std::bad_alloc&) {  // said, and nothing of it is left to do
  }
  const bool failed = planted::has_failed();
  planted::fail_allocation(0);
  return failed;
}

struct Announced {
  const char* name;
  Kind kind;
  std::size_t room_bytes;  // of the receive that is posted; 0: none is
};

class NoMemoryToAccept : public testing::TestWithParam<Announced> {};

// The rail goes on once there is memory again.
TEST_P(NoMemoryToAccept, WhatIsAnnouncedWaitsUntilThereIs) {
  const auto [name, kind, room_bytes] = GetParam();
  for (std::uint64_t n = 1;; ++n) {
    ASSERT_LT(n, kAllocationsMax);
    Couple couple(1, 1);
    auto end = std::make_unique<SteppedEndpoint>();
    SteppedEndpoint& rail = *end;
    std::vector<LinkDescription> links;
    links.push_back({std::move(end), "memory:s", {Method::kCopy}});
    const std::size_t gate = couple.a->add_gate("stepped", std::move(links));
    std::vector<std::byte> room(3000);
    const drivers::Bytes place[] = {drivers::Bytes(room).first(room_bytes)};
    if (room_bytes > 0) couple.a->irecv(gate, 4, place);
    couple.a->progress();
    rail.announce({.kind = kind, .body_bytes = 2000, .tag = 4, .total_bytes = 3000});
    const bool failed = short_of_memory(n, [&] { couple.a->progress(), couple.a->progress(); });
    if (rail.accepted() > 0) break;  // what fails after that is no matter of this test
    EXPECT_TRUE(failed);
    couple.a->progress();
    ASSERT_TRUE(couple.a->links(gate)[0].alive) << "allocation " << n;
    ASSERT_EQ(rail.accepted(), 1u) << "allocation " << n;
    rail.finish();
    couple.a->progress();
    rail.announce(
        {.kind = kind, .body_bytes = 1000, .tag = 4, .total_bytes = 3000, .offset_bytes = 2000});
    for (int i = 0; i < 3; ++i) couple.a->progress();
    rail.finish();
    couple.a->progress();
    EXPECT_TRUE(couple.a->links(gate)[0].alive) << "allocation " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Messages, NoMemoryToAccept,
                         testing::Values(Announced{"eager", Kind::kEager, 0},
                                         Announced{"eager_posted", Kind::kEager, 3000},
                                         Announced{"eager_too_long", Kind::kEager, 10},
                                         Announced{"ahead", Kind::kAhead, 0},
                                         Announced{"ahead_posted", Kind::kAhead, 3000},
                                         Announced{"ahead_too_long", Kind::kAhead, 10}),
                         [](const auto& tested) { return tested.param.name; });

// What is under way over the same rail meanwhile comes all the same.
TEST(NoMemory, WhatIsAnnouncedBehindAnotherMessageWaitsAlone) {
  for (std::uint64_t n = 1;; ++n) {
    ASSERT_LT(n, kAllocationsMax);
    Couple couple(1, 1);
    auto end = std::make_unique<SteppedEndpoint>(2);
    SteppedEndpoint& rail = *end;
    std::vector<LinkDescription> links;
    links.push_back({std::move(end), "memory:s", {Method::kCopy}});
    const std::size_t gate = couple.a->add_gate("stepped", std::move(links));
    std::vector<std::byte> room(3000);
    const drivers::Bytes place[] = {room};
    const Engine::Request request = couple.a->irecv(gate, 4, place);
    const auto piece = [](std::uint64_t offset_bytes, std::uint32_t size_bytes) {
      return Label{.kind = Kind::kEager,
                   .body_bytes = size_bytes,
                   .tag = 4,
                   .total_bytes = 3000,
                   .offset_bytes = offset_bytes};
    };
    rail.announce(piece(0, 2000));
    couple.a->progress();
    ASSERT_EQ(rail.accepted(), 1u);
    rail.announce(piece(2000, 500), piece(2500, 500));
    const bool failed = short_of_memory(n, [&] { couple.a->progress(); });
    if (rail.accepted() == 2) break;  // what fails after that is no matter of this test
    EXPECT_TRUE(failed);
    rail.finish();
    couple.a->progress();
    ASSERT_EQ(rail.accepted(), 2u) << "allocation " << n;
    rail.finish();
    couple.a->progress();
    const std::optional<Completion> completion = couple.a->test(request);
    ASSERT_TRUE(completion) << "allocation " << n;
    EXPECT_EQ(completion->outcome, Outcome::kDone) << "allocation " << n;
    EXPECT_EQ(room, std::vector<std::byte>(3000, std::byte{0x2a})) << "allocation " << n;
  }
}

// At any other moment too, what is under way ends: as it should, or as lost where an engine cannot
// know any more what it told the other.
TEST(NoMemory, EveryOperationEndsWhereverItFails) {
  constexpr std::size_t kSizes[] = {100, 3000, 300000};
  int failures = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Couple couple(2, seed);
    Engine* const engines[] = {couple.a.get(), couple.b.get()};
    struct Operation {
      Engine* engine;
      Engine::Request request;
      std::vector<std::byte> memory;
      bool receives;
    };
    std::vector<Operation> operations;
    for (Engine* engine : engines) {
      for (std::size_t i = 0; i < std::size(kSizes); ++i) {
        std::vector<std::byte> out(kSizes[i]), in(kSizes[i]);
        fill(out, i);
        const drivers::ConstBytes parts[] = {out};
        const drivers::Bytes place[] = {in};
        operations.push_back({engine, engine->isend(0, i, parts), std::move(out), false});
        operations.push_back({engine, engine->irecv(0, i, place), std::move(in), true});
      }
    }
    for (std::uint64_t round = 0; round < seed / 10; ++round) {
      couple.a->progress(), couple.b->progress();
    }
    failures += short_of_memory(1 + seed % 10, [&] { couple.a->progress(); });
    for (const Operation& operation : operations) {
      const auto completion = end_of(couple, *operation.engine, operation.request);
      ASSERT_TRUE(completion) << "seed " << seed;
      const bool done = completion->outcome == Outcome::kDone;
      EXPECT_TRUE(done || completion->outcome == Outcome::kLost) << "seed " << seed;
      if (!done || !operation.receives) continue;
      const std::size_t tag = std::ranges::find(kSizes, operation.memory.size()) - kSizes;
      EXPECT_TRUE(holds(operation.memory, tag)) << "seed " << seed;
    }
  }
  EXPECT_GT(failures, 20);
}

}  // namespace
}  // namespace nmt::engine
