// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged files: found, named, never used; and what can be saved from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/profiledb/fixture.h"

namespace nmt::profiledb {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class Damage : public ::testing::Test {
 protected:
  Damage() {
    ProfileDb database = open_to_write(file_);
    platform_ = fill(database, 1, 3, 8);
    answers_ = ask(database);
    exported_ = database.export_json({});
    whole_ = read_whole(file_);
  }

  // By the sqlite3 library itself, as rot would: digests and seals stay as they are.
  void rot(const std::string& sql, int rows_changed) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    EXPECT_EQ(sqlite3_changes(handle), rows_changed) << sql;
    sqlite3_close(handle);
  }
  void restore() { write_whole(file_, whole_); }

  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "p.db";
  Id platform_;
  Answers answers_;
  std::string exported_;
  std::string whole_;
};

// Whatever a damaged file answers is either an Error or what the whole one answered.
void expect_truth_or_error(const std::string& file, const Answers& truth,
                           const std::string& exported, int* refused) {
  const auto attempt = [&](const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      ++*refused;
      EXPECT_THAT(error.what(), HasSubstr(file));
    }
  };
  attempt([&] {
    const ProfileDb database = open_to_read(file);
    attempt([&] { EXPECT_EQ(database.platforms().size(), truth.platforms.size()); });
    for (const auto& entry : truth.platforms) {
      const auto id = entry.first;
      attempt([&] { EXPECT_EQ(database.plan(id), truth.plans.at(id)); });
      attempt([&] { EXPECT_EQ(database.paths(id).size(), truth.paths.size()); });
      attempt([&] { EXPECT_EQ(database.campaigns(id).size(), truth.campaigns.size()); });
      attempt([&] { database.plan_is_current(id); });
    }
    attempt([&] { EXPECT_EQ(ask(database), truth); });
    attempt([&] { EXPECT_EQ(database.export_json({}), exported); });
    attempt([&] { database.check(); });
    attempt([&] { database.export_json({.salvage = true}); });
  });
}

TEST_F(Damage, FlippedBytesAreFoundOrHarmless) {
#ifdef NMT_SANITIZED
  constexpr std::uint64_t kSeeds = 100;  // ten times slower each
#else
  constexpr std::uint64_t kSeeds = 300;
#endif
  int refused = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    MadeUp chance(seed);
    std::string bytes = whole_;
    for (auto flips = 1 + chance.below(3); flips > 0; --flips) {
      const std::size_t at = chance.below(bytes.size());
      bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + chance.below(255)));
    }
    write_whole(file_, bytes);
    SCOPED_TRACE(seed);
    expect_truth_or_error(file_, answers_, exported_, &refused);
    if (HasFailure()) break;
  }
  EXPECT_GT(refused, static_cast<int>(kSeeds / 10));
}

TEST_F(Damage, OverwrittenPagesAreFoundOrHarmless) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    MadeUp chance(seed);
    std::string bytes = whole_;
    const std::size_t page = 4096 * chance.below(bytes.size() / 4096);
    const std::size_t from = 4096 * chance.below(bytes.size() / 4096);
    for (std::size_t i = 0; i < 4096; ++i) {
      bytes[page + i] = chance.below(2) == 0 ? bytes[from + i] : static_cast<char>(chance.bits());
    }
    write_whole(file_, bytes);
    SCOPED_TRACE(seed);
    expect_truth_or_error(file_, answers_, exported_, &refused);
    if (HasFailure()) break;
  }
  EXPECT_GT(refused, 50);
}

TEST_F(Damage, AChangedValueNamesItsCampaignAndIsNotUsed) {
  const char* changes[] = {
      "UPDATE sample SET size_bytes = size_bytes + 1 WHERE rowid = 1",
      "UPDATE sample SET median_ns = 2 * median_ns + 1 WHERE rowid = 1",
      "UPDATE sample SET held_out = 1 - held_out WHERE rowid = 1",
      "UPDATE sample SET run_delay_ns = run_delay_ns / 2 WHERE rowid = 1",
      "UPDATE sample SET repetitions = x'0204000A' WHERE rowid = 1",
      "UPDATE sample SET repetitions = x'FF' WHERE rowid = 1",
      ("UPDATE sample SET condition = (SELECT id FROM condition WHERE id <> sample.condition LIMIT "
       "1) WHERE rowid = 1"),
      ("UPDATE sample SET path_group = (SELECT id FROM path WHERE id <> sample.path_group LIMIT 1) "
       "WHERE rowid = 1"),
      "UPDATE sample SET digest = digest + 1 WHERE rowid = 1",
      "UPDATE sample SET origin = 'nowhere' WHERE rowid = 1",
      "DELETE FROM sample WHERE rowid = 1"};
  for (const char* sql : changes) {
    restore();
    rot(sql, 1);
    const ProfileDb database = open_to_read(file_);
    int damaged = 0;
    for (const Campaign& campaign : database.campaigns(platform_)) {
      const std::string message = refusal([&] { database.sample_sets(campaign.id); });
      if (message == "accepted") continue;
      ++damaged;
      EXPECT_THAT(message, AllOf(HasSubstr("campaign " + campaign.id.hex()),
                                 HasSubstr("is damaged and not used"), HasSubstr("db check")))
          << sql;
    }
    EXPECT_EQ(damaged, 1) << sql;
    database.read_samples(platform_, [&](const CampaignSamples& samples) {
      EXPECT_EQ(samples.sets.empty(), !samples.damage.empty());
      if (!samples.damage.empty()) --damaged;
    });
    EXPECT_EQ(damaged, 0) << sql;
    EXPECT_THAT(refusal([&] { database.export_json({}); }), HasSubstr("damaged")) << sql;
    EXPECT_THAT(database.check(),
                Contains(AllOf(Field(&ProfileDb::Problem::where, HasSubstr("campaign ")),
                               Field(&ProfileDb::Problem::remedy, HasSubstr("--salvage")))))
        << sql;
  }
}

TEST_F(Damage, AChangedRowOfAnyOtherTableIsFound) {
  const char* changes[] = {"UPDATE platform SET name = 'x'",
                           "UPDATE node SET host = 'x'",
                           "UPDATE rail SET driver = 'x' WHERE rowid = 1",
                           "UPDATE path SET to_rail = from_rail WHERE rowid = 1",
                           "UPDATE campaign SET complete = 1 - complete WHERE rowid = 1",
                           "UPDATE session SET seed = seed + 1 WHERE rowid = 1",
                           "UPDATE condition SET method = 'x' WHERE rowid = 1",
                           "DELETE FROM condition WHERE rowid = 1",
                           "UPDATE seal SET row_count = row_count + 1 WHERE scope = 'node'"};
  for (const char* sql : changes) {
    restore();
    rot(sql, 1);
    const ProfileDb database = open_to_read(file_);
    EXPECT_THAT(refusal([&] { database.platforms(); }), HasSubstr("is damaged")) << sql;
    EXPECT_THAT(database.check(), Not(IsEmpty())) << sql;
  }
}

TEST_F(Damage, ADamagedPlanCanBeDerivedAgain) {
  rot("UPDATE derived SET content = replace(content, 'shm', 'shn')", 1);
  ProfileDb database = open_to_write(file_);
  EXPECT_THAT(refusal([&] { database.plan(platform_); }), HasSubstr("what was derived is damaged"));
  EXPECT_THAT(database.check(),
              Contains(Field(&ProfileDb::Problem::remedy, HasSubstr("nmad-tune retune"))));
  const Plan again = MadeUp(5).plan(platform_);
  database.store_plan(again);
  EXPECT_EQ(database.plan(platform_), again);
  EXPECT_THAT(database.check(), IsEmpty());
}

TEST_F(Damage, SalvageSavesTheOtherCampaigns) {
  rot("UPDATE sample SET median_ns = 1 WHERE rowid = 1", 1);
  const ProfileDb database = open_to_read(file_);
  ProfileDb saved = ProfileDb::in_memory();
  saved.import_json(database.export_json({.salvage = true}), "salvaged");
  EXPECT_THAT(saved.check(), IsEmpty());
  EXPECT_THAT(saved.campaigns(platform_), SizeIs(2));
  for (const auto& [cell, sample] : ask(saved).samples) {
    EXPECT_EQ(answers_.samples.at(cell), sample);
  }
}

TEST_F(Damage, SalvageOfAWholeProfileIsAnExport) {
  EXPECT_EQ(open_to_read(file_).export_json({.salvage = true}), exported_);
}

TEST_F(Damage, SalvagedCampaignsThatMayHaveLostASessionAreNotComplete) {
  rot("PRAGMA foreign_keys = OFF; DELETE FROM session WHERE rowid = 1", 1);
  const ProfileDb database = open_to_read(file_);
  ProfileDb saved = ProfileDb::in_memory();
  saved.import_json(database.export_json({.salvage = true}), "salvaged");
  for (const Campaign& campaign : saved.campaigns(platform_)) EXPECT_FALSE(campaign.complete);
}

TEST_F(Damage, CheckIsSilentAboutAWholeProfile) {
  EXPECT_THAT(open_to_read(file_).check(), IsEmpty());
}

}  // namespace
}  // namespace nmt::profiledb
