// SPDX-License-Identifier: BSD-3-Clause
#include "core/plan_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "core/error.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

// Plans of any shape the types can hold, from one seed.
class RandomPlans {
 public:
  explicit RandomPlans(std::uint64_t seed) : random_(seed) {}

  Plan plan() {
    Plan plan{.platform = Id::random(), .campaigns = {}, .rails = {}, .verification = {}};
    for (auto n = below(4); n > 0; --n) plan.campaigns.push_back(Id::random());
    for (auto n = below(4); n > 0; --n) plan.rails.push_back(rail());
    if (below(2) == 1) plan.verification = verification();
    for (auto n = below(3); n > 0; --n) {
      plan.offloads.push_back({text(), positive(), positive(), positive(), positive() > 1});
      plan.segments.push_back(segment());
      plan.signatures.push_back(signature());
    }
    return plan;
  }

  Threshold threshold() {
    Threshold threshold;
    threshold.kind = kDecisions[below(kDecisions.size())];
    threshold.answer = static_cast<Answer>(below(4));
    if (threshold.answer == Answer::kThreshold) threshold.bytes = random_();
    if (threshold.answer == Answer::kAlways) threshold.bytes = 0;
    threshold.low_bytes = random_();
    threshold.high_bytes = random_();
    threshold.regret = positive();
    threshold.bounded = below(2) == 1;
    std::uint64_t from = 0;
    const Choices legal = choices(threshold.kind);
    for (auto n = below(5); n > 0; --n) {
      const std::uint64_t to = from + 1 + below(1u << 20);
      threshold.ranges.push_back({from, to, std::string(n % 2 ? legal.below : legal.above)});
      from = to;
    }
    threshold.ranges.push_back({from, std::nullopt, std::string(legal.above)});
    return threshold;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  double positive() {
    for (;;) {
      const double value = std::abs(std::bit_cast<double>(random_()));
      if (std::isfinite(value)) return value;
    }
  }

  std::string text() {
    constexpr std::string_view kPieces[] = {"", "a", "tcp:lo", "\"", "\\", "\n", "é", "\x01", "<"};
    std::string all;
    for (auto n = below(4); n > 0; --n) all += kPieces[below(std::size(kPieces))];
    return all;
  }

  Curve curve() {
    std::vector<Point> points;
    double size = static_cast<double>(below(2));
    for (auto n = below(6); n > 0; --n) {
      points.push_back({size, positive()});
      size += below(2) == 1 ? 0.1 : static_cast<double>(1 + below(1u << 30));
    }
    return points.empty() ? Curve() : Curve(points);
  }

  RailPlan rail() {
    RailPlan rail{text(), Id::random(), text(), text(), text(), random_(), {}, {}};
    for (auto n = below(3); n > 0; --n) {
      rail.curves.push_back(
          {text(), text(), text(), curve(), curve(), curve(), positive(), positive()});
    }
    for (auto n = below(4); n > 0; --n) rail.thresholds.push_back(threshold());
    rail.chunk_bytes_min = random_();
    rail.memory = text();
    rail.ranks_per_nic = count();
    return rail;
  }

  std::int64_t count() { return static_cast<std::int64_t>(below(1u << 31)); }

  SegmentRule segment() {
    SegmentRule segment{text(), count(), count(), below(1u << 20), {}, random_(), text()};
    if (below(2) == 1) {
      segment.nodes_max = std::max(segment.nodes, count()) | 1;  // never 0
      segment.ranks_per_node_max = std::max(segment.ranks_per_node, count());
    }
    if (below(2) == 1) segment.to_bytes = segment.from_bytes + 1 + below(1u << 20);
    segment.mpi = text();
    segment.gain = positive();
    return segment;
  }

  LibraryRule library_rule() {
    LibraryRule rule{text(), text(), text(), count(), count(), below(1u << 20)};
    if (below(2) == 1) rule.to_bytes = rule.from_bytes + 1 + below(1u << 20);
    rule.segment_bytes = random_();
    rule.gain = positive();
    rule.low = positive();
    rule.high = positive();
    return rule;
  }

  Signature signature() {
    return {.algorithm = text(),
            .ranks_per_node = count(),
            .bound = curve(),
            .gamma = positive(),
            .delta_ns = positive(),
            .delta_per_message = below(2) == 1,
            .delta_from_bytes = random_(),
            .ranks_min = count(),
            .ranks_max = count(),
            .size_bytes_min = random_(),
            .size_bytes_max = random_(),
            .error = positive(),
            .saturated = below(2) == 1,
            .rises = {{count(), positive()}, {count(), positive()}},
            .growth = positive(),
            .growth_saturates = below(2) == 1,
            .small = {{random_(), positive(), positive()}},
            .ratio_growth = ratio_growth(),
            .cores = count(),
            .processor_ns = positive(),
            .uncertainty = uncertainty()};
  }

  std::optional<RatioGrowth> ratio_growth() {
    if (below(2) == 0) return std::nullopt;
    return RatioGrowth{.rises = {{count(), positive()}},
                       .growth = positive(),
                       .growth_error = positive(),
                       .growth_saturates = below(2) == 1};
  }

  std::optional<Uncertainty> uncertainty() {
    if (below(2) == 0) return std::nullopt;
    return Uncertainty{positive(), positive(), -positive(), positive(),
                       positive(), positive(), positive(),  positive()};
  }

  Verification verification() {
    Verification verification;
    for (auto n = below(3); n > 0; --n) {
      verification.predictions.push_back(
          {text(), text(), text(), random_(), positive(), positive(), positive()});
      verification.decisions.push_back(
          {text(), "rendezvous", text(), random_(), positive(), positive()});
    }
    return verification;
  }

  std::mt19937_64 random_;
};

TEST(PlanJson, RoundTripsEveryPlanExactly) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Plan plan = RandomPlans(seed).plan();
    const json::Value document = json::parse(to_json(plan).dump(), "plan");
    EXPECT_EQ(plan_from_json(json::Reader(document, "plan")), plan) << "seed " << seed;
  }
}

TEST(PlanJson, WritesThresholdsInTheDocumentedForm) {
  const Threshold threshold{.kind = DecisionKind::kIovec,
                            .answer = Answer::kThreshold,
                            .bytes = 4096,
                            .low_bytes = 2048,
                            .high_bytes = 8192,
                            .regret = 0.001,
                            .bounded = false,
                            .ranges = {{0, 4096, "copy"}, {4096, std::nullopt, "iovec"}}};
  EXPECT_EQ(to_json(threshold).dump(-1),
            R"({"kind":"iovec","bytes":4096,"answer":"threshold","interval":[2048,8192],)"
            R"("regret":0.001,"bounded":false,"ranges":[{"from":0,"to":4096,"choice":"copy"},)"
            R"({"from":4096,"to":null,"choice":"iovec"}]})");
}

TEST(PlanJson, WritesNeverWithoutBytes) {
  const Threshold never{.ranges = {{0, std::nullopt, "copy"}}};
  EXPECT_TRUE(to_json(never).find("bytes")->is_null());
}

std::string refusal_of_threshold(const std::string& member, const json::Value& value) {
  json::Value document = to_json(RandomPlans(1).threshold());
  document.set("kind", "iovec")
      .set("answer", "threshold")
      .set("bytes", 1)
      .set("ranges", json::parse(R"([{"from":0,"to":1,"choice":"copy"},
                                {"from":1,"to":null,"choice":"iovec"}])",
                                 "ranges"));
  document.set(member, value);
  try {
    threshold_from_json(json::Reader(document, "t"));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PlanJson, RefusesWhatIsNeverWritten) {
  const auto ranges = [](const char* text) {
    return refusal_of_threshold("ranges", json::parse(text, "ranges"));
  };
  EXPECT_EQ(refusal_of_threshold("bounded", true), "accepted");
  EXPECT_THAT(refusal_of_threshold("kind", "rdv"), HasSubstr("t: kind: expected iovec"));
  EXPECT_THAT(refusal_of_threshold("answer", "maybe"), HasSubstr("t: answer: expected"));
  EXPECT_THAT(refusal_of_threshold("answer", "never"), HasSubstr("t: bytes: does not go with"));
  EXPECT_THAT(refusal_of_threshold("bytes", nullptr), HasSubstr("t: bytes: does not go with"));
  EXPECT_THAT(refusal_of_threshold("regret", -0.5), HasSubstr("t: regret: -0.5 is negative"));
  EXPECT_THAT(refusal_of_threshold("extra", 1), HasSubstr("'extra' is not known"));
  EXPECT_THAT(ranges("[]"), HasSubstr("does not cover every size"));
  EXPECT_THAT(ranges(R"([{"from":0,"to":8,"choice":"copy"}])"), HasSubstr("every size"));
  EXPECT_THAT(ranges(R"([{"from":1,"to":null,"choice":"copy"}])"), HasSubstr("ranges[0].from"));
  EXPECT_THAT(
      ranges(R"([{"from":0,"to":8,"choice":"copy"},{"from":9,"to":null,"choice":"iovec"}])"),
      HasSubstr("ranges[1].from"));
  EXPECT_THAT(ranges(R"([{"from":0,"to":null,"choice":"eager"}])"),
              HasSubstr("ranges[0].choice: expected copy or iovec"));
}

TEST(PlanJson, RefusesACurveThatRunsBackwards) {
  const json::Value document = json::parse("[[8,1],[4,2]]", "c");
  EXPECT_THROW(curve_from_json(json::Reader(document, "c")), Error);
}

TEST(PlanJson, RefusesIdentifiersOfAnotherForm) {
  const json::Value document = json::parse(R"(["0123",7])", "ids");
  const json::Reader reader(document, "ids");
  EXPECT_THROW(id_from_json(reader[0]), Error);
  EXPECT_THROW(id_from_json(reader[1]), Error);
}

}  // namespace
}  // namespace nmt
