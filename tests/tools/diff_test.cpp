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

class Diff : public PlantedLaunches {
 protected:
  // Identifiers of the campaigns of a profile that started before a date, or since then, with
  // commas between them: as long as nmad-tune show prints them.
  static std::string campaigns(const std::string& db, const std::string& date, bool since) {
    const profiledb::ProfileDb profile(db, {.mode = profiledb::ProfileDb::Mode::kRead});
    std::string list;
    for (const Platform& platform : profile.platforms()) {
      for (const Campaign& each : profile.campaigns(platform.id)) {
        if ((each.started_utc >= date) != since) continue;
        list += (list.empty() ? "" : ",") + each.id.hex().substr(0, 8);
      }
    }
    return list;
  }
};

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

TEST_F(Diff, NamesTheFieldOfARailThatChangedAndTheNodeWhateverItIsCalled) {
  const std::string odd = "no\"de | 1\n";
  const json::Value json =
      document(tune({"diff", history("old.db", 5, {.near = odd}, 1),
                     history("new.db", 5, {.near = odd, .mtu = "9000"}, 2), "--json"}));
  EXPECT_EQ(at(json, "fingerprints.0.node"), json::Value(odd));
  EXPECT_EQ(at(json, "fingerprints.0.rail"), json::Value("tcp:e0"));
  EXPECT_EQ(at(json, "fingerprints.0.field"), json::Value("mtu_bytes"));
  EXPECT_EQ(at(json, "fingerprints.0.after"), json::Value("9000"));
}

// Rendezvous became faster: it pays from 2 KiB on, no longer from 10 KB.
TEST_F(Diff, SaysWhatKeepingAnOldThresholdWouldCost) {
  const std::string before = history("old.db", 6, {.decides = true}, 1);
  const std::string after = history("new.db", 6, {.rendezvous_ratio = 0.7, .decides = true}, 2);
  const json::Value json = document(tune({"diff", before, after, "--json"}));
  EXPECT_EQ(at(json, "thresholds.0.path"), json::Value("node1 tcp:e0 -> node2"));
  EXPECT_EQ(at(json, "thresholds.0.kind"), json::Value("rendezvous"));
  EXPECT_GT(number(json, "thresholds.0.regret"), 0.01);
  EXPECT_GT(number(json, "thresholds.0.worst_size_bytes"), 2048);
  EXPECT_LT(number(json, "thresholds.0.worst_size_bytes"), 16384);
  EXPECT_THAT(tune({"diff", before, after}).out, HasSubstr("Thresholds that moved"));
}

TEST_F(Diff, SaysWhatALinkCountedOfErrors) {
  const std::string counted = "tcp:e0: counted 12 symbol_error";
  const std::string before = history("old.db", 5, {}, 1);
  const std::string after = history("new.db", 5, {.remark = counted}, 2);
  EXPECT_EQ(at(document(tune({"diff", before, after, "--json"})), "remarks_after.0"),
            json::Value(counted));
  EXPECT_THAT(tune({"diff", before, after}).out,
              HasSubstr("Remark of a campaign after: " + counted));
}

TEST_F(Diff, ComparesAPairWhicheverEndMeasuredIt) {
  const Result result = tune({"diff", history("old.db", 6, {}, 1),
                              history("new.db", 6, {.near = "node2", .far = "node1"}, 2)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("is slower beyond noise"));
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

TEST_F(Diff, ComparesCampaignsByTheirIdentifiers) {
  const std::string db = history("one.db", 6, {.date = "2026-11-01T10:00:00Z"}, 1);
  history("one.db", 6, {.date = "2026-11-20T10:00:00Z", .rendezvous_ratio = 1.3}, 2);
  const std::string before = campaigns(db, "2026-11-10", false);
  const std::string after = campaigns(db, "2026-11-10", true);
  const Result result = tune({"diff", before, after, "--db", db, "--json"});
  EXPECT_EQ(result.exit_code, 8) << result.err;
  const json::Value json = document(result);
  EXPECT_EQ(at(json, "before"), json::Value("campaigns " + before));
  EXPECT_EQ(at(json, "launches_before"), json::Value(6));
  EXPECT_EQ(at(json, "launches_after"), json::Value(6));
  EXPECT_NEAR(number(json, "changes.0.ratio"), 1.3, 0.06);
  EXPECT_EQ(tune({"diff", after, before, "--db", db}).exit_code, 0);  // faster
}

TEST_F(Diff, ComparesOneProfileWithThatOfDb) {
  const std::string before = history("old.db", 6, {}, 1);
  const std::string after = history("new.db", 6, {.rendezvous_ratio = 1.3}, 2);
  const Result result = tune({"diff", before, "--db", after, "--json"});
  EXPECT_EQ(result.exit_code, 8) << result.err;
  EXPECT_EQ(at(document(result), "before"), json::Value(before));
  EXPECT_EQ(at(document(result), "after"), json::Value(after));
  const std::string some = campaigns(after, "2026", true);
  EXPECT_EQ(at(document(tune({"diff", before, some, "--db", after, "--json"})), "after"),
            json::Value("campaigns " + some));
}

TEST_F(Diff, RefusesIdentifiersThatAreNoCampaigns) {
  const std::string db = history("one.db", 2, {}, 1);
  const std::string one = campaigns(db, "2026", true).substr(0, 8);
  const Result unknown = tune({"diff", one, "0123456789abcdef", "--db", db});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("campaign: no '0123456789abcdef'"));
  const Result among = tune({"diff", one + ",0123456789abcdef", one, "--db", db});
  EXPECT_EQ(among.exit_code, 2);
  EXPECT_THAT(among.err, HasSubstr("campaign: no '0123456789abcdef'"));
  for (const std::string& no_identifier :
       {one + ",yesterday", std::string("old,new"), std::string("gone.db"), std::string(","),
        std::string("")}) {
    const Result result = tune({"diff", no_identifier, one, "--db", db});
    EXPECT_EQ(result.exit_code, 2) << no_identifier;
    EXPECT_THAT(result.err, HasSubstr("'" + no_identifier +
                                      "' is neither a profile nor the "
                                      "beginning of a campaign's identifier"));
  }
}

// A clock that was years ahead: sides are what the user names, whatever their dates say.
TEST_F(Diff, OfSidesWhoseClocksAreYearsApartComparesWhatIsNamed) {
  const std::string ahead = history("ahead.db", 6, {.date = "2099-01-01T00:00:00Z"}, 1);
  const std::string now = history("now.db", 6, {.rendezvous_ratio = 1.3}, 2);
  EXPECT_EQ(tune({"diff", ahead, now}).exit_code, 8);
  EXPECT_EQ(tune({"diff", now, ahead}).exit_code, 0);

  const std::string both = history("both.db", 6, {.date = "2099-01-01T00:00:00Z"}, 1);
  history("both.db", 6, {.rendezvous_ratio = 1.3}, 2);
  EXPECT_EQ(
      tune({"diff", campaigns(both, "2099", true), campaigns(both, "2099", false), "--db", both})
          .exit_code,
      8);
}

// Nothing is later than what was pinned under a clock that was years ahead.
TEST_F(Diff, OfASideWithoutCampaignsSaysWhichOne) {
  const std::string db = history("one.db", 1, {.date = "2099-01-01T00:00:00Z"}, 1);
  ASSERT_EQ(tune({"db", "pin", campaigns(db, "2099", true), "--db", db}).exit_code, 0);
  history("one.db", 6, {}, 2);
  const Result pinned = tune({"diff", "--pinned", "--db", db});
  EXPECT_EQ(pinned.exit_code, 6);
  EXPECT_THAT(pinned.err, AllOf(HasSubstr("no campaigns since the pinned ones"),
                                HasSubstr("2099-01-01T00:00:00Z")));
  const Result since = tune({"diff", "--since", "2100-01-01", "--db", db});
  EXPECT_EQ(since.exit_code, 6);
  EXPECT_THAT(since.err, HasSubstr("no campaigns since 2100-01-01"));
}

TEST_F(Diff, RefusesSidesWithoutACommonPathAndNamesNodesThatLeft) {
  const std::string before = history("old.db", 6, {}, 1);
  const std::string other = history("other.db", 6, {.near = "node8", .far = "node9"}, 2);
  const Result apart = tune({"diff", before, other});
  EXPECT_EQ(apart.exit_code, 1);
  EXPECT_THAT(apart.err, HasSubstr("no path between the same nodes and rails in common"));
  history("other.db", 6, {}, 3);
  EXPECT_THAT(tune({"diff", before, other}).err,
              HasSubstr("one side only (after): node8 tcp:e0 -> node9"));
  EXPECT_THAT(tune({"diff", other, before}).err,
              HasSubstr("one side only (before): node8 tcp:e0 -> node9"));
  EXPECT_EQ(tune({"diff", path("absent.db"), other}).exit_code, 2);
  EXPECT_EQ(tune({"diff"}).exit_code, 2);
}

}  // namespace
}  // namespace nmt::testing
