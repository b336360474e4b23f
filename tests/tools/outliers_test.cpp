// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune outliers, of clusters with planted nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/planted_launches.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OutliersOf : public PlantedLaunches {
 protected:
  // Each node with its next three.
  std::string cluster(const std::string& slow, int nodes = 16) const {
    std::mt19937_64 random(5);
    for (int step = 1; step <= 3; ++step) {
      for (int node = 0; node < nodes; ++node) {
        const std::string a = name(node), b = name((node + step) % nodes);
        add(path("cluster.db"), {.near = a, .far = b, .ratio = a == slow || b == slow ? 1.4 : 1},
            random);
      }
    }
    return path("cluster.db");
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
