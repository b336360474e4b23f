// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune diff, of launches with planted changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiledb/profiledb.h"
#include "tests/tools/planted_launches.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Diff : public PlantedLaunches {};

TEST_F(Diff, OfAMachineThatDidNotChangeSaysSoAndSucceeds) {
  const Result result = tune({"diff", history("old.db", 7, {}, 1), history("new.db", 7, {}, 2)});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("is slower beyond noise"));
}

TEST_F(Diff, NamesTheWorstCellFirstAndExitsWith8) {
  const std::string before = history("old.db", 7, {}, 1);
  const std::string after = history("new.db", 7, {.kernel = "6.1.2", .rendezvous_ratio = 1.18}, 2);
  const Result result = tune({"diff", before, after});
  EXPECT_EQ(result.exit_code, 8);
  EXPECT_THAT(result.out, AllOf(HasSubstr("slower beyond noise, worst node1 tcp:e0 -> node2"),
                                HasSubstr("What differs in the fingerprints"), HasSubstr("6.1.2")));
  EXPECT_LT(result.out.find("slower beyond noise"), result.out.find("What differs"));
  const json::Value json = document(tune({"diff", before, after, "--json"}));
  EXPECT_EQ(at(json, "can_say"), json::Value(true));
  EXPECT_EQ(at(json, "fingerprints.0.field"), json::Value("kernel"));
  EXPECT_EQ(at(json, "changes.0.method"), json::Value("rendezvous"));
  EXPECT_NEAR(number(json, "changes.0.ratio"), 1.18, 0.05);
  EXPECT_EQ(tune({"diff", before, after, "--tolerance", "50%"}).exit_code, 0);
  EXPECT_EQ(tune({"diff", after, before}).exit_code, 0);  // faster is no failure
}

TEST_F(Diff, OfFewLaunchesCannotSay) {
  const Result result =
      tune({"diff", history("old.db", 1, {}, 1), history("new.db", 1, {.ratio = 2}, 2), "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(at(document(result), "can_say"), json::Value(false));
}

TEST_F(Diff, ComparesCampaignsOfOneProfileByDateAndByPin) {
  const std::string db = history("one.db", 6, {.date = "2026-11-01T10:00:00Z"}, 1);
  history("one.db", 6, {.date = "2026-11-20T10:00:00.250Z", .rendezvous_ratio = 1.3}, 2);
  EXPECT_EQ(tune({"diff", "--since", "2026-11-10", "--db", db}).exit_code, 8);
  EXPECT_EQ(tune({"diff", "--since", "yesterday", "--db", db}).exit_code, 2);
  EXPECT_EQ(tune({"diff", "--pinned", "--db", db}).exit_code, 2);  // nothing is
  std::vector<std::string> pin = {"db", "pin"};
  {
    const profiledb::ProfileDb profile(db, {.mode = profiledb::ProfileDb::Mode::kRead});
    for (const Campaign& each : profile.campaigns(profile.platforms().front().id)) {
      if (each.started_utc < "2026-11-10") pin.push_back(each.id.hex());
    }
  }
  pin.insert(pin.end(), {"--db", db});
  ASSERT_EQ(tune(pin).exit_code, 0);
  EXPECT_EQ(tune({"diff", "--pinned", "--db", db}).exit_code, 8);
}

TEST_F(Diff, RefusesSidesWithoutACommonPathAndNamesNodesThatLeft) {
  const std::string before = history("old.db", 6, {}, 1);
  const std::string other = history("other.db", 6, {.near = "node8", .far = "node9"}, 2);
  const Result apart = tune({"diff", before, other});
  EXPECT_EQ(apart.exit_code, 1);
  EXPECT_THAT(apart.err, HasSubstr("no path between the same nodes and rails in common"));
  history("other.db", 6, {}, 3);
  EXPECT_THAT(tune({"diff", before, other}).err, HasSubstr("node8 tcp:e0 -> node9"));
  EXPECT_EQ(tune({"diff", path("absent.db"), other}).exit_code, 2);
  EXPECT_EQ(tune({"diff"}).exit_code, 2);
}

}  // namespace
}  // namespace nmt::testing
