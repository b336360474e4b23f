// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune db: profiles to files and back, put together, checked, pruned, pinned.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Db : public Sandbox {
 protected:
  Result db(std::vector<std::string> arguments, const std::string& file) const {
    arguments.insert(arguments.begin(), "db");
    arguments.insert(arguments.end(), {"--db", path(file)});
    return tune(arguments);
  }
  json::Value thresholds(const std::string& file) const {
    return at(document(tune({"--json", "--db", path(file)})), "rails");
  }
  // Of each rail, without what differs between files: a profile draws the identifiers of its paths.
  std::vector<json::Value> thresholds_alone(const std::string& file) const {
    const json::Value document = nmt::testing::document(tune({"--json", "--db", path(file)}));
    std::vector<json::Value> all;
    for (std::size_t i = 0; !at(document, fmt::format("rails.{}", i)).is_null(); ++i) {
      all.push_back(at(document, fmt::format("rails.{}.thresholds", i)));
    }
    return all;
  }
  double predict(const std::string& file) const {
    const json::Value document =
        nmt::testing::document(tune({"predict", "transfer", "--rail", "fake:myri", "--method",
                                     "copy", "--size", "16K", "--json", "--db", path(file)}));
    return json::Reader(document, "prediction")["predictions"][0]["predicted_ns"].number(0);
  }
};

TEST_F(Db, ExportAndImportLoseNothing) {
  make_profile("a.db");
  EXPECT_EQ(db({"export", path("one.json")}, "a.db").exit_code, 0);
  EXPECT_EQ(db({"import", path("one.json")}, "b.db").exit_code, 0);
  EXPECT_EQ(db({"export", path("two.json")}, "b.db").exit_code, 0);
  EXPECT_TRUE(read("one.json") == read("two.json"));
  EXPECT_EQ(thresholds("a.db"), thresholds("b.db"));
}

TEST_F(Db, ExportOverwritesOnlyByForceAndLeavesNothingAside) {
  make_profile("a.db");
  write("taken.json", "precious");
  const Result refused = db({"export", path("taken.json")}, "a.db");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("taken.json"), HasSubstr("--force")));
  EXPECT_EQ(read("taken.json"), "precious");
  EXPECT_EQ(db({"export", path("taken.json"), "--force"}, "a.db").exit_code, 0);
  EXPECT_NE(read("taken.json").find("nmadtune-profile"), std::string::npos);
  EXPECT_EQ(db({"export", path("absent/x.json")}, "a.db").exit_code, 1);
  EXPECT_THAT(files(), ::testing::ElementsAre("a.db", "rails.json", "taken.json"));
}

TEST_F(Db, AnAnonymousExportNamesNoHost) {
  make_profile("a.db");
  const json::Value host =
      at(document(sample({"--list", "--json", "--rails", "fake:" + path("rails.json")})),
         "environment.host");
  EXPECT_EQ(db({"export", path("a.json"), "--anonymous"}, "a.db").exit_code, 0);
  const std::string text = read("a.json");
  EXPECT_EQ(text.find('"' + *host.get_if<std::string>() + '"'), std::string::npos);
  EXPECT_EQ(text.find(path("")), std::string::npos);
  EXPECT_EQ(db({"import", path("a.json")}, "b.db").exit_code, 0);
}

TEST_F(Db, ImportRefusesWhatIsBrokenWholeAndMakesNoProfile) {
  make_profile("a.db");
  EXPECT_EQ(db({"export", path("good.json")}, "a.db").exit_code, 0);
  const std::string good = read("good.json");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return text.replace(place, from.size(), to);
  };
  const std::vector<std::string> cases = {
      "",
      "{}",
      "[]",
      "null",
      std::string(1000000, '['),
      good.substr(0, good.size() / 2),
      replaced("\"nmadtune-profile\"", "\"other\""),
      replaced("\"n\": 12", "\"n\": -12"),
      replaced("\"complete\": true", "\"complete\": 1"),
      replaced("\"quality\": ", "\"quality\": 1e999, \"x\": "),
      replaced("\"size_bytes\": 1,", "\"size_bytes\": 1, \"size_bytes\": 2,"),
      replaced("\"median_ns\": ", "\"median_ns\": NaN, \"x\": "),
      replaced("fake", "f\xff\xfe"),
  };
  for (const std::string& text : cases) {
    const Result result = db({"import", path("good.json"), write("bad.json", text)}, "new.db");
    EXPECT_EQ(result.exit_code, 1) << text.substr(0, 60);
    EXPECT_THAT(result.err, HasSubstr("bad.json"));
    EXPECT_THAT(files(), Not(Contains("new.db")));
  }
}

TEST_F(Db, ImportRefusesWhatIsNoFile) {
  for (const char* name : {"/dev/zero", "/", "absent.json"}) {
    EXPECT_EQ(db({"import", name}, "new.db").exit_code, 1);
  }
  EXPECT_THAT(files(), Not(Contains("new.db")));
}

TEST_F(Db, ImportedTwiceIsImportedOnce) {
  make_profile("a.db");
  EXPECT_EQ(db({"export", path("a.json")}, "a.db").exit_code, 0);
  const json::Value before = thresholds("a.db");
  EXPECT_EQ(db({"import", path("a.json"), path("a.json")}, "a.db").exit_code, 0);
  EXPECT_EQ(thresholds("a.db"), before);
  const json::Value shown = document(tune({"show", "--json", "--db", path("a.db")}));
  EXPECT_TRUE(at(shown, "platforms.0.campaigns.1").is_null());
}

TEST_F(Db, LaunchesMergedAreNearerTheTruthThanTheyAreAlone) {
  std::vector<std::string> files;
  double worst = 0;
  constexpr double kTruthNs = 20000;
  for (const char* seed : {"1", "2", "3", "4", "5"}) {
    const std::string name = std::string("run") + seed + ".db";
    files.push_back(make_profile(name, seed));
    worst = std::max(worst, std::abs(predict(name) / kTruthNs - 1));
  }
  std::vector<std::string> merge = {"merge"};
  merge.insert(merge.end(), files.begin(), files.end());
  const Result result = db(merge, "all.db");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("derived from 5 campaigns"));
  const double error = std::abs(predict("all.db") / kTruthNs - 1);
  EXPECT_LT(error, 0.04);
  EXPECT_LT(error, worst);
}

TEST_F(Db, PlainRunsOnOneProfileFollowTheNewest) {
  make_profile("a.db", "1");
  make_profile("a.db", "2");
  make_profile("b.db", "2");
  EXPECT_THAT(thresholds_alone("a.db"), Not(IsEmpty()));
  EXPECT_EQ(thresholds_alone("a.db"), thresholds_alone("b.db"));
}

TEST_F(Db, MergeRefusesADamagedProfileAndChangesNothing) {
  make_profile("a.db", "1");
  make_profile("b.db", "2");
  std::string damaged = read("b.db");
  std::filesystem::resize_file(path("b.db"), damaged.size() / 2);
  const std::string before = read("a.db");
  const Result result = db({"merge", path("b.db")}, "a.db");
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_THAT(result.err, HasSubstr("b.db"));
  EXPECT_EQ(read("a.db"), before);
}

TEST_F(Db, CheckFindsAFlippedBitAndTheCampaignIsNotUsed) {
  make_profile("a.db");
  EXPECT_EQ(db({"check"}, "a.db").exit_code, 0);
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path("a.db").c_str(), &connection), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(connection,
                         "UPDATE sample SET median_ns = median_ns * 2 WHERE rowid IN"
                         " (SELECT rowid FROM sample LIMIT 1)",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(connection);
  const Result result = db({"check", "--json"}, "a.db");
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_FALSE(at(document(result), "problems.0.what").is_null());
  EXPECT_EQ(tune({"retune", "--db", path("a.db")}).exit_code, 6);
  EXPECT_THAT(tune({"show", "--db", path("a.db")}).out, HasSubstr("damaged"));
  EXPECT_EQ(db({"export", path("refused.json")}, "a.db").exit_code, 6);
  EXPECT_EQ(db({"export", path("saved.json"), "--salvage"}, "a.db").exit_code, 0);
}

TEST_F(Db, PruneKeepsTheNewest) {
  for (const char* seed : {"1", "2", "3"}) make_profile("a.db", seed);
  const json::Value before = thresholds("a.db");
  EXPECT_EQ(at(document(db({"prune", "--json"}, "a.db")), "dropped"), json::Value(0));
  EXPECT_EQ(at(document(db({"prune", "--keep", "1", "--json"}, "a.db")), "dropped"),
            json::Value(2));
  EXPECT_EQ(thresholds("a.db"), before);
  EXPECT_EQ(db({"prune", "--keep", "0"}, "a.db").exit_code, 2);
}

TEST_F(Db, PinPutsChosenCampaignsInForce) {
  for (const char* seed : {"1", "2"}) make_profile("a.db", seed);
  const json::Value shown = document(tune({"show", "--json", "--db", path("a.db")}));
  const json::Value older = at(shown, "platforms.0.campaigns.1.id");
  EXPECT_EQ(db({"pin", older.get_if<std::string>()->substr(0, 12)}, "a.db").exit_code, 0);
  const json::Value pinned = document(tune({"show", "--json", "--db", path("a.db")}));
  EXPECT_EQ(at(pinned, "platforms.0.campaigns.0.in_force"), json::Value(false));
  EXPECT_EQ(at(pinned, "platforms.0.campaigns.1.in_force"), json::Value(true));
  EXPECT_EQ(db({"pin", "--none"}, "a.db").exit_code, 0);
  const json::Value unpinned = document(tune({"show", "--json", "--db", path("a.db")}));
  EXPECT_EQ(at(unpinned, "platforms.0.campaigns.0.in_force"), json::Value(true));
  EXPECT_EQ(db({"pin"}, "a.db").exit_code, 2);
}

TEST_F(Db, WritingVerbsMakeNoProfileWhereThereIsNone) {
  EXPECT_EQ(tune({"retune", "--db", path("absent.db")}).exit_code, 6);
  EXPECT_EQ(db({"prune"}, "absent.db").exit_code, 6);
  EXPECT_EQ(db({"pin", "--none"}, "absent.db").exit_code, 6);
  EXPECT_THAT(files(), Not(Contains("absent.db")));
}

}  // namespace
}  // namespace nmt::testing
