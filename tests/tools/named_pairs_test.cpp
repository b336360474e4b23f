// SPDX-License-Identifier: BSD-3-Clause
//
// Pairs of nodes by their names, in what nmad-tune answers from a profile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiledb/profiledb.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A profile of a cluster, whose pairs all have the measurements of one machine.
class NamedPairs : public Sandbox {
 protected:
  NamedPairs() : cluster_(path("cluster.db")) {
    const profiledb::ProfileDb from(make_profile("a.db"),
                                    {.mode = profiledb::ProfileDb::Mode::kRead});
    profiledb::ProfileDb to(cluster_, {.mode = profiledb::ProfileDb::Mode::kWrite});
    const Platform platform = to.ensure_platform(from.platforms().front());
    std::vector<Node> nodes;
    for (const char* host : {"node07", "node12", "a -> b\n'x"}) {
      nodes.push_back(to.ensure_node({Id::random(), host}, platform.id));
    }
    for (Campaign campaign : from.campaigns(platform.id)) {
      for (std::size_t peer : {1u, 2u}) {
        campaign.id = Id::random();
        to.begin_campaign(campaign);
        for (SampleSet set : from.sample_sets(from.campaigns(platform.id).front().id)) {
          if (!set.others.empty() || set.path.from.driver == kCores) continue;
          set.session.id = Id::random();
          set.path.id = Id::random();
          set.path.from_node = nodes[0].id;
          set.path.to_node = nodes[peer].id;
          to.begin_session(set.session, campaign.id);
          to.store_samples(set.session.id, to.ensure_path(set.path).id, set.samples);
        }
        to.finish_campaign(campaign);
      }
    }
  }
  Result ask(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", cluster_});
    return tune(arguments);
  }

  std::string cluster_;
};

TEST_F(NamedPairs, ThatDoNotDifferArePrintedOnce) {
  const Result result = ask({"thresholds", "--rail", "fake:myri"});
  EXPECT_THAT(result.out, HasSubstr("and 1 pair like it (hot buffers"));
  const json::Value one = document(ask({"thresholds", "--rail", "fake:myri", "--json"}));
  EXPECT_EQ(at(one, "rails.0.pairs"), json::Value(2));
  EXPECT_EQ(at(one, "rails.0.node"), json::Value("node07"));
  EXPECT_TRUE(at(one, "rails.1").is_null());
}

TEST_F(NamedPairs, ArePrintedEachWithAll) {
  const json::Value all = document(ask({"thresholds", "--rail", "fake:myri", "--all", "--json"}));
  EXPECT_FALSE(at(all, "rails.1").is_null());
  EXPECT_EQ(at(all, "rails.0.pairs"), json::Value(1));
}

TEST_F(NamedPairs, AreChosenByNodeByPeerAndByName) {
  for (const std::vector<std::string>& choice : {std::vector<std::string>{"--node", "node12"},
                                                 {"--node", "node07", "--peer", "node12"},
                                                 {"--path", "node07 fake:myri -> node12"}}) {
    std::vector<std::string> arguments = {"thresholds", "--rail", "fake:myri", "--json"};
    arguments.insert(arguments.end(), choice.begin(), choice.end());
    const json::Value one = document(ask(arguments));
    EXPECT_EQ(at(one, "rails.0.peer"), json::Value("node12"));
    EXPECT_EQ(at(one, "rails.0.pairs"), json::Value(1));
  }
}

TEST_F(NamedPairs, AreColumnsOfCsv) {
  const Result result = ask({"thresholds", "--rail", "fake:myri", "--node", "node12", "--csv"});
  EXPECT_THAT(result.out, AllOf(HasSubstr("node,peer,peer_rail,path,pairs,ranks_per_nic"),
                                HasSubstr("node07,node12,fake:myri,")));
}

TEST_F(NamedPairs, OfAHostThatWasNotMeasuredAreAUsageError) {
  for (const char* verb : {"thresholds", "show"}) {
    const Result result = ask({verb, "--node", "node11"});
    EXPECT_EQ(result.exit_code, 2) << verb;
    EXPECT_THAT(result.err, HasSubstr("did you mean 'node12'?"));
  }
}

TEST_F(NamedPairs, OfOneNodeAreAllThatShowPrintsWhereItIsAskedFor) {
  const json::Value shown = document(ask({"show", "--node", "node12", "--json"}));
  const json::Value rails = at(shown, "platforms.0.rails");
  for (const json::Reader& rail : json::Reader(rails, "rails").items()) {
    EXPECT_TRUE(rail["node"].text() == "node12" || rail["peer"].text() == "node12");
  }
  EXPECT_THAT(ask({"show", "--all", "--peer", "node12"}).out,
              AllOf(HasSubstr("-> node12"), Not(HasSubstr("-> a"))));
}

TEST_F(NamedPairs, AreTextWhateverTheHostIsCalled) {
  const json::Value one = document(
      ask({"curve", "--rail", "fake:myri", "--method", "copy", "--peer", "a -> b\n'x", "--json"}));
  EXPECT_EQ(at(one, "curve.peer"), json::Value("a -> b\n'x"));
  EXPECT_THAT(ask({"show", "--all"}).out, Not(HasSubstr("-> b\n")));
}

TEST_F(NamedPairs, AreNamedByCurveByPredictAndByShow) {
  const std::string pair = "node07 fake:myri -> node12";
  EXPECT_THAT(ask({"curve", "--rail", "fake:myri", "--method", "copy", "--peer", "node12"}).out,
              HasSubstr(pair));
  EXPECT_THAT(
      ask({"predict", "transfer", "--rail", "fake:myri", "--size", "1K", "--peer", "node12"}).out,
      HasSubstr(pair));
  EXPECT_THAT(ask({"show", "--all"}).out, HasSubstr(pair));
}

TEST_F(NamedPairs, AreMembersOfPredictAndOfShow) {
  const json::Value predicted = document(ask({"predict", "transfer", "--rail", "fake:myri",
                                              "--size", "1K,64K", "--peer", "node12", "--json"}));
  for (const std::string each : {"predictions.0.", "predictions.1."}) {
    EXPECT_EQ(at(predicted, each + "node"), json::Value("node07"));
    EXPECT_EQ(at(predicted, each + "rail"), json::Value("fake:myri"));
    EXPECT_EQ(at(predicted, each + "peer"), json::Value("node12"));
    EXPECT_EQ(at(predicted, each + "peer_rail"), json::Value("fake:myri"));
    EXPECT_EQ(at(predicted, each + "pairs"), json::Value(1));
    EXPECT_EQ(at(predicted, each + "ranks_per_nic"), json::Value(1));
  }
  // The path of show chooses the same pair.
  const json::Value shown = document(ask({"show", "--json"}));
  const json::Value rails = at(shown, "platforms.0.rails");
  std::size_t found = 0;
  for (const json::Reader& each : json::Reader(rails, "rails").items()) {
    if (each["rail"].text() != "fake:myri" || each["peer"].text() != "node12") continue;
    ++found;
    EXPECT_EQ(each["node"].text(), "node07");
    EXPECT_EQ(each["to"].text(), "fake:myri");
    EXPECT_EQ(json::Value(each["path"].text()), at(predicted, "predictions.0.path"));
    EXPECT_EQ(
        at(document(ask({"thresholds", "--path", each["path"].text(), "--json"})), "rails.0.peer"),
        json::Value("node12"));
  }
  EXPECT_EQ(found, 1u);
}

TEST_F(NamedPairs, LoseTheirNamesInAnAnonymousExport) {
  EXPECT_THAT(ask({"db", "export", "--anonymous"}).out, Not(HasSubstr("node07")));
}

}  // namespace
}  // namespace nmt::testing
