// SPDX-License-Identifier: BSD-3-Clause
//
// Which campaigns count, which are superseded, and what pruning leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "tests/profiledb/fixture.h"

namespace nmt::profiledb {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class InForce : public ::testing::Test {
 protected:
  InForce()
      : platform_(database_.ensure_platform({made_up_.id(), "p", {}}).id),
        node_(database_.ensure_node({made_up_.id(), "host"}, platform_).id) {}

  Id path(const std::string& rail, const Fields& fingerprint = {}) {
    const Rail end{"tcp", rail, fingerprint};
    return database_.ensure_path({made_up_.id(), node_, node_, end, end}).id;
  }

  // A campaign of that day that measured these (path, benchmark) pairs.
  Id campaign(int day, bool complete, const std::vector<std::pair<Id, std::string>>& cells,
              bool landmarks = false) {
    Campaign campaign = made_up_.campaign(platform_);
    if (landmarks) campaign.options[kLandmarksOption] = kLandmarksOnly;
    campaign.started_utc = "2026-11-" + std::to_string(day) + "T00:00:00Z";
    database_.begin_campaign(campaign);
    const Session session = made_up_.session();
    database_.begin_session(session, campaign.id);
    for (const auto& [path, benchmark] : cells) {
      Sample sample;
      sample.condition.benchmark = benchmark;
      sample.repetitions = {{.total_ns = 100}};
      database_.store_samples(session.id, path, std::span(&sample, 1));
    }
    campaign.complete = complete;
    database_.finish_campaign(campaign);
    return campaign.id;
  }

  using Counting = std::tuple<Id, Id, std::string>;  // campaign, path, benchmark
  static std::set<Counting> cells_of(const std::vector<SampleSet>& sets) {
    std::set<Counting> found;
    for (const SampleSet& set : sets) {
      EXPECT_FALSE(set.samples.empty());
      for (const Sample& sample : set.samples) {
        found.insert({set.campaign.id, set.path.id, sample.condition.benchmark});
      }
    }
    return found;
  }
  // In both ways of reading them.
  std::set<Counting> counting() const {
    std::vector<SampleSet> sets;
    database_.read_samples(platform_, [&](CampaignSamples samples) {
      samples.keep_in_force();
      std::ranges::move(samples.sets, std::back_inserter(sets));
    });
    const std::set<Counting> found = cells_of(database_.sample_sets_in_force(platform_));
    EXPECT_EQ(cells_of(sets), found);
    return found;
  }

  std::set<Id> campaigns() const {
    std::set<Id> ids;
    for (const Campaign& each : database_.campaigns(platform_)) ids.insert(each.id);
    return ids;
  }

  MadeUp made_up_{1};
  ProfileDb database_ = ProfileDb::in_memory();
  Id platform_;
  Id node_;
};

TEST_F(InForce, TheNewestCompleteCampaignWinsPerPathAndCondition) {
  const Id lo = path("lo"), r0 = path("r0");
  campaign(10, true, {{lo, "transfer"}});
  const Id old = campaign(11, true, {{lo, "eager"}, {r0, "transfer"}});
  const Id recent = campaign(12, true, {{lo, "transfer"}, {r0, "transfer"}});
  EXPECT_THAT(counting(),
              UnorderedElementsAre(Counting{old, lo, "eager"}, Counting{recent, lo, "transfer"},
                                   Counting{recent, r0, "transfer"}));
}

TEST_F(InForce, AnIncompleteCampaignCountsOnlyWhereThereIsNothingElse) {
  const Id lo = path("lo"), r0 = path("r0");
  const Id complete = campaign(10, true, {{lo, "transfer"}});
  campaign(11, false, {{r0, "transfer"}});
  const Id incomplete = campaign(12, false, {{lo, "transfer"}, {r0, "transfer"}});
  EXPECT_THAT(counting(), UnorderedElementsAre(Counting{complete, lo, "transfer"},
                                               Counting{incomplete, r0, "transfer"}));
}

TEST_F(InForce, ACampaignOfLandmarksCountsOnlyWhereAllSizesWereNeverMeasured) {
  const Id lo = path("lo"), r0 = path("r0");
  const Id full = campaign(10, true, {{lo, "transfer"}});
  campaign(11, false, {{r0, "transfer"}});
  const Id landmarks = campaign(12, true, {{lo, "transfer"}, {r0, "transfer"}}, true);
  EXPECT_THAT(counting(), UnorderedElementsAre(Counting{full, lo, "transfer"},
                                               Counting{landmarks, r0, "transfer"}));
}

TEST_F(InForce, PruningForLandmarksDropsOnlyOlderLandmarks) {
  const Id lo = path("lo");
  const Id full = campaign(10, true, {{lo, "transfer"}});
  campaign(11, true, {{lo, "transfer"}}, true);
  const Id newest = campaign(12, true, {{lo, "transfer"}}, true);
  EXPECT_EQ(database_.prune(1), 1u);
  EXPECT_THAT(campaigns(), UnorderedElementsAre(full, newest));
}

TEST_F(InForce, ACampaignIsReadOnceWithWhatNoLongerCounts) {
  const Id lo = path("lo"), r0 = path("r0");
  const Id old = campaign(10, true, {{lo, "transfer"}, {r0, "transfer"}});
  const Id recent = campaign(11, true, {{lo, "transfer"}});
  std::vector<CampaignSamples> read;
  database_.read_samples(platform_,
                         [&](CampaignSamples samples) { read.push_back(std::move(samples)); });
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].campaign.id, recent);
  EXPECT_EQ(read[1].campaign.id, old);
  for (const CampaignSamples& each : read) {
    EXPECT_EQ(each.damage, "");
    EXPECT_EQ(cells_of(each.sets), cells_of(database_.sample_sets(each.campaign.id)));
  }
}

TEST_F(InForce, PinnedCampaignsCountTogetherAndAlone) {
  const Id lo = path("lo");
  const Id a = campaign(10, true, {{lo, "transfer"}});
  const Id b = campaign(11, false, {{lo, "transfer"}});
  const Id c = campaign(12, true, {{lo, "transfer"}});
  database_.pin(std::vector{a, b});
  EXPECT_THAT(counting(),
              UnorderedElementsAre(Counting{a, lo, "transfer"}, Counting{b, lo, "transfer"}));
  database_.pin(std::vector{b});
  EXPECT_THAT(counting(), UnorderedElementsAre(Counting{b, lo, "transfer"}));
  database_.pin({});
  EXPECT_THAT(counting(), UnorderedElementsAre(Counting{c, lo, "transfer"}));
}

TEST_F(InForce, PinningOnOnePlatformLeavesOthersAlone) {
  const Id a = campaign(10, true, {{path("lo"), "transfer"}});
  database_.pin(std::vector{a});
  const Id here = platform_;
  platform_ = database_.ensure_platform({made_up_.id(), "q", {{"kernel", "7"}}}).id;
  node_ = database_.ensure_node({made_up_.id(), "host"}, platform_).id;
  const Id b = campaign(10, true, {{path("lo"), "transfer"}});
  campaign(11, true, {{path("lo"), "transfer"}});
  database_.pin(std::vector{b});
  EXPECT_EQ(std::get<0>(*counting().begin()), b);
  platform_ = here;
  campaign(12, true, {{path("lo"), "transfer"}});
  EXPECT_EQ(std::get<0>(*counting().begin()), a);
}

TEST_F(InForce, ARailWithANewFingerprintSupersedesItself) {
  const Id before = path("eth0", {{"mtu", "1500"}});
  const Id after = path("eth0", {{"mtu", "9000"}});
  campaign(10, true, {{before, "transfer"}});
  const Id recent = campaign(11, true, {{after, "transfer"}});
  EXPECT_THAT(counting(), UnorderedElementsAre(Counting{recent, after, "transfer"}));
}

TEST_F(InForce, PruningKeepsTheNewestOfEverythingMeasured) {
  const Id lo = path("lo"), r0 = path("r0");
  const Id rare = campaign(10, true, {{r0, "transfer"}});
  campaign(11, true, {{lo, "transfer"}});
  campaign(12, false, {{lo, "transfer"}});
  const Id a = campaign(13, true, {{lo, "transfer"}});
  const Id b = campaign(14, true, {{lo, "transfer"}});
  const Id running = campaign(15, false, {{lo, "transfer"}});
  EXPECT_EQ(database_.prune(2), 2u);
  EXPECT_THAT(campaigns(), UnorderedElementsAre(rare, a, b, running));
  EXPECT_EQ(database_.prune(2), 0u);
  EXPECT_THAT(database_.check(), IsEmpty());
}

TEST_F(InForce, PruningNeverDropsAPinnedCampaign) {
  const Id lo = path("lo");
  const Id pinned = campaign(10, true, {{lo, "transfer"}});
  campaign(11, true, {{lo, "transfer"}});
  const Id newest = campaign(12, true, {{lo, "transfer"}});
  database_.pin(std::vector{pinned});
  EXPECT_EQ(database_.prune(1), 1u);
  EXPECT_THAT(campaigns(), UnorderedElementsAre(pinned, newest));
}

TEST_F(InForce, PruningDoesNotChangeWhatCounts) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    MadeUp chance(seed);
    const std::vector<Id> paths = {path("a"), path("b"), path("c")};
    for (int day = 10; day < 16; ++day) {
      std::vector<std::pair<Id, std::string>> cells;
      for (auto n = chance.below(4); n > 0; --n) {
        cells.emplace_back(paths[chance.below(3)], chance.below(2) == 0 ? "transfer" : "eager");
      }
      campaign(day, chance.below(2) == 0, cells, chance.below(3) == 0);
    }
    const auto before = counting();
    database_.prune(1 + chance.below(2));
    EXPECT_EQ(counting(), before) << "seed " << seed;
  }
}

}  // namespace
}  // namespace nmt::profiledb
