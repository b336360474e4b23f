// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune on a profile whose rails were measured by one rank of a node, and by two and eight at a
// time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "tests/tools/planted_launches.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The more ranks, the better is a rendezvous on e0.
class RanksPerNic : public PlantedLaunches {
 protected:
  RanksPerNic() {
    for (const auto& [ranks, ratio] : {std::pair{1, 1.0}, {2, 0.8}, {8, 0.6}}) {
      add(path("a.db"),
          {.rendezvous_ratio = ratio, .rail = "e0", .ranks_per_nic = ranks, .decides = true},
          random_);
      add(path("a.db"), {.ratio = ranks == 8 ? 3.0 : 1.0, .rail = "e1", .ranks_per_nic = ranks},
          random_);
    }
    EXPECT_EQ(ask({"retune"}).exit_code, 0);
  }

  Result ask(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", path("a.db")});
    return tune(arguments);
  }
  json::Value ask_json(std::vector<std::string> arguments, const std::string& ranks = "") const {
    if (!ranks.empty()) arguments.insert(arguments.end(), {"--ranks-per-nic", ranks});
    arguments.push_back("--json");
    return document(ask(arguments));
  }
  double rendezvous_bytes(const std::string& ranks) const {
    const json::Value all = ask_json({"thresholds", "--rail", "tcp:e0"}, ranks);
    EXPECT_EQ(at(all, "rails.1"), json::Value());
    EXPECT_EQ(at(all, "rails.0.thresholds.0.kind"), json::Value("rendezvous"));
    return number(all, "rails.0.thresholds.0.bytes");
  }

  std::mt19937_64 random_{3};
};

TEST_F(RanksPerNic, ThatAreStatedGetTheirOwnThresholds) {
  const double alone = rendezvous_bytes(""), many = rendezvous_bytes("8");
  EXPECT_EQ(rendezvous_bytes("1"), alone);
  EXPECT_LT(many, alone / 2);
  EXPECT_LT(rendezvous_bytes("2"), alone);
  EXPECT_GT(rendezvous_bytes("2"), many);
}

TEST_F(RanksPerNic, ThatWereNotMeasuredGetTheAnswerOfFewerAndAreToldSo) {
  EXPECT_EQ(rendezvous_bytes("48"), rendezvous_bytes("8"));
  EXPECT_EQ(rendezvous_bytes("7"), rendezvous_bytes("2"));
  const std::vector<std::vector<std::string>> questions = {
      {"thresholds", "--rail", "tcp:e0"},
      {"decide", "--rail", "tcp:e0", "--size", "4K"},
      {"predict", "transfer", "--rail", "tcp:e0", "--size", "4K"},
      {"curve", "--rail", "tcp:e0", "--method", "copy"},
      {"split", "--rails", "tcp:e0,tcp:e1", "--size", "64K"}};
  for (std::vector<std::string> question : questions) {
    SCOPED_TRACE(question.front());
    EXPECT_THAT(ask(question).out, Not(HasSubstr("per NIC")));
    question.insert(question.end(), {"--ranks-per-nic", "8"});
    EXPECT_THAT(ask(question).out,
                AllOf(HasSubstr(", by 8 ranks per NIC"), Not(HasSubstr("per NIC ("))));
    question.back() = "48";
    EXPECT_THAT(ask(question).out, HasSubstr(", by 8 ranks per NIC (48 were not measured)"));
  }
  EXPECT_THAT(number(ask_json(questions[0], "48"), "rails.0.ranks_per_nic"), 8);
  EXPECT_THAT(number(ask_json(questions[1], "48"), "decisions.0.ranks_per_nic"), 8);
  EXPECT_THAT(number(ask_json(questions[2], "7"), "predictions.0.ranks_per_nic"), 2);
  EXPECT_THAT(number(ask_json(questions[3]), "curve.ranks_per_nic"), 1);
  EXPECT_THAT(number(ask_json(questions[4], "8"), "chunks.0.ranks_per_nic"), 8);
}

TEST_F(RanksPerNic, ThatAreStatedGetTheSplitOfSoMany) {
  const std::vector<std::string> question = {"split", "--rails", "tcp:e0,tcp:e1", "--size", "64K"};
  const double alone = number(ask_json(question), "chunks.0.bytes");
  EXPECT_GT(number(ask_json(question, "8"), "chunks.0.bytes"), 1.2 * alone);
}

TEST_F(RanksPerNic, DecideAsTheThresholdsSay) {
  const auto method = [&](const std::string& ranks) {
    return at(ask_json({"decide", "--rail", "tcp:e0", "--size", "4K"}, ranks),
              "decisions.0.method");
  };
  EXPECT_EQ(method("1"), json::Value("copy"));
  EXPECT_EQ(method("8"), json::Value("rendezvous"));
}

TEST_F(RanksPerNic, AreListedByShow) {
  EXPECT_THAT(ask({"show"}).out, HasSubstr("Ranks per NIC that were measured: 1, 2, 8;"));
  EXPECT_EQ(number(ask_json({"show"}), "platforms.0.ranks_per_nic.2"), 8);
}

// e1 is three times as slow by eight ranks, in its newest campaign: that is no change of the rail.
TEST_F(RanksPerNic, OfSeveralAreNoNewerMeasurementsOfOneAlone) {
  add(path("later.db"), {.date = "2026-11-21T10:00:00Z", .rail = "e1"}, random_);
  add(path("later.db"),
      {.date = "2026-11-21T11:00:00Z", .ratio = 3, .rail = "e1", .ranks_per_nic = 8}, random_);
  const Result diff = tune({"diff", path("a.db"), path("later.db"), "--json"});
  EXPECT_EQ(diff.exit_code, 0) << diff.out << diff.err;
  EXPECT_EQ(tune({"outliers", "--db", path("later.db")}).exit_code, 0);
  const json::Value outliers = document(tune({"outliers", "--db", path("later.db"), "--json"}));
  EXPECT_EQ(number(outliers, "pairs"), 1);
}

}  // namespace
}  // namespace nmt::testing
