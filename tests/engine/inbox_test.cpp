// SPDX-License-Identifier: BSD-3-Clause
#include "engine/inbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "core/error.h"
#include "tests/engine/traffic.h"

namespace nmt::engine {
namespace {

TEST(Coverage, CountsBytesWhateverTheirOrder) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
    std::uint64_t end = 0;
    while (parts.size() < 30) {
      const std::uint64_t size_bytes = 1 + random() % 100;
      parts.emplace_back(end, size_bytes);
      end += size_bytes;
    }
    std::shuffle(parts.begin(), parts.end(), random);
    Coverage coverage;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto& part = parts[i];
      const std::size_t link = random() % 3;
      EXPECT_TRUE(coverage.announce(part.first, part.second, link));
      const auto come = [&] { EXPECT_TRUE(coverage.come(part.first, part.second, link)); };
      if (i % 2 == 0) come();
      const auto& again = parts[random() % (i + 1)];
      EXPECT_FALSE(coverage.announce(again.first, again.second, random() % 3));
      EXPECT_FALSE(coverage.announce(again.first + again.second - 1, 1, random() % 3));
      if (i % 2 == 1) come();
    }
    EXPECT_EQ(coverage.bytes(), end);
  }
}

TEST(Coverage, AllowsOnlySoManyGaps) {
  Coverage coverage;
  for (std::size_t i = 0; i < Coverage::kPartsMax; ++i) {
    EXPECT_TRUE(coverage.announce(2 * i, 1, 0));
    EXPECT_TRUE(i % 2 == 0 || coverage.come(2 * i, 1, 0));
  }
  EXPECT_FALSE(coverage.announce(2 * Coverage::kPartsMax, 1, 0));
  EXPECT_TRUE(coverage.announce(1, 1, 0));  // closes one
}

TEST(Coverage, OnlyWhatWasAnnouncedOverTheLinkComes) {
  Coverage coverage;
  EXPECT_FALSE(coverage.come(0, 10, 0));
  EXPECT_TRUE(coverage.announce(0, 10, 0));
  EXPECT_FALSE(coverage.come(0, 10, 1));
  EXPECT_FALSE(coverage.come(0, 9, 0));
  EXPECT_TRUE(coverage.come(0, 10, 0));
  EXPECT_FALSE(coverage.come(0, 10, 0));
  EXPECT_EQ(coverage.bytes(), 10u);
}

TEST(Coverage, WhatALostLinkHadAnnouncedMayBeAnnouncedAgainAndWhatCameMayNot) {
  Coverage coverage;
  EXPECT_TRUE(coverage.announce(0, 10, 0));
  EXPECT_TRUE(coverage.announce(10, 10, 0));
  EXPECT_TRUE(coverage.announce(20, 10, 1));
  EXPECT_TRUE(coverage.come(0, 10, 0));
  coverage.forget(0);
  EXPECT_FALSE(coverage.announce(0, 10, 1));
  EXPECT_TRUE(coverage.announce(10, 10, 1));
  EXPECT_FALSE(coverage.announce(20, 10, 0));
}

TEST(Coverage, AMessageWithoutBytesIsOnePiece) {
  Coverage coverage;
  EXPECT_TRUE(coverage.announce(0, 0, 0));
  EXPECT_FALSE(coverage.announce(0, 0, 1));
  EXPECT_TRUE(coverage.come(0, 0, 0));
  EXPECT_FALSE(coverage.announce(0, 0, 0));
}

class InboxTest : public testing::Test {
 protected:
  Label eager(std::uint64_t sequence, std::uint64_t tag, std::uint32_t body_bytes,
              std::uint64_t offset_bytes, std::uint64_t total_bytes) {
    return {Kind::kEager, body_bytes, sequence, tag, total_bytes, offset_bytes};
  }

  // One piece comes: its content is that of the whole message of this sequence.
  void come(const Label& label) {
    std::vector<drivers::Bytes> places;
    inbox_.announced(label, 0, places);
    std::vector<std::byte> whole(label.total_bytes);
    fill(whole, label.sequence);
    const std::byte* from = whole.data() + label.offset_bytes;
    for (const drivers::Bytes place : places) {
      std::memcpy(place.data(), from, place.size());
      from += place.size();
    }
    EXPECT_EQ(from, whole.data() + label.offset_bytes + label.body_bytes);
    inbox_.came(label, 0);
  }

  void ask(const Label& label) { inbox_.came(label, 0); }

  void announce(const Label& label, std::size_t link) {
    std::vector<drivers::Bytes> places;
    inbox_.announced(label, link, places);
  }

  std::shared_ptr<Receive> post(std::uint64_t tag, std::size_t size_bytes) {
    memory_.push_back(std::make_unique<std::vector<std::byte>>(size_bytes));
    auto receive = std::make_shared<Receive>();
    receive->wants = {.gate = 0, .tag = tag};
    receive->segments = {drivers::Bytes(*memory_.back()).first(size_bytes / 2),
                         drivers::Bytes(*memory_.back()).subspan(size_bytes / 2)};
    receive->size_bytes = size_bytes;
    inbox_.post(receive);
    return receive;
  }

  testing::AssertionResult got(const std::shared_ptr<Receive>& receive, std::uint64_t sequence) {
    if (!receive->ended) return testing::AssertionFailure() << "not ended";
    if (receive->completion.outcome != Outcome::kDone)
      return testing::AssertionFailure() << "not done";
    const std::span<const std::byte> all(receive->segments[0].data(),
                                         receive->completion.size_bytes);
    if (!holds(all, sequence)) return testing::AssertionFailure() << "another message";
    return testing::AssertionSuccess();
  }

  void refuses(const Label& label) {
    try {
      come(label);
      ADD_FAILURE() << "taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kPeer);
    }
  }

  Inbox inbox_{"peer", {.room_bytes = 10000, .eager_bytes_max = 2000}};
  std::vector<std::unique_ptr<std::vector<std::byte>>> memory_;
};

TEST_F(InboxTest, MatchesInTheOrderOfSendsWhateverComesFirst) {
  const auto first = post(1, 100);
  come(eager(1, 1, 80, 0, 80));
  EXPECT_FALSE(first->ended);  // message 0 may have the same tag
  const auto second = post(1, 100);
  come(eager(0, 1, 90, 0, 90));
  EXPECT_TRUE(got(first, 0));
  EXPECT_TRUE(got(second, 1));
}

TEST_F(InboxTest, PiecesMayComeBeforeBetweenAndAfterTheirReceive) {
  come(eager(0, 5, 30, 60, 100));
  const auto receive = post(5, 100);
  come(eager(0, 5, 30, 0, 100));
  EXPECT_FALSE(receive->ended);
  come(eager(0, 5, 30, 30, 100));
  come(eager(0, 5, 10, 90, 100));
  EXPECT_TRUE(got(receive, 0));
}

TEST_F(InboxTest, GrantsARequestOnceItsReceiveIsThere) {
  ask({Kind::kRequest, 0, 0, 7, 1 << 20, 0});
  EXPECT_TRUE(inbox_.take_answers().empty());
  const auto receive = post(7, 1 << 20);
  const std::vector<Label> answers = inbox_.take_answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, Kind::kGrant);
  come({Kind::kData, 1 << 19, 0, 0, 1 << 20, 1 << 19});
  come({Kind::kData, 1 << 19, 0, 0, 1 << 20, 0});
  EXPECT_TRUE(got(receive, 0));
}

TEST_F(InboxTest, AReceiveThatIsTooSmallLearnsTheSizeAndTheNextIsUntouched) {
  const auto eager_one = post(1, 10);
  const auto asked_one = post(1, 10);
  const auto fits = post(1, 50);
  come(eager(0, 1, 11, 0, 11));
  ask({Kind::kRequest, 0, 1, 1, 12, 0});
  come(eager(2, 1, 50, 0, 50));
  EXPECT_EQ(eager_one->completion.outcome, Outcome::kTooSmall);
  EXPECT_EQ(eager_one->completion.size_bytes, 11u);
  EXPECT_EQ(asked_one->completion.outcome, Outcome::kTooSmall);
  EXPECT_EQ(asked_one->completion.size_bytes, 12u);
  EXPECT_EQ(inbox_.take_answers().at(0).kind, Kind::kRefusal);
  EXPECT_TRUE(got(fits, 2));
}

constexpr std::uint64_t kTotalBytes = 10000;

Label request(std::uint64_t sequence, std::uint64_t ahead_bytes) {
  return {Kind::kRequest, 0, sequence, 1, kTotalBytes, ahead_bytes};
}

Label ahead(std::uint64_t sequence, std::uint32_t body_bytes, std::uint64_t offset_bytes) {
  return {Kind::kAhead, body_bytes, sequence, 1, kTotalBytes, offset_bytes};
}

Label data(std::uint64_t sequence, std::uint32_t body_bytes, std::uint64_t offset_bytes) {
  return {Kind::kData, body_bytes, sequence, 1, kTotalBytes, offset_bytes};
}

TEST_F(InboxTest, WhatGoesAheadMayComeBeforeOrAfterItsRequestAndItsReceive) {
  enum Step { kRequest, kFirst, kSecond, kReceive, kRest };
  std::vector<Step> steps = {kRequest, kFirst, kSecond, kReceive, kRest};
  std::uint64_t sequence = 0;
  do {
    const auto rest = std::ranges::find(steps, kRest);
    const bool granted = std::find(steps.begin(), rest, kReceive) != rest && rest[-1] != steps[0];
    if (!granted) continue;  // an honest peer waits with the rest
    std::shared_ptr<Receive> receive;
    const std::uint64_t before_bytes = inbox_.released_bytes();
    for (const Step step : steps) {
      if (step == kRequest) ask(request(sequence, 1500));
      if (step == kFirst) come(ahead(sequence, 700, 0));
      if (step == kSecond) come(ahead(sequence, 800, 700));
      if (step == kReceive) receive = post(1, kTotalBytes);
      if (step == kRest) come(data(sequence, kTotalBytes - 1500, 1500));
    }
    EXPECT_TRUE(got(receive, sequence)) << sequence;
    EXPECT_EQ(inbox_.take_answers().size(), 1u);
    EXPECT_EQ(inbox_.released_bytes() - before_bytes, 2000 + kEnvelopeBytes);
    ++sequence;
  } while (std::ranges::next_permutation(steps).found);
  EXPECT_EQ(sequence, 54u);  // of 60 with the receive before the rest, these heard of it before
}

TEST_F(InboxTest, WhatGoesAheadOfARefusalIsDroppedAndTakesItsRoomUntilThen) {
  std::uint64_t sequence = 0;
  for (; sequence < 100; ++sequence) {
    const auto receive = post(1, kTotalBytes - 1);
    const std::uint64_t before_bytes = inbox_.released_bytes();
    if (sequence % 2 == 0) ask(request(sequence, 1500));
    come(ahead(sequence, 700, 0));
    EXPECT_EQ(receive->completion.outcome, Outcome::kTooSmall);
    EXPECT_FALSE(inbox_.is_wanted(sequence));
    EXPECT_EQ(inbox_.take_answers().at(0).kind, Kind::kRefusal);
    refuses(data(sequence, kTotalBytes - 1500, 1500));
    if (sequence % 2 == 1) ask(request(sequence, 1500));
    EXPECT_EQ(inbox_.released_bytes(), before_bytes);
    come(ahead(sequence, 800, 700));
    EXPECT_EQ(inbox_.released_bytes() - before_bytes, 2000 + kEnvelopeBytes);
    refuses(ahead(sequence, 800, 700));
  }
}

TEST_F(InboxTest, WhatGoesAheadHasLimits) {
  refuses(ahead(0, 1, 2000));  // more than an eager message may have
  EXPECT_THROW(ask(request(1, 2001)), Error);
  ask(request(1, 1500));
  refuses(ahead(1, 1, 1500));  // more than was said
  refuses({Kind::kAhead, 10, 1, 1, kTotalBytes + 1, 0});
  EXPECT_THROW(ask(request(1, 1500)), Error);
  come(ahead(1, 100, 0));
  refuses(ahead(1, 100, 50));
  refuses({Kind::kEager, 100, 1, 1, kTotalBytes, 200});
  for (std::uint64_t sequence = 2; sequence < 4; ++sequence) come(ahead(sequence, 1, 0));
  refuses(ahead(4, 1, 0));  // room for four of 2000 bytes, the one with the fault included
}

TEST_F(InboxTest, RefusesWhatAnHonestPeerDoesNotSend) {
  refuses({Kind::kData, 10, 0, 0, 10, 0});  // nobody asked
  refuses(eager(0, 1, 2001, 0, 2001));      // should have asked
  come(eager(0, 1, 10, 0, 20));
  refuses(eager(0, 1, 10, 0, 20));            // twice
  refuses(eager(0, 1, 10, 10, 30));           // of another size
  refuses({Kind::kRequest, 0, 0, 1, 20, 0});  // twice
  const auto receive = post(1, 20);
  come(eager(0, 1, 10, 10, 20));
  EXPECT_TRUE(receive->ended);
  refuses(eager(0, 1, 10, 10, 20));  // long over
}

TEST_F(InboxTest, APieceIsAnnouncedOnceUnlessItsLinkIsLost) {
  const auto receive = post(1, 30);
  announce(eager(0, 1, 20, 0, 30), 1);
  refuses(eager(0, 1, 20, 0, 30));
  refuses(eager(0, 1, 10, 15, 30));
  inbox_.lose_link(1);
  come(eager(0, 1, 15, 0, 30));
  EXPECT_FALSE(receive->ended);
  come(eager(0, 1, 15, 15, 30));
  EXPECT_TRUE(got(receive, 0));
}

TEST_F(InboxTest, AMessageWithoutBytesIsAnnouncedOnce) {
  const auto receive = post(1, 0);
  announce(eager(0, 1, 0, 0, 0), 1);
  refuses(eager(0, 1, 0, 0, 0));
  EXPECT_FALSE(receive->ended);
}

// The storage of a refused message goes with the last byte that was said to come.
TEST_F(InboxTest, ARequestThatTellsLessThanGoesAheadIsRefused) {
  post(1, kTotalBytes - 1);
  announce(ahead(0, 100, 1500), 1);
  come(ahead(0, 1500, 0));
  EXPECT_THROW(ask(request(0, 1500)), Error);
}

TEST_F(InboxTest, AnnouncedSizesTakeNoMemoryAndRoomIsBounded) {
  ask({Kind::kRequest, 0, 0, 1, kTotalBytesMax, 0});
  std::uint64_t sequence = 1;
  for (; sequence < 5; ++sequence) come(eager(sequence, 2, 2000, 0, 2000));
  refuses(eager(sequence, 2, 2000, 0, 2000));
  const std::uint64_t before = inbox_.released_bytes();
  EXPECT_TRUE(got(post(2, 2000), 1));
  EXPECT_EQ(inbox_.released_bytes() - before, 2000 + kEnvelopeBytes);
  come(eager(sequence, 2, 2000, 0, 2000));
}

}  // namespace
}  // namespace nmt::engine
