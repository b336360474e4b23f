// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "contention/contention.h"
#include "core/alltoall.h"
#include "tests/contention/planted.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using planted::Profile;

// -- Alltoall
// ---------------------------------------------------------------------------------------

// Paper "alltoall contention", Gigabit Ethernet: alpha 50 us, beta 8.502 ns/B.
Signature gigabit() {
  return {.algorithm = "direct",
          .ranks_per_node = 1,
          .bound = Curve({{0, 50e3}, {1e6, 50e3 + 8.502e6}}),
          .gamma = 4.3628,
          .delta_ns = 4.93e6,
          .delta_per_message = true,
          .delta_from_bytes = 8000,
          .ranks_min = 4,
          .ranks_max = 40,
          .size_bytes_min = 1,
          .size_bytes_max = 1 << 20,
          .error = 0.1,
          .saturated = true};
}

nmt_exchange exchange(std::uint32_t ranks, std::uint64_t size_bytes) {
  nmt_exchange asked{};
  asked.struct_bytes = sizeof asked;
  asked.ranks = ranks;
  asked.ranks_per_node = 1;
  asked.size_bytes = size_bytes;
  return asked;
}

Plan with(Signature signature) {
  Plan plan = planted::plan({});
  plan.signatures = {std::move(signature)};
  return plan;
}

nmt_prediction predict(const Profile& profile, const nmt_exchange& asked, int expected = NMT_OK) {
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  EXPECT_EQ(nmt_alltoall(profile.get(), &asked, &prediction), expected);
  return prediction;
}

TEST(Alltoall, GivesThePapersPrediction) {
  const Profile profile(with(gigabit()));
  const nmt_prediction prediction = predict(profile, exchange(40, 1048576));
  EXPECT_NEAR(prediction.duration_ns, 1.717656e9, 1e3);
  EXPECT_NEAR(prediction.low_ns, prediction.duration_ns / 1.1, 1);
  EXPECT_NEAR(prediction.high_ns, 1.1 * prediction.duration_ns, 1);
  EXPECT_EQ(prediction.flags, 0u);
  EXPECT_STREQ(prediction.variant, "direct");
}

TEST(Alltoall, AddsDeltaOnceWhereTheSignatureSaysSo) {
  Signature signature = gigabit();
  signature.delta_per_message = false;
  const Profile profile(with(signature));
  EXPECT_NEAR(predict(profile, exchange(40, 1048576)).duration_ns, 1.530316e9, 1e3);
}

TEST(Alltoall, AddsNoDeltaBelowItsSize) {
  const Profile profile(with(gigabit()));
  EXPECT_NEAR(predict(profile, exchange(3, 7999)).duration_ns, 2 * (50e3 + 7999 * 8.502) * 4.3628,
              1);
}

TEST(Alltoall, SaysWhereItWasNotFitted) {
  const Profile profile(with(gigabit()));
  EXPECT_TRUE(predict(profile, exchange(41, 4096)).flags & NMT_ADVICE_EXTRAPOLATED);
  EXPECT_TRUE(predict(profile, exchange(40, 1 << 21)).flags & NMT_ADVICE_EXTRAPOLATED);
  Signature early = gigabit();
  early.saturated = false;
  const Profile unsaturated(with(early));
  EXPECT_TRUE(predict(unsaturated, exchange(40, 4096)).flags & NMT_ADVICE_UNSATURATED);
}

// Not saturated, more ranks than cores, small messages that follow their own rule, and noise.
contention::SignatureFit hard_fit(contention::PredictedBy predicted_by) {
  const planted::Network network{
      .delta_ns = 0, .cores = 4, .processor_ns = 60e3, .saturation = [](std::int64_t ranks) {
        return std::pow(static_cast<double>(ranks) / 16, 0.3);
      }};
  contention::AlltoallTimes measured = planted::measure(network, {.ranks = {4, 8, 16}}, 1);
  for (contention::AlltoallTime& time : measured.times) {
    if (time.size_bytes <= 1024) time.duration_ns *= 2;
  }
  return contention::fit_signature(measured, {.predicted_by = predicted_by});
}

void expect_answers_as_printed(const contention::SignatureFit& fit) {
  ASSERT_FALSE(fit.signature.small.empty());
  ASSERT_GT(fit.signature.growth, 0);
  ASSERT_GT(fit.signature.processor_ns, 0);
  const Profile profile(with(fit.signature));
  int answers = 0;
  for (const std::int64_t ranks : {2, 3, 4, 7, 8, 16, 24, 100, 2000}) {
    for (const std::uint64_t size_bytes :
         {1, 512, 700, 1024, 2000, 4096, 100000, 1 << 20, 1 << 24}) {
      const contention::AlltoallPrediction printed =
          contention::predict_alltoall(fit, ranks, size_bytes);
      const bool refused = printed.verdict == contention::Verdict::kRefused;
      const nmt_prediction answered =
          predict(profile, exchange(static_cast<std::uint32_t>(ranks), size_bytes),
                  refused ? NMT_NO_ADVICE : NMT_OK);
      if (refused) continue;
      ++answers;
      EXPECT_DOUBLE_EQ(answered.duration_ns, printed.predicted_ns) << ranks << " " << size_bytes;
      EXPECT_DOUBLE_EQ(answered.low_ns, printed.interval_ns->low);
      EXPECT_DOUBLE_EQ(answered.high_ns, printed.interval_ns->high);
      EXPECT_EQ((answered.flags & NMT_ADVICE_EXTRAPOLATED) != 0,
                printed.verdict == contention::Verdict::kExtrapolated);
      EXPECT_EQ((answered.flags & NMT_ADVICE_UNSATURATED) == 0, fit.signature.saturated);
    }
  }
  EXPECT_GT(answers, 20);
}

TEST(Alltoall, AnswersAsThePredictionThatIsPrinted) {
  const contention::SignatureFit fit = hard_fit(contention::PredictedBy::kSignature);
  EXPECT_FALSE(predicts_by_ratios(fit.signature));
  expect_answers_as_printed(fit);
}

TEST(Alltoall, AnswersAsThePredictionByRatiosThatIsPrinted) {
  const contention::SignatureFit fit = hard_fit(contention::PredictedBy::kRatios);
  EXPECT_TRUE(predicts_by_ratios(fit.signature));
  expect_answers_as_printed(fit);
}

// At 4 ranks, gamma is 0.8 times as large as at 8, and the ratios are half as large.
TEST(Alltoall, TakesTheRisesOfWhatPredicts) {
  Signature signature = gigabit();
  signature.rises = {{4, 0.8}, {8, 1}};
  signature.small = {{1024, 2, 0}, {1 << 20, 2, 0}};
  const Profile by_gamma(with(signature));
  signature.ratio_growth = RatioGrowth{
      .rises = {{4, 0.5}, {8, 1}}, .growth = 0, .growth_error = 0, .growth_saturates = false};
  const Profile by_ratios(with(signature));
  const double bound_ns = 3 * (50e3 + 4096 * 8.502);
  EXPECT_NEAR(predict(by_gamma, exchange(4, 4096)).duration_ns, 0.8 * 4.3628 * bound_ns, 1);
  EXPECT_NEAR(predict(by_ratios, exchange(4, 4096)).duration_ns, 0.5 * 2 * bound_ns, 1);
}

TEST(Alltoall, HasNoAdviceWithoutASignature) {
  const Profile profile(with(gigabit()));
  nmt_exchange two_per_node = exchange(40, 4096);
  two_per_node.ranks_per_node = 2;
  predict(profile, two_per_node, NMT_NO_ADVICE);
  nmt_exchange other = exchange(40, 4096);
  other.algorithm = "bruck";
  predict(profile, other, NMT_NO_ADVICE);
  predict(profile, exchange(1, 4096), NMT_NO_ADVICE);
  predict(Profile(planted::plan({})), exchange(40, 4096), NMT_NO_ADVICE);
}

// -- Segments
// ---------------------------------------------------------------------------------------

TEST(Segments, FollowOperationShapeAndSize) {
  Plan plan = planted::plan({});
  plan.segments = {{"bcast", 4, 8, 8192, 65536, 8192, "binary"},
                   {"bcast", 4, 8, 65536, std::nullopt, 65536},
                   {"reduce", 4, 8, 0, std::nullopt, 0}};
  const Profile profile(plan);
  const auto segment = [&](const char* operation, std::uint64_t size, std::uint32_t nodes) {
    return nmt_segment_bytes(profile.get(), operation, size, nodes, 8);
  };
  EXPECT_EQ(segment("bcast", 8191, 4), NMT_NO_ADVICE);
  EXPECT_EQ(segment("bcast", 8192, 4), 8192);
  EXPECT_EQ(segment("bcast", 65535, 4), 8192);
  EXPECT_EQ(segment("bcast", 65536, 4), 65536);
  EXPECT_EQ(segment("reduce", 1 << 20, 4), 0);
  EXPECT_EQ(segment("bcast", 65536, 5), NMT_NO_ADVICE);
  EXPECT_EQ(segment("allgather", 65536, 4), NMT_NO_ADVICE);
  nmt_collective_rule rule{};
  rule.struct_bytes = sizeof rule;
  ASSERT_EQ(nmt_describe_collective(profile.get(), 0, &rule), NMT_OK);
  EXPECT_STREQ(rule.operation, "bcast");
  EXPECT_STREQ(rule.algorithm, "binary");
  EXPECT_EQ(rule.to_bytes, 65536u);
  EXPECT_EQ(rule.segment_bytes, 8192u);
  EXPECT_EQ(nmt_describe_collective(profile.get(), 99, &rule), NMT_UNKNOWN);
  EXPECT_EQ(nmt_describe_collective(profile.get(), 0, nullptr), NMT_INVALID);
}

TEST(Collectives, AreAnsweredUnderTheMpiOfTheCall) {
  Plan plan = planted::plan({});
  plan.segments = {{.operation = "bcast",
                    .nodes = 4,
                    .ranks_per_node = 8,
                    .segment_bytes = 1024,
                    .algorithm = "chain",
                    .mpi = "new",
                    .gain = 2},
                   {.operation = "bcast",
                    .nodes = 4,
                    .ranks_per_node = 8,
                    .segment_bytes = 2048,
                    .algorithm = "binary",
                    .mpi = "other"}};
  const Profile profile(plan);
  nmt_collective_rule rule{};
  rule.struct_bytes = sizeof rule;
  const auto ask = [&](const char* mpi, std::uint32_t nodes) {
    nmt_collective_call call{};
    call.struct_bytes = sizeof call;
    call.nodes = nodes;
    call.ranks_per_node = 8;
    call.mpi = mpi;
    call.operation = "bcast";
    call.size_bytes = 4096;
    return nmt_collective_rule_for(profile.get(), &call, &rule);
  };
  ASSERT_EQ(ask("other", 4), NMT_OK);
  EXPECT_STREQ(rule.algorithm, "binary");
  EXPECT_EQ(rule.gain, 0);
  ASSERT_EQ(ask(nullptr, 4), NMT_OK);  // the one that was sampled last
  EXPECT_STREQ(rule.mpi, "new");
  EXPECT_EQ(rule.gain, 2);
  EXPECT_EQ(nmt_segment_bytes(profile.get(), "bcast", 4096, 4, 8), 1024);
  EXPECT_EQ(ask("third", 4), NMT_NO_ADVICE);
  EXPECT_EQ(ask("new", 5), NMT_NO_ADVICE);
  EXPECT_EQ(nmt_collective_rule_for(profile.get(), nullptr, &rule), NMT_INVALID);
}

TEST(Collectives, ThatWerePredictedHoldForTheirRangesOfShapes) {
  Plan plan = planted::plan({});
  plan.segments = {{.operation = "bcast",
                    .nodes = 4,
                    .ranks_per_node = 8,
                    .algorithm = "library",
                    .mpi = "some"},
                   {.operation = "bcast",
                    .nodes = 5,
                    .ranks_per_node = 4,
                    .from_bytes = 1024,
                    .segment_bytes = 2048,
                    .algorithm = "binary",
                    .mpi = "some",
                    .gain = 1.5,
                    .nodes_max = 9,
                    .ranks_per_node_max = 16}};
  const Profile profile(plan);
  nmt_collective_rule rule{};
  rule.struct_bytes = sizeof rule;
  const auto ask = [&](std::uint32_t nodes, std::uint32_t ranks_per_node) {
    nmt_collective_call call{};
    call.struct_bytes = sizeof call;
    call.nodes = nodes;
    call.ranks_per_node = ranks_per_node;
    call.mpi = "some";
    call.operation = "bcast";
    call.size_bytes = 4096;
    return nmt_collective_rule_for(profile.get(), &call, &rule);
  };
  ASSERT_EQ(ask(4, 8), NMT_OK);
  EXPECT_EQ(rule.predicted, 0u);
  EXPECT_EQ(rule.nodes_max, 4u);
  for (const auto& [nodes, ranks_per_node] : {std::pair{5u, 4u}, {9u, 16u}, {7u, 8u}}) {
    ASSERT_EQ(ask(nodes, ranks_per_node), NMT_OK);
    EXPECT_EQ(rule.predicted, 1u);
    EXPECT_STREQ(rule.algorithm, "binary");
    EXPECT_EQ(rule.nodes, 5u);
    EXPECT_EQ(rule.nodes_max, 9u);
    EXPECT_EQ(rule.ranks_per_node_max, 16u);
  }
  for (const auto& [nodes, ranks_per_node] : {std::pair{10u, 8u}, {7u, 17u}, {7u, 3u}}) {
    EXPECT_EQ(ask(nodes, ranks_per_node), NMT_NO_ADVICE);
  }
}

// As many rules as a campaign of several shapes leads to, ranges that overlap among them.
TEST(Collectives, AreAnsweredByTheFirstRuleThatHoldsHoweverManyThereAre) {
  std::mt19937 random(1);
  const auto below = [&](std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random);
  };
  Plan plan = planted::plan({});
  for (int i = 0; i < 1000; ++i) {
    SegmentRule& rule = plan.segments.emplace_back();
    rule.operation = below(2) == 0 ? "bcast" : "reduce";
    rule.mpi = below(2) == 0 ? "one" : "other";
    rule.algorithm = "chain";
    rule.nodes = 1 + below(60);
    rule.ranks_per_node = 1 + below(30);
    rule.from_bytes = static_cast<std::uint64_t>(below(5000));
    rule.to_bytes = rule.from_bytes + static_cast<std::uint64_t>(1 + below(500));
    rule.segment_bytes = static_cast<std::uint64_t>(i);
    if (below(4) == 0) continue;  // sampled
    rule.nodes_max = rule.nodes + below(30);
    rule.ranks_per_node_max = rule.ranks_per_node + below(10);
  }
  const Profile profile(plan);
  int answers = 0;
  for (int i = 0; i < 5000; ++i) {
    nmt_collective_call call{};
    call.struct_bytes = sizeof call;
    call.nodes = static_cast<std::uint32_t>(1 + below(90));
    call.ranks_per_node = static_cast<std::uint32_t>(1 + below(40));
    call.mpi = "other";
    call.operation = "reduce";
    call.size_bytes = static_cast<std::uint64_t>(below(6000));
    const auto holds = [&](const SegmentRule& rule) {
      return rule.operation == "reduce" && rule.mpi == "other" &&
             rule.applies_to(call.nodes, call.ranks_per_node) && rule.covers(call.size_bytes);
    };
    const auto expected = std::ranges::find_if(plan.segments, holds);
    nmt_collective_rule rule{};
    rule.struct_bytes = sizeof rule;
    const int status = nmt_collective_rule_for(profile.get(), &call, &rule);
    ASSERT_EQ(status, expected == plan.segments.end() ? int{NMT_NO_ADVICE} : int{NMT_OK});
    if (status != NMT_OK) continue;
    EXPECT_EQ(rule.segment_bytes, expected->segment_bytes);
    ++answers;
  }
  EXPECT_GT(answers, 100);
}

TEST(Collectives, HaveWhatWasMeasuredOfTheMpisOwnAlgorithms) {
  Plan plan = planted::plan({});
  plan.library_rules = {{.mpi = "Open MPI v4.1.4",
                         .operation = "allreduce",
                         .algorithm = "ring",
                         .ranks = 8,
                         .ranks_per_node = 4,
                         .from_bytes = 1024,
                         .to_bytes = 4096,
                         .segment_bytes = 512,
                         .gain = 1.5,
                         .low = 1.25,
                         .high = 1.75}};
  const Profile profile(plan);
  nmt_library_rule rule{};
  rule.struct_bytes = sizeof rule;
  nmt_collective_call call{};
  call.struct_bytes = sizeof call;
  call.ranks = 8;
  call.operation = "allreduce";
  call.size_bytes = 4095;
  ASSERT_EQ(nmt_library_rule_for(profile.get(), &call, &rule), NMT_OK);
  EXPECT_STREQ(rule.mpi, "Open MPI v4.1.4");
  EXPECT_STREQ(rule.algorithm, "ring");
  EXPECT_EQ(rule.segment_bytes, 512u);
  EXPECT_EQ(rule.gain, 1.5);
  EXPECT_EQ(rule.gain_low, 1.25);
  call.size_bytes = 4096;
  EXPECT_EQ(nmt_library_rule_for(profile.get(), &call, &rule), NMT_NO_ADVICE);
  call.size_bytes = 1024;
  call.ranks_per_node = 8;
  EXPECT_EQ(nmt_library_rule_for(profile.get(), &call, &rule), NMT_NO_ADVICE);
  EXPECT_EQ(nmt_describe_library_rule(profile.get(), 0, &rule), NMT_OK);
  EXPECT_EQ(nmt_describe_library_rule(profile.get(), 1, &rule), NMT_UNKNOWN);
}

// -- Eager chunks over idle cores
// -------------------------------------------------------------------

// Two rails that send after 1 us, a byte per ns or the second in another time, eagerly up to 64
// KiB.
Plan two_rails(double second_ns_per_byte = 1) {
  std::vector<RailPlan> rails;
  for (const char* name : {"a", "b"}) {
    const double ns_per_byte = *name == 'a' ? 1 : second_ns_per_byte;
    const std::vector<Point> points = {{0, 1000}, {1 << 20, 1000 + ns_per_byte * (1 << 20)}};
    rails.push_back(planted::rail(name,
                                  {planted::curve(benchmark::kTransfer, "copy", points),
                                   planted::curve(benchmark::kTransfer, "rendezvous", points)},
                                  {planted::threshold(DecisionKind::kRendezvous, {65536})}));
  }
  Plan plan = planted::plan(std::move(rails));
  plan.offloads = {{"shared-cache", 3000, 2900, 3100}};
  return plan;
}

struct Chunks {
  int status;
  nmt_share shares[2];
  nmt_split_result result;
};

Chunks ask(const Profile& profile, std::uint64_t size_bytes, std::uint32_t cores,
           const char* placement = "shared-cache") {
  Chunks chunks{};
  for (int i = 0; i < 2; ++i) {
    chunks.shares[i].struct_bytes = sizeof(nmt_share);
    chunks.shares[i].path = i;
  }
  chunks.result.struct_bytes = sizeof chunks.result;
  chunks.status = nmt_eager_chunks(profile.get(), placement, cores, size_bytes, chunks.shares, 2,
                                   &chunks.result);
  return chunks;
}

TEST(EagerChunks, PayWhereTheySaveMoreThanTheOffloadCosts) {
  const Profile profile(two_rails());
  const Chunks small = ask(profile, 2900, 1);  // over after 3900 ns; the other core begins at 3000
  EXPECT_EQ(small.status, 0);
  EXPECT_EQ(small.shares[0].bytes, 2900u);
  EXPECT_EQ(small.shares[1].left_out, std::uint32_t{NMT_LEFT_OFFLOAD});
  EXPECT_NEAR(small.result.end_ns, 3900, 1);
  const Chunks large = ask(profile, 20000, 1);
  EXPECT_EQ(large.status, 1);
  EXPECT_EQ(large.result.chunks, 2u);
  EXPECT_NEAR(static_cast<double>(large.shares[0].bytes), 11500, 1);
  EXPECT_NEAR(large.result.end_ns, 12500, 1);
  EXPECT_NEAR(large.shares[1].end_ns, 12500, 1);
}

// Its chunk is the one that begins the message.
TEST(EagerChunks, LeaveTheFasterRailToThisCore) {
  const Profile profile(two_rails(0.5));
  const Chunks chunks = ask(profile, 20000, 1);
  EXPECT_EQ(chunks.status, 1);
  EXPECT_NEAR(chunks.result.end_ns, 8667, 1);
  EXPECT_EQ(chunks.shares[1].offset_bytes, 0u);
  EXPECT_NEAR(static_cast<double>(chunks.shares[1].bytes), 15333, 1);
  EXPECT_EQ(chunks.shares[0].offset_bytes, chunks.shares[1].bytes);
  EXPECT_EQ(chunks.shares[0].bytes + chunks.shares[1].bytes, 20000u);
}

TEST(EagerChunks, NeedACoreForEachButOne) {
  const Profile profile(two_rails());
  EXPECT_EQ(ask(profile, 20000, 2).result.chunks, 2u);
  EXPECT_EQ(ask(profile, 20000, 0).status, 0);
}

TEST(EagerChunks, AreOnlyOfEagerMessages) {
  const Profile profile(two_rails());
  EXPECT_EQ(ask(profile, 65535, 2).status, 1);
  EXPECT_EQ(ask(profile, 65536, 2).status, 0);
}

TEST(EagerChunks, HaveNoAdviceWhereTheOffloadWasNotMeasured) {
  const Profile profile(two_rails());
  EXPECT_EQ(ask(profile, 20000, 2, "other-package").status, NMT_NO_ADVICE);
}

}  // namespace
}  // namespace nmt::runtime
