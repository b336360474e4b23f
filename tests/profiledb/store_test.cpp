// SPDX-License-Identifier: BSD-3-Clause
//
// What is stored comes back, exactly; where equal things are stored twice they are one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiledb/repetitions.h"
#include "tests/profiledb/fixture.h"

namespace nmt::profiledb {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Repetitions, RoundTripExactlyWhateverTheyHold) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    MadeUp made_up(seed);
    const std::vector<Repetition> repetitions = made_up.sample(made_up.below(100)).repetitions;
    EXPECT_EQ(decode_repetitions(encode_repetitions(repetitions)), repetitions) << seed;
  }
}

TEST(Repetitions, TakeAboutTwoBytesEach) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(12'000, 300);
  std::vector<Repetition> repetitions;
  for (std::uint32_t i = 0; i < 100; ++i) {
    repetitions.push_back({static_cast<std::uint64_t>(noise(random)), 4, i / 8, i % 20 == 0});
  }
  EXPECT_LT(encode_repetitions(repetitions).size(), 3 * repetitions.size());
}

TEST(Repetitions, RefuseBytesThatAreNone) {
  const std::string huge_run("\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x02\x00\x00", 13);
  const std::string no_batch("\x02\x00\x00\x08", 4);
  const std::string cut = encode_repetitions(std::vector<Repetition>(3)).substr(0, 5);
  for (const std::string& bytes : {huge_run, no_batch, cut, std::string(11, '\xFF')}) {
    EXPECT_EQ(refusal([&] { decode_repetitions(bytes); }, Fault::kFailed),
              "repetitions in an unknown layout");
  }
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    try {
      EXPECT_LE(decode_repetitions(bytes).size(), bytes.size());
    } catch (const Error&) {
    }
  }
}

struct Stored {
  Platform platform;
  Node node;
  Path path;
  Campaign campaign;
  Session session;
};

// One campaign with one session, on one path, as nmad-sample begins it.
Stored begin(ProfileDb& database, MadeUp& made_up) {
  Stored stored;
  stored.platform = database.ensure_platform({made_up.id(), "p", made_up.fields()});
  stored.node = database.ensure_node({made_up.id(), "host"}, stored.platform.id);
  stored.path = database.ensure_path(
      {made_up.id(), stored.node.id, stored.node.id, {"shm", "", {}}, {"shm", "", {}}});
  stored.campaign = made_up.campaign(stored.platform.id);
  database.begin_campaign(stored.campaign);
  stored.session = made_up.session();
  database.begin_session(stored.session, stored.campaign.id);
  return stored;
}

TEST(Store, GivesBackExactlyWhatWasStored) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const TemporaryFolder folder;
    MadeUp made_up(seed);
    const std::vector<Sample> samples = made_up.samples(20, 60);
    Stored stored;
    {
      ProfileDb database = open_to_write(folder / "p.db");
      stored = begin(database, made_up);
      database.store_samples(stored.session.id, stored.path.id, samples);
    }
    const std::vector<SampleSet> sets =
        open_to_read(folder / "p.db").sample_sets(stored.campaign.id);
    ASSERT_THAT(sets, SizeIs(1));
    EXPECT_EQ(sets[0].campaign, stored.campaign);
    EXPECT_EQ(sets[0].session, stored.session);
    EXPECT_EQ(sets[0].path, stored.path);
    EXPECT_THAT(sets[0].others, IsEmpty());
    EXPECT_THAT(sets[0].samples, ::testing::UnorderedElementsAreArray(samples));
  }
}

TEST(Store, KeepsADefaultCampaignBelowFiveMegabytes) {
  const TemporaryFolder folder(fast_storage());
  const std::string file = folder / "p.db";
  ProfileDb database = open_to_write(file);
  MadeUp made_up(1);
  const Stored stored = begin(database, made_up);
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> noise(0, 0.05);
  for (int rail = 0; rail < 2; ++rail) {
    const Rail end{"tcp", "r" + std::to_string(rail), {}};
    const Path path =
        database.ensure_path({made_up.id(), stored.node.id, stored.node.id, end, end});
    for (int size = 0; size < 45; ++size) {  // a block each
      std::vector<Sample> block;
      for (const std::string regime : {"hot", "cold"}) {
        for (int kind = 0; kind < 8; ++kind) {
          Sample sample{.size_bytes = std::uint64_t{1} << (size / 2)};
          sample.condition.benchmark = "kind" + std::to_string(kind);
          sample.condition.regime = regime;
          for (std::uint32_t i = 0; i < 100; ++i) {
            sample.repetitions.push_back(
                {static_cast<std::uint64_t>(noise(random) * (2e5 + 100.0 * size * size)),
                 std::uint32_t{16}, i / 10, i % 30 == 0});
          }
          block.push_back(sample);
        }
      }
      database.store_samples(stored.session.id, path.id, block);
    }
  }
  EXPECT_LT(std::filesystem::file_size(file), 5'000'000u);
  EXPECT_GT(std::filesystem::file_size(file), 100'000u);
}

TEST(Store, ReplacesTheSameCellsAndKeepsTheOthers) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(1);
  const Stored stored = begin(database, made_up);
  std::vector<Sample> samples = made_up.samples(5, 10);
  database.store_samples(stored.session.id, stored.path.id, samples);
  samples[2].repetitions.push_back({.total_ns = 77});
  samples[2].run_delay_ns = 3;
  database.store_samples(stored.session.id, stored.path.id, std::span(&samples[2], 1));
  const auto sets = database.sample_sets(stored.campaign.id);
  ASSERT_THAT(sets, SizeIs(1));
  EXPECT_THAT(sets[0].samples, ::testing::UnorderedElementsAreArray(samples));
}

TEST(Store, KeepsSessionsAndPathsOfOneCampaignApart) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(2);
  const Stored stored = begin(database, made_up);
  const Path other = database.ensure_path(
      {made_up.id(), stored.node.id, stored.node.id, {"tcp", "lo", {}}, {"tcp", "lo", {}}});
  const Session resumed = made_up.session();
  database.begin_session(resumed, stored.campaign.id);
  const std::vector<Sample> samples = made_up.samples(3, 10);
  database.store_samples(stored.session.id, stored.path.id, samples);
  database.store_samples(stored.session.id, other.id, samples);
  database.store_samples(resumed.id, other.id, samples);
  EXPECT_THAT(database.sample_sets(stored.campaign.id), SizeIs(3));
}

TEST(Store, FoldsEqualPlatformsNodesRailsAndPaths) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(3);
  const Stored stored = begin(database, made_up);
  const Platform again = database.ensure_platform({made_up.id(), "q", stored.platform.fingerprint});
  EXPECT_EQ(again, stored.platform);
  EXPECT_EQ(database.ensure_node({made_up.id(), "host"}, stored.platform.id), stored.node);
  Path path = stored.path;
  path.id = made_up.id();
  EXPECT_EQ(database.ensure_path(path), stored.path);
  path.to.fingerprint["mtu"] = "9000";
  EXPECT_EQ(database.ensure_path(path), path);
  EXPECT_THAT(database.platforms(), SizeIs(1));
  EXPECT_THAT(database.paths(stored.platform.id), SizeIs(2));
}

TEST(Store, TellsPlatformsWithOtherFingerprintsApart) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(4);
  const Platform a = database.ensure_platform({made_up.id(), "a", {{"kernel", "6.1"}}});
  const Platform b = database.ensure_platform({made_up.id(), "a", {{"kernel", "6.2"}}});
  EXPECT_NE(a.id, b.id);
}

TEST(Store, KeepsGroupsOfPathsMeasuredTogether) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(5);
  const Stored stored = begin(database, made_up);
  const Path other = database.ensure_path(
      {made_up.id(), stored.node.id, stored.node.id, {"tcp", "lo", {}}, {"tcp", "lo", {}}});
  const Id both = database.ensure_path_group(std::vector{other.id, stored.path.id});
  EXPECT_EQ(database.ensure_path_group(std::vector{stored.path.id, other.id}), both);
  EXPECT_EQ(database.ensure_path_group(std::vector{other.id}), other.id);
  database.store_samples(stored.session.id, both, made_up.samples(2, 3));
  const auto sets = database.sample_sets(stored.campaign.id);
  ASSERT_THAT(sets, SizeIs(1));
  std::vector<Path> members = sets[0].others;
  members.push_back(sets[0].path);
  EXPECT_THAT(members, ::testing::UnorderedElementsAre(stored.path, other));
}

TEST(Store, RefusesWhatHangsInTheAir) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(6);
  const Stored stored = begin(database, made_up);
  const Id nobody = made_up.id();
  const std::vector<Sample> samples = made_up.samples(1, 1);
  const auto refused = [](auto action) { return refusal(action, Fault::kUsage); };
  EXPECT_THAT(refused([&] {
                database.ensure_node({nobody, "h"}, nobody);
              }),
              HasSubstr("no platform " + nobody.hex()));
  EXPECT_THAT(refused([&] { database.begin_session(made_up.session(), nobody); }),
              HasSubstr("no campaign"));
  EXPECT_THAT(refused([&] { database.store_samples(nobody, stored.path.id, samples); }),
              HasSubstr("no session"));
  EXPECT_THAT(refused([&] { database.store_samples(stored.session.id, nobody, samples); }),
              HasSubstr("no path_group"));
  EXPECT_THAT(refused([&] { database.sample_sets(nobody); }), HasSubstr("no campaign"));
  EXPECT_THAT(refused([&] { database.pin(std::vector{nobody}); }), HasSubstr("no campaign"));
  EXPECT_THAT(database.check(), IsEmpty());
}

TEST(Store, FindsTheNewestIncompleteCampaignWithTheseOptions) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(7);
  const Stored stored = begin(database, made_up);
  const auto add = [&](const std::string& started, const Fields& options, bool complete) {
    Campaign campaign = made_up.campaign(stored.platform.id);
    campaign.started_utc = started;
    campaign.options = options;
    database.begin_campaign(campaign);
    campaign.complete = complete;
    database.finish_campaign(campaign);
    return campaign;
  };
  const Fields options{{"budget", "60s"}};
  add("2030-01-01T00:00:00Z", options, false);
  const Campaign newest = add("2030-01-03T00:00:00Z", options, false);
  add("2030-01-04T00:00:00Z", options, true);
  add("2030-01-05T00:00:00Z", {{"budget", "20s"}}, false);
  EXPECT_EQ(database.find_resumable(stored.platform.id, options), newest);
  EXPECT_EQ(database.find_resumable(stored.platform.id, {{"budget", "1s"}}), std::nullopt);
  EXPECT_EQ(database.campaigns(stored.platform.id).front().started_utc, "2030-01-05T00:00:00Z");
}

TEST(Store, FinishesACampaignWithItsVerdict) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(8);
  Stored stored = begin(database, made_up);
  stored.campaign.complete = true;
  stored.campaign.quality = 0.75;
  stored.campaign.finished_utc = "2026-11-21T10:30:00Z";
  stored.campaign.remark = "a neighbour was busy";
  database.finish_campaign(stored.campaign);
  EXPECT_EQ(database.campaigns(stored.platform.id), std::vector{stored.campaign});
}

TEST(Store, KeepsOnePlanPerPlatform) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(9);
  const Stored stored = begin(database, made_up);
  EXPECT_EQ(database.plan(stored.platform.id), std::nullopt);
  database.store_plan(made_up.plan(stored.platform.id));
  const Plan second = made_up.plan(stored.platform.id);
  database.store_plan(second);
  EXPECT_EQ(database.plan(stored.platform.id), second);
}

TEST(Store, KnowsWhenAPlanIsNoLongerCurrent) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(10);
  const Stored stored = begin(database, made_up);
  const Id platform = stored.platform.id;
  EXPECT_FALSE(database.plan_is_current(platform));
  EXPECT_FALSE(database.stored_plan(platform));
  const Plan plan = made_up.plan(platform);
  database.store_plan(plan);
  EXPECT_TRUE(database.plan_is_current(platform));
  EXPECT_TRUE(database.stored_plan(platform)->is_current);
  EXPECT_EQ(database.stored_plan(platform)->plan, plan);
  database.store_samples(stored.session.id, stored.path.id, made_up.samples(2, 9));
  EXPECT_FALSE(database.plan_is_current(platform));
  EXPECT_FALSE(database.stored_plan(platform)->is_current);
  database.store_plan(made_up.plan(platform));
  EXPECT_TRUE(database.plan_is_current(platform));
}

}  // namespace
}  // namespace nmt::profiledb
