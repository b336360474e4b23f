// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune outliers, of clusters with planted nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/tools/planted_launches.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OutliersOf : public PlantedLaunches {
 protected:
  // How much slower than usual a pair is, over a rail.
  using Ratio = double(const std::string& a, const std::string& b, const std::string& rail);

  // Each node with its next ones.
  std::string cluster(const std::function<Ratio>& ratio, int nodes = 16, int next = 3,
                      const std::vector<std::string>& rails = {"e0"}) const {
    std::mt19937_64 random(5);
    for (int step = 1; step <= next; ++step) {
      for (int node = 0; node < nodes; ++node) {
        const std::string a = name(node), b = name((node + step) % nodes);
        for (const std::string& rail : rails) {
          add(path("cluster.db"), {.near = a, .far = b, .ratio = ratio(a, b, rail), .rail = rail},
              random);
        }
      }
    }
    return path("cluster.db");
  }
  std::string cluster(const std::string& slow, int nodes = 16) const {
    return cluster([&](const std::string& a, const std::string& b,
                       const std::string&) { return a == slow || b == slow ? 1.4 : 1; },
                   nodes);
  }
  static std::string name(int node) { return "n" + std::to_string(node); }
};

TEST_F(OutliersOf, AClusterAreNamedWithRatioAndChance) {
  const std::string db = cluster("n5");
  EXPECT_THAT(tune({"outliers", "--db", db}).out, HasSubstr("node n5"));
  const json::Value json = document(tune({"outliers", "--db", db, "--json"}));
  EXPECT_EQ(at(json, "can_say"), json::Value(true));
  EXPECT_EQ(at(json, "outliers.0.kind"), json::Value("node"));
  EXPECT_EQ(at(json, "outliers.0.node"), json::Value("n5"));
  EXPECT_NEAR(number(json, "outliers.0.ratio"), 1.4, 0.1);
  EXPECT_LT(number(json, "outliers.0.chance"), 0.002);
  EXPECT_THAT(tune({"outliers", "--db", db, "--csv"}).out, HasSubstr("node,n5,,tcp:e0,"));
  EXPECT_THAT(tune({"outliers", "--db", db, "--slower", "60%"}).out, Not(HasSubstr("node n5")));
}

// One measurement cannot tell a slow link from a disturbed one; several can.
TEST_F(OutliersOf, AClusterNameALinkByBothItsNodes) {
  const std::string db =
      cluster([](const std::string& a, const std::string& b,
                 const std::string&) { return a == "n2" && b == "n3" ? 2.0 : 1.0; },
              16, 7);
  std::mt19937_64 random(6);
  for (int again = 0; again < 9; ++again) {
    add(db, {.near = "n2", .far = "n3", .ratio = 2}, random);
  }
  const json::Value json = document(tune({"outliers", "--db", db, "--json"}));
  EXPECT_EQ(at(json, "outliers.0.kind"), json::Value("link"));
  EXPECT_EQ(at(json, "outliers.0.node"), json::Value("n2"));
  EXPECT_EQ(at(json, "outliers.0.peer"), json::Value("n3"));
}

TEST_F(OutliersOf, AClusterNameTheRailOfANodeWhoseOtherRailIsAsUsual) {
  const std::string db = cluster(
      [](const std::string& a, const std::string& b, const std::string& rail) {
        return rail == "e1" && (a == "n5" || b == "n5") ? 1.4 : 1.0;
      },
      16, 3, {"e0", "e1"});
  const json::Value json = document(tune({"outliers", "--db", db, "--json"}));
  EXPECT_EQ(at(json, "outliers.0.kind"), json::Value("rail"));
  EXPECT_EQ(at(json, "outliers.0.node"), json::Value("n5"));
  EXPECT_EQ(at(json, "outliers.0.rail"), json::Value("tcp:e1"));
}

// Three pairs of each node are too few to tell its link from the node: it says which to measure.
TEST_F(OutliersOf, AClusterThatAreOnlySuspectedSayWhatToMeasureNext) {
  const std::string db =
      cluster([](const std::string& a, const std::string& b,
                 const std::string&) { return a == "n2" && b == "n3" ? 1.5 : 1.0; },
              16, 3);
  const json::Value json = document(tune({"outliers", "--db", db, "--json"}));
  EXPECT_THAT(at(json, "next").dump(), HasSubstr("n2"));
  EXPECT_THAT(tune({"outliers", "--db", db}).out, HasSubstr("measure these pairs next"));
}

TEST_F(OutliersOf, AClusterWithoutFaultAreNone) {
  EXPECT_THAT(tune({"outliers", "--db", cluster("")}).out, HasSubstr("No node, link or rail"));
}

TEST_F(OutliersOf, AClusterOfFourNodesCannotBeToldFromChance) {
  const Result result = tune({"outliers", "--db", cluster("n1", 4)});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("Cannot say"));
}

TEST_F(OutliersOf, AProfileOfOneNodeAreAnError) {
  const Result result = tune({"outliers", "--db", make_profile("a.db")});
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_THAT(result.err, HasSubstr("no measurement between two nodes"));
}

TEST_F(OutliersOf, ClocksYearsApartAreSaidAndADateTakesAll) {
  std::mt19937_64 random(1);
  const std::string db = cluster("n5");
  add(db, {.near = "n1", .far = "n2", .date = "2099-01-01T00:00:00Z"}, random);
  const Result newest = tune({"outliers", "--db", db});
  EXPECT_EQ(newest.exit_code, 0);
  EXPECT_THAT(newest.err, HasSubstr("48 campaigns between nodes are left out"));
  EXPECT_THAT(newest.err, HasSubstr("2099-01-01"));
  EXPECT_THAT(newest.out, HasSubstr("Cannot say"));
  EXPECT_THAT(tune({"outliers", "--db", db, "--since", "2026-11-01"}).out, HasSubstr("node n5"));
  EXPECT_EQ(tune({"outliers", "--db", db, "--since", "2100-01-01"}).exit_code, 6);
  EXPECT_EQ(tune({"outliers", "--db", db, "--since", "yesterday"}).exit_code, 2);
}

TEST_F(OutliersOf, HostNamesWithAnythingInThemStayText) {
  std::mt19937_64 random(1);
  const std::string name = "n\x1b[31m\"<b>,\n";
  for (int i = 0; i < 3; ++i) add(path("odd.db"), {.near = name, .far = "n2"}, random);
  const Result text = tune({"outliers", "--db", path("odd.db")});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(document(tune({"outliers", "--db", path("odd.db"), "--json"})).is_null(), false);
}

}  // namespace
}  // namespace nmt::testing
