// SPDX-License-Identifier: BSD-3-Clause
//
// Methods, decisions, rails, fields, samples and plans as values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "core/fields.h"
#include "core/method.h"
#include "core/plan.h"
#include "core/rail.h"
#include "core/sample.h"

namespace nmt {
namespace {

using testing::ElementsAre;

TEST(Method, ReadsBackItsOwnName) {
  for (const Method method : kMethods) EXPECT_EQ(parse_method(to_string(method)), method);
  EXPECT_EQ(parse_method("carrier pigeon"), std::nullopt);
}

TEST(Decision, ReadsBackItsOwnName) {
  for (const DecisionKind kind : kDecisions) EXPECT_EQ(parse_decision(to_string(kind)), kind);
  EXPECT_EQ(parse_decision(""), std::nullopt);
}

TEST(Decision, ChoosesCopyEagerAndAggregateBelow) {
  EXPECT_EQ(choices(DecisionKind::kIovec).below, "copy");
  EXPECT_EQ(choices(DecisionKind::kIovec).above, "iovec");
  EXPECT_EQ(choices(DecisionKind::kRendezvous).below, "eager");
  EXPECT_EQ(choices(DecisionKind::kRendezvous).above, "rendezvous");
  EXPECT_EQ(choices(DecisionKind::kAggregation).below, "aggregate");
  EXPECT_EQ(choices(DecisionKind::kAggregation).above, "separate");
}

TEST(Rail, IsCalledByDriverAndName) {
  EXPECT_EQ((Rail{.driver = "shm"}).full_name(), "shm");
  EXPECT_EQ((Rail{.driver = "verbs", .name = "mlx5_0/1"}).full_name(), "verbs:mlx5_0/1");
}

TEST(Rail, NameSplitsAtItsFirstColon) {
  std::string driver, name;
  split_rail_name("tcp:eth0:1", &driver, &name);
  EXPECT_EQ(driver, "tcp");
  EXPECT_EQ(name, "eth0:1");
  split_rail_name("shm", &driver, &name);
  EXPECT_EQ(driver, "shm");
  EXPECT_EQ(name, "");
}

TEST(NearestName, FindsWhatWasMeant) {
  const std::vector<std::string> known = {"shm", "tcp:lo", "fake:myri"};
  EXPECT_EQ(nearest_name("tcp:l0", known), "tcp:lo");
  EXPECT_EQ(nearest_name("smh", known), "shm");
  EXPECT_EQ(nearest_name("infiniband-of-the-neighbour", known), "");
}

TEST(Fields, DifferencesNameWhatChangedAppearedAndWent) {
  const Fields before = {{"cpu", "A"}, {"kernel", "6.1"}, {"mtu", "1500"}};
  const Fields now = {{"cpu", "A"}, {"kernel", "6.2"}, {"firmware", "7"}};
  EXPECT_THAT(differences(before, now),
              ElementsAre(Difference{"kernel", "6.1", "6.2"}, Difference{"mtu", "1500", {}},
                          Difference{"firmware", {}, "7"}));
  EXPECT_TRUE(differences(before, before).empty());
}

TEST(Fields, DigestTellsNamesFromValues) {
  EXPECT_EQ(digest({{"a", "b"}, {"c", "d"}}), digest({{"c", "d"}, {"a", "b"}}));
  EXPECT_NE(digest({{"a", "b"}}), digest({{"b", "a"}}));
  EXPECT_NE(digest({{"a", ""}}), digest({}));
}

TEST(Condition, VisitsEveryFieldOnce) {
  Condition condition;
  std::set<std::string> names;
  for_each_field(condition, [&](const char* name, auto& field) {
    EXPECT_TRUE(names.insert(name).second) << name;
    if constexpr (std::is_same_v<decltype(field), std::string&>) {
      field = name;
    } else {
      field = static_cast<std::int64_t>(names.size()) + 100;
    }
  });
  // Every byte of a Condition belongs to a visited field: had one been left out, it would still
  // equal its default.
  std::size_t bytes = 0;
  for_each_field(condition, [&](const char*, auto& field) { bytes += sizeof field; });
  EXPECT_EQ(bytes, sizeof(Condition));
}

TEST(Condition, IsDescribedForPeople) {
  const Condition condition = {.benchmark = "transfer",
                               .method = "copy",
                               .placement = "distinct-cores",
                               .busy_rails = "shm"};
  EXPECT_EQ(describe(condition), "transfer/copy hot distinct-cores beside shm");
}

TEST(Origin, ReadsBackItsOwnName) {
  for (const Origin origin :
       {Origin::kMeasured, Origin::kImported, Origin::kSimulated, Origin::kDescribed}) {
    EXPECT_EQ(parse_origin(to_string(origin)), origin);
  }
  EXPECT_THROW(parse_origin("guessed"), Error);
}

TEST(Threshold, ChoosesByRangeFromInclusiveToExclusive) {
  const Threshold threshold = {
      .ranges = {{0, 100, "copy"}, {100, 200, "iovec"}, {200, std::nullopt, "copy"}}};
  EXPECT_EQ(threshold.choice_at(0), "copy");
  EXPECT_EQ(threshold.choice_at(99), "copy");
  EXPECT_EQ(threshold.choice_at(100), "iovec");
  EXPECT_EQ(threshold.choice_at(199), "iovec");
  EXPECT_EQ(threshold.choice_at(200), "copy");
  EXPECT_EQ(threshold.choice_at(std::uint64_t{1} << 62), "copy");
}

TEST(RailPlan, FindsItsCurvesAndThresholds) {
  const RailPlan rail = {.curves = {{.benchmark = "transfer", .method = "copy"}},
                         .thresholds = {{.kind = DecisionKind::kRendezvous}}};
  EXPECT_EQ(rail.find_curve("transfer", "copy"), &rail.curves[0]);
  EXPECT_EQ(rail.find_curve("eager", "copy"), nullptr);
  EXPECT_EQ(rail.find_threshold(DecisionKind::kRendezvous), &rail.thresholds[0]);
  EXPECT_EQ(rail.find_threshold(DecisionKind::kIovec), nullptr);
}

}  // namespace
}  // namespace nmt
