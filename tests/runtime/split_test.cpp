// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "runtime/transfer.h"
#include "tests/runtime/cliffs.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using planted::Profile;

struct Question {
  std::uint64_t size_bytes = 0;
  std::vector<double> release_ns;
};

struct Answer {
  int status = NMT_OK;
  std::vector<nmt_share> shares;
  nmt_split_result result{};

  std::vector<std::uint64_t> bytes() const {
    std::vector<std::uint64_t> all;
    for (const nmt_share& share : shares) all.push_back(share.bytes);
    return all;
  }
};

Answer ask(const Profile& profile, const Question& question) {
  Answer answer;
  for (std::size_t i = 0; i < question.release_ns.size(); ++i) {
    nmt_share share{};
    share.struct_bytes = sizeof share;
    share.path = static_cast<int>(i);
    share.release_ns = question.release_ns[i];
    answer.shares.push_back(share);
  }
  answer.result.struct_bytes = sizeof answer.result;
  answer.status = nmt_split(profile.get(), question.size_bytes, answer.shares.data(),
                            static_cast<std::uint32_t>(answer.shares.size()), &answer.result);
  return answer;
}

// -- The truth, the slow way, from the plan's curves ----------------------------------------------

// The most whole bytes that a rail carries by `time_ns`.
double carried(const Curve& curve, double time_ns) {
  constexpr double kRounding = 1e-6;
  return std::floor(curve.inverse(time_ns) + kRounding);
}

// The least time at which these rails, all of which take part, have carried the message; infinite
// where their smallest chunks are too much.
double end_of_all(const std::vector<Curve>& curves, const std::vector<std::uint64_t>& least,
                  const Question& question, unsigned rails) {
  double low = 0, high = 1e16, least_sum = 0;
  unsigned count = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if ((rails >> i & 1) == 0) continue;
    ++count;
    const double chunk = static_cast<double>(std::max<std::uint64_t>(1, least[i]));
    least_sum += chunk;
    low = std::max(low, question.release_ns[i] + curves[i].at(chunk));
  }
  const double size = static_cast<double>(question.size_bytes);
  if (count > 1 && least_sum > size) return INFINITY;
  const auto enough = [&](double time_ns) {
    double sum = 0;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if ((rails >> i & 1) != 0) sum += carried(curves[i], time_ns - question.release_ns[i]);
    }
    return sum >= size;
  };
  if (count > 1 && enough(low)) return low;
  if (count == 1) low = 0;
  for (int turn = 0; turn < 200; ++turn) {
    const double middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

double best_end(const std::vector<Curve>& curves, const std::vector<std::uint64_t>& least,
                const Question& question) {
  double best = INFINITY;
  for (unsigned rails = 1; rails < 1u << curves.size(); ++rails) {
    best = std::min(best, end_of_all(curves, least, question, rails));
  }
  return best;
}

double end_of_chunks(const std::vector<Curve>& curves, const Answer& answer) {
  double end = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const nmt_share& share = answer.shares[i];
    if (share.bytes == 0) continue;
    end = std::max(end, share.release_ns + curves[i].at(static_cast<double>(share.bytes)));
  }
  return end;
}

void expect_consistent(const Answer& answer, const Question& question) {
  std::uint64_t offset = 0;
  std::uint32_t chunks = 0;
  for (const nmt_share& share : answer.shares) {
    EXPECT_EQ(share.offset_bytes, offset);
    EXPECT_EQ(share.bytes == 0, share.left_out != NMT_TAKES_PART);
    offset += share.bytes;
    chunks += share.bytes > 0;
  }
  EXPECT_EQ(offset, question.size_bytes);
  EXPECT_EQ(answer.result.chunks, chunks);
}

// Random rails and questions against the truth. The table of idle pairs and the solver both come
// into it.
void compare_with_brute_force(std::uint64_t seed, double noise, bool minima) {
  std::mt19937_64 random(seed);
  const std::size_t count = 1 + random() % 8;
  std::vector<RailPlan> rails;
  std::vector<Curve> curves;
  std::vector<std::uint64_t> least;
  for (std::size_t i = 0; i < count; ++i) {
    rails.push_back(planted::random_rail(random, "r" + std::to_string(i), noise));
    least.push_back(minima ? std::uint64_t{1} << random() % 18 : 0);
    rails.back().chunk_bytes_min = least.back();
    curves.push_back(split_curve(rails.back()));
  }
  const Profile profile(planted::plan(rails));
  for (int k = 0; k < 12; ++k) {
    Question question;
    std::uniform_real_distribution<double> uniform(0, 1);
    question.size_bytes = static_cast<std::uint64_t>(std::exp2(28 * uniform(random)));
    const double scale = curves[0].at(static_cast<double>(question.size_bytes));
    for (std::size_t i = 0; i < count; ++i) {
      question.release_ns.push_back(k % 3 == 0 ? 0 : scale * uniform(random));
    }
    const Answer answer = ask(profile, question);
    ASSERT_EQ(answer.status, NMT_OK);
    expect_consistent(answer, question);
    const double best = best_end(curves, least, question);
    EXPECT_LE(end_of_chunks(curves, answer), best * 1.001)
        << "seed " << seed << ", " << question.size_bytes << " B";
    EXPECT_NEAR(answer.result.end_ns, best, best * 0.001)
        << "seed " << seed << ", " << question.size_bytes << " B, chunks "
        << testing::PrintToString(answer.bytes()) << " released "
        << testing::PrintToString(question.release_ns);
    for (std::size_t i = 0; i < count && answer.result.chunks > 1; ++i) {
      if (answer.shares[i].bytes == 0) continue;
      EXPECT_GE(answer.shares[i].bytes, least[i]);
    }
  }
}

TEST(Split, IsWithinAThousandthOfTheBestOnMonotoneCurves) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) compare_with_brute_force(seed, 0, false);
}

TEST(Split, IsWithinAThousandthOfTheBestOnMeasuredCurves) {
  for (std::uint64_t seed = 1000; seed < 1400; ++seed) {
    compare_with_brute_force(seed, 0.03, false);
  }
}

TEST(Split, IsWithinAThousandthOfTheBestWithSmallestChunks) {
  for (std::uint64_t seed = 2000; seed < 2200; ++seed) compare_with_brute_force(seed, 0.02, true);
}

// -- The papers
// ------------------------------------------------------------------------------------

TEST(Split, GivesThePapersRailsThePapersChunks) {
  const Profile profile(planted::plan(planted::paper_rails()));
  const Answer answer = ask(profile, {4194304, {0, 0}});
  EXPECT_NEAR(static_cast<double>(answer.shares[0].bytes), 2438201, 1);
  EXPECT_EQ(answer.shares[0].bytes + answer.shares[1].bytes, 4194304u);
  EXPECT_NEAR(answer.result.end_ns, 1999.95e3, 10);
  EXPECT_NEAR(answer.shares[0].end_ns, 1999.95e3, 10);
}

TEST(Split, OfABusyRailWaitsForItOnlyWhereThatPays) {
  const Profile profile(planted::plan(planted::paper_rails()));
  const Answer soon = ask(profile, {4194304, {0, 300e3}});
  EXPECT_GT(soon.shares[1].bytes, 1500000u);
  EXPECT_GT(soon.shares[0].bytes, 2438201u);
  const Answer late = ask(profile, {4194304, {0, 4000e3}});
  EXPECT_EQ(late.shares[1].bytes, 0u);
  EXPECT_EQ(late.shares[1].left_out, std::uint32_t{NMT_LEFT_BUSY});
  EXPECT_EQ(late.shares[0].bytes, 4194304u);
}

// -- Who is left out, and why
// -----------------------------------------------------------------------

RailPlan affine(const std::string& name, double startup_ns, double ns_per_byte) {
  return planted::plain_rail(name,
                             {{0, startup_ns}, {1 << 20, startup_ns + ns_per_byte * (1 << 20)}});
}

TEST(Split, LeavesOutARailThatIsSlowToStart) {
  const Profile profile(planted::plan({affine("fast", 1000, 1), affine("slow", 1e6, 0.1)}));
  const Answer answer = ask(profile, {10000, {0, 0}});
  EXPECT_THAT(answer.bytes(), testing::ElementsAre(10000, 0));
  EXPECT_EQ(answer.shares[1].left_out, std::uint32_t{NMT_LEFT_SLOW});
  EXPECT_EQ(answer.result.chunks, 1u);
}

TEST(Split, LeavesOutARailWhoseChunkWouldBeTooSmall) {
  RailPlan slow = affine("slow", 1000, 10);
  slow.chunk_bytes_min = 4096;
  const Profile profile(planted::plan({affine("fast", 1000, 1), slow}));
  const Answer answer = ask(profile, {10000, {0, 0}});
  EXPECT_THAT(answer.bytes(), testing::ElementsAre(10000, 0));
  EXPECT_EQ(answer.shares[1].left_out, std::uint32_t{NMT_LEFT_SMALL});
  const Answer large = ask(profile, {1 << 20, {0, 0}});
  EXPECT_GE(large.shares[1].bytes, 4096u);
}

TEST(Split, LeavesOutARailThatWasNeverMeasured) {
  const Profile profile(planted::plan({affine("known", 1000, 1), planted::rail("unknown", {})}));
  const Answer answer = ask(profile, {10000, {0, 0}});
  EXPECT_THAT(answer.bytes(), testing::ElementsAre(10000, 0));
  EXPECT_EQ(answer.shares[1].left_out, std::uint32_t{NMT_LEFT_UNMEASURED});
}

TEST(Split, HasNoAdviceWhereNoRailWasMeasured) {
  const Profile profile(planted::plan({planted::rail("a", {}), planted::rail("b", {})}));
  EXPECT_EQ(ask(profile, {10000, {0, 0}}).status, NMT_NO_ADVICE);
}

TEST(Split, SendsAnEmptyMessageOverTheRailThatStartsFirst) {
  const Profile profile(planted::plan({affine("slow", 2000, 1), affine("fast", 1000, 1)}));
  const Answer answer = ask(profile, {0, {0, 0}});
  EXPECT_EQ(answer.status, NMT_OK);
  EXPECT_EQ(answer.shares[1].left_out, std::uint32_t{NMT_TAKES_PART});
  EXPECT_NE(answer.shares[0].left_out, std::uint32_t{NMT_TAKES_PART});
  EXPECT_NEAR(answer.result.end_ns, 1000, 0.1);
}

TEST(Split, DoesNotCrossAJumpByOneByte) {
  // Both rails jump after 65536 bytes by half of what they take; 131072 bytes fit below.
  const std::vector<Point> points = {{0, 1000}, {65536, 66536}, {65537, 100000}, {1 << 20, 2e6}};
  const Profile profile(
      planted::plan({planted::plain_rail("a", points), planted::plain_rail("b", points)}));
  const Answer answer = ask(profile, {131072, {0, 0}});
  EXPECT_THAT(answer.bytes(), testing::ElementsAre(65536, 65536));
  EXPECT_NEAR(answer.result.end_ns, 66536, 66.5);
}

TEST(Split, SaysOfEachChunkWhenItEnds) {
  // Rail b jumps after 65536 bytes, and carries no more than that while a carries the rest.
  const Profile profile(planted::plan(
      {affine("a", 1000, 1),
       planted::plain_rail("b", {{0, 1000}, {65536, 66536}, {65537, 166536}, {1 << 20, 1.2e6}})}));
  for (const std::uint64_t size : {150000, 163840, 200000}) {
    for (const double release_ns : {0.0, 500.0}) {  // the table, the solver
      const Answer answer = ask(profile, {size, {release_ns, 0}});
      EXPECT_EQ(answer.shares[1].bytes, 65536u);
      EXPECT_NEAR(answer.shares[1].end_ns, 66536, 70);
      EXPECT_NEAR(answer.shares[0].end_ns, release_ns + static_cast<double>(size) - 64536, 200);
      EXPECT_NEAR(answer.shares[0].end_ns, answer.result.end_ns, 200);
    }
  }
  const Answer above = ask(profile, {1 << 20, {0, 0}});
  EXPECT_NEAR(above.shares[1].end_ns, above.result.end_ns, 1e-3 * above.result.end_ns);
}

TEST(Split, GivesAFlatsSurplusToTheRailThatHasTheFlat) {
  // Rail b carries anything from 1000 to 50000 bytes in 20000 ns; a is linear.
  const Profile profile(
      planted::plan({affine("a", 1000, 1),
                     planted::plain_rail("b", {{1000, 20000}, {50000, 20000}, {1 << 20, 1.1e6}})}));
  const Answer answer = ask(profile, {40000, {0, 0}});
  EXPECT_NEAR(static_cast<double>(answer.shares[0].bytes), 19000, 20);
  EXPECT_EQ(answer.shares[0].bytes + answer.shares[1].bytes, 40000u);
  EXPECT_NEAR(answer.result.end_ns, 20000, 20);
  EXPECT_EQ(ask(profile, {40000, {0, 0}}).bytes(), answer.bytes());
}

// -- Rails that share a bus
// ------------------------------------------------------------------------

RailPlan busy(RailPlan rail, const std::string& others) {
  rail.busy_rails = others;
  return rail;
}

TEST(Split, FollowsCurvesUnderSimultaneousUse) {
  // Alone both carry a byte per ns; together rail b keeps a third of that.
  RailPlan a = affine("a", 1000, 1), b = affine("b", 1000, 1);
  RailPlan a_busy = busy(a, "b"), b_busy = busy(affine("b", 1000, 3), "a");
  b_busy.path = b.path;
  const Profile profile(planted::plan({a, b, a_busy, b_busy}));
  for (const double release_ns : {0.0, 100.0}) {  // the table, the solver
    const Answer answer = ask(profile, {400000, {release_ns, 0}});
    EXPECT_NEAR(static_cast<double>(answer.shares[0].bytes), 300000, 200);
    EXPECT_TRUE(answer.result.flags & NMT_ADVICE_SIMULTANEOUS);
  }
}

TEST(Split, StaysOnOneRailWhereTwoTogetherAreSlower) {
  RailPlan a = affine("a", 1000, 1), b = affine("b", 1000, 1);
  RailPlan a_busy = busy(affine("a", 1000, 3), "b"), b_busy = busy(affine("b", 1000, 3), "a");
  a_busy.path = a.path;
  b_busy.path = b.path;
  const Profile profile(planted::plan({a, b, a_busy, b_busy}));
  for (const double release_ns : {0.0, 100.0}) {
    const Answer answer = ask(profile, {400000, {0, release_ns}});
    EXPECT_THAT(answer.bytes(), testing::ElementsAre(400000, 0));
    EXPECT_EQ(answer.shares[1].left_out, std::uint32_t{NMT_LEFT_TOGETHER});
    EXPECT_FALSE(answer.result.flags & NMT_ADVICE_SIMULTANEOUS);
  }
}

// -- The rest
// ---------------------------------------------------------------------------------------

TEST(Split, SaysWhereItExtrapolates) {
  const Profile profile(planted::plan({affine("a", 1000, 1), affine("b", 1000, 1)}));
  EXPECT_FALSE(ask(profile, {1 << 20, {0, 0}}).result.flags & NMT_ADVICE_EXTRAPOLATED);
  EXPECT_TRUE(ask(profile, {8 << 20, {0, 0}}).result.flags & NMT_ADVICE_EXTRAPOLATED);
}

TEST(Split, OfHugeMessagesAddsUpToo) {
  const Profile profile(planted::plan({affine("a", 1000, 1), affine("b", 1000, 0.3)}));
  for (const std::uint64_t size : {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1,
                                   std::uint64_t{1} << 47, std::uint64_t{INT64_MAX}}) {
    for (const double release_ns : {0.0, 1e6}) {
      const Question question{size, {0, release_ns}};
      const Answer answer = ask(profile, question);
      expect_consistent(answer, question);
      const double share = static_cast<double>(answer.shares[1].bytes) / static_cast<double>(size);
      EXPECT_NEAR(share, 1 / 1.3, 0.001) << size;
    }
  }
}

TEST(Split, OfAPairIsTheSameInEitherOrder) {
  const std::vector<RailPlan> rails = planted::paper_rails();
  const Profile there(planted::plan(rails));
  const Profile back(planted::plan({rails[1], rails[0]}));
  for (std::uint64_t size = 1; size < 1 << 26; size = size * 3 + 1) {
    const auto a = ask(there, {size, {0, 0}}).bytes(), b = ask(back, {size, {0, 0}}).bytes();
    EXPECT_NEAR(static_cast<double>(a[0]), static_cast<double>(b[1]),
                1e-5 * static_cast<double>(size) + 1);
  }
}

// -- Rails with cliffs ----------------------------------------------------------------------------

TEST(Split, OfRailsWithCliffsEndsNearTheBestOfAllDivisions) {
  const planted::CliffLosses losses = planted::cliff_losses();
  RecordProperty("mean_percent", std::to_string(100 * losses.mean));
  RecordProperty("worst_percent", std::to_string(100 * losses.worst));
  EXPECT_LT(losses.mean, 0.01);
  EXPECT_LT(losses.worst, 0.05);
}

}  // namespace
}  // namespace nmt::runtime
