// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample on described rails: what it measures, stores and says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan_json.h"
#include "node/node.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Sample : public Sandbox {
 protected:
  // Small and quick: two seconds of virtual time, up to 64 KiB.
  std::vector<std::string> quick(std::vector<std::string> more) const {
    std::vector<std::string> all = {
        "--rails", "fake:" + path("rails.json"), "--budget", "2s", "--max-size", "64K"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(Sample, WithoutADatabaseNamedWritesTheUsersProfile) {
  const Result result = sample(quick({"--seed", "1"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.last_line(), HasSubstr("profile=" + path(".local/share/nmadtune/profile.db")));
  EXPECT_THAT(tune({}).out, HasSubstr("fake:myri"));
}

TEST_F(Sample, ABudgetThatEndsBeforeAnythingWasMeasuredIsNoSuccess) {
  const std::string slow = write("slow.json", R"({"rails":[{"name":"slow","methods":)"
                                              R"({"copy":[[0,200000000],[65536,300000000]]}}]})");
  const Result result =
      sample({"--rails", "fake:" + slow, "--db", path("a.db"), "--budget", "100ms"});
  EXPECT_EQ(result.exit_code, 4) << result.out;
  EXPECT_THAT(result.err,
              HasSubstr("ended before the first measurement; give more time with --budget 500 ms"));
}

TEST_F(Sample, WritesWhereTheEnvironmentSays) {
  const Setting setting{.environment = {{"NMADTUNE_DB", path("there.db")}}};
  EXPECT_EQ(sample(quick({}), setting).exit_code, 0);
  EXPECT_THAT(files(), Contains("there.db"));
  EXPECT_THAT(tune({"show", "--origin"}, setting).out, HasSubstr("there.db ($NMADTUNE_DB)"));
}

TEST_F(Sample, PrintsThresholdsOfEveryRailAndASummary) {
  const Result result = sample(quick({"--db", path("a.db"), "--seed", "7"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  for (const char* text :
       {"fake:myri (hot buffers", "fake:quad (hot buffers", "iovec", "rendezvous", "aggregation"}) {
    EXPECT_THAT(result.out, HasSubstr(text));
  }
  EXPECT_THAT(result.last_line(), HasSubstr("SUMMARY rails=2 "));
  EXPECT_THAT(result.last_line(), HasSubstr("complete=yes"));
  EXPECT_THAT(result.last_line(), HasSubstr("seed=7 "));
}

TEST_F(Sample, JsonTellsHowEachRailWasMeasured) {
  const json::Value document =
      nmt::testing::document(sample(quick({"--db", path("a.db"), "--seed", "7", "--json"})));
  EXPECT_EQ(at(document, "campaign.seed"), json::Value(7));
  EXPECT_EQ(at(document, "campaign.complete"), json::Value(true));
  EXPECT_EQ(number(document, "campaign.budget_ns"), 2e9);
  EXPECT_LE(number(document, "campaign.elapsed_ns"), 2.2e9);
  EXPECT_EQ(at(document, "profile.file"), json::Value(path("a.db")));
  for (const std::string rail : {"rails.0.", "rails.1."}) {
    EXPECT_GT(number(document, rail + "cells"), 20);
    EXPECT_GT(number(document, rail + "repetitions"), 100);
    EXPECT_EQ(number(document, rail + "disturbed_share"), 0);
    EXPECT_EQ(number(document, rail + "quality"), 1);
    EXPECT_GT(number(document, rail + "elapsed_ns"), 0);
    EXPECT_THAT(*at(document, rail + "stop_reason").get_if<std::string>(), Not(IsEmpty()));
    EXPECT_EQ(at(document, rail + "thresholds.0.kind"), json::Value("iovec"));
    EXPECT_FALSE(at(document, rail + "thresholds.2.ranges.0.choice").is_null());
  }
}

TEST_F(Sample, ASeedNotGivenIsRandomAndRecorded) {
  const auto seed_of_run = [&] {
    return at(document(sample(quick({"--db", path("a.db"), "--json"}))), "campaign.seed");
  };
  const json::Value first = seed_of_run();
  EXPECT_NE(first, seed_of_run());
}

TEST_F(Sample, TheSameSeedMeasuresTheSame) {
  const auto thresholds = [&](const std::string& db) {
    return at(document(sample(quick({"--db", path(db), "--seed", "5", "--json"}))),
              "rails.0.thresholds");
  };
  EXPECT_EQ(thresholds("a.db"), thresholds("b.db"));
}

TEST_F(Sample, VerifyTellsErrorsAndRegretsPerRailMethodAndDecision) {
  const Result result =
      sample({"--rails", "fake:" + path("rails.json"), "--budget", "20s", "--max-size", "1M",
              "--db", path("a.db"), "--seed", "3", "--verify", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json::Value document = nmt::testing::document(result);
  const json::Value verify = at(document, "verify");
  const Verification verification = verification_from_json(json::Reader(verify, "verify"));
  EXPECT_EQ(verification.predictions.size(), 6u);
  EXPECT_EQ(verification.decisions.size(), 6u);
  for (const auto& each : verification.predictions) {
    EXPECT_GE(each.sizes, 40u) << each.rail << " " << each.method;
    EXPECT_LT(each.error_median, 0.02) << each.rail << " " << each.method;
    EXPECT_GT(each.noise_floor, 0);
  }
  for (const auto& each : verification.decisions) {
    EXPECT_LE(each.regret_p95, 0.02) << each.rail << " " << each.kind;
  }
  EXPECT_EQ(at(nmt::testing::document(tune({"--db", path("a.db"), "--json"})), "verified"),
            json::Value(true));
}

TEST_F(Sample, WithoutVerifyNothingIsClaimedToBeVerified) {
  const Result result = sample(quick({"--db", path("a.db"), "--json"}));
  EXPECT_TRUE(at(document(result), "verify").is_null());
  EXPECT_THAT(tune({"--db", path("a.db")}).out, HasSubstr("Not verified"));
}

TEST_F(Sample, AVerificationWithTooShortABudgetSaysSoAndNamesALongerOne) {
  const std::string slow = write("slow.json", R"({"rails":[{"name":"slow","methods":)"
                                              R"({"copy":[[0,2000000],[65536,3000000]]}}]})");
  const Result result = sample({"--rails", "fake:" + slow, "--budget", "200ms", "--max-size", "64K",
                                "--db", path("a.db"), "--verify"});
  EXPECT_THAT(result.err, HasSubstr("give more time with --verify --budget 1"));
  EXPECT_THAT(result.out, Not(HasSubstr("held-out")));
  EXPECT_THAT(tune({"--db", path("a.db")}).out,
              HasSubstr("Not verified: the budget of 200 ms ended before"));
}

TEST_F(Sample, ALimitOnUnexpectedMessagesBoundsRendezvous) {
  const json::Value document = nmt::testing::document(
      sample(quick({"--db", path("a.db"), "--seed", "1", "--max-unexpected", "8K", "--json"})));
  EXPECT_EQ(at(document, "rails.0.thresholds.1.kind"), json::Value("rendezvous"));
  EXPECT_EQ(number(document, "rails.0.thresholds.1.bytes"), 8192);
}

TEST_F(Sample, ProgressGoesToATerminalOnly) {
  const std::vector<std::string> command = sample_command(quick({"--db", path("a.db")}));
  EXPECT_THAT(run_on_terminal(command, setting()).out, HasSubstr(" left  fake:"));
  EXPECT_THAT(sample(quick({"--db", path("a.db")})).err, Not(HasSubstr("left")));
  std::vector<std::string> quiet = command;
  quiet.push_back("--quiet");
  EXPECT_THAT(run_on_terminal(quiet, setting()).out, Not(HasSubstr("left")));
}

TEST_F(Sample, ListNamesUnusableRailsWithReasons) {
  const json::Value document = nmt::testing::document(sample({"--list", "--json"}));
  const json::Value refused = at(document, "refused");
  for (const json::Value& each : *refused.get_if<json::Value::Array>()) {
    EXPECT_THAT(*at(each, "reason").get_if<std::string>(), Not(IsEmpty()));
    EXPECT_THAT(*at(each, "rail").get_if<std::string>(), Not(IsEmpty()));
  }
  EXPECT_THAT(files(), Not(Contains(".local")));
}

TEST_F(Sample, TakesARailNamedTwiceOnce) {
  const std::string rails = "fake:" + path("rails.json");
  EXPECT_EQ(sample({"--list", "--quiet", "--rails", "shm,shm"}).out,
            sample({"--list", "--quiet", "--rails", "shm"}).out);
  const Result twice = sample({"--list", "--rails", rails + "," + rails});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("the rail fake:myri is described twice"));
}

TEST_F(Sandbox, ABuildWithoutVerbsSaysSoAndSamplesEverythingElse) {
  const std::string program = NMAD_SAMPLE_WITHOUT_VERBS;
  EXPECT_THAT(run({program, "--list"}, setting()).out,
              HasSubstr("this build has no InfiniBand verbs"));
  const Result sampled = run({program, "--rails", "fake:" + write("rails.json", kTwoRails), "--db",
                              path("a.db"), "--budget", "1s", "--max-size", "4K"},
                             setting());
  EXPECT_THAT(sampled.exit_code, AnyOf(0, 4)) << sampled.err;
}

TEST_F(Sample, ARailThatCannotBeUsedExitsThreeWithItsReason) {
  const json::Value document = nmt::testing::document(sample({"--list", "--json"}));
  const json::Value rail = at(document, "refused.0.rail");
  if (rail.is_null()) GTEST_SKIP() << "every rail of this machine is usable";
  const Result result = sample({"--rails", *rail.get_if<std::string>(), "--db", path("a.db")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr(*at(document, "refused.0.reason").get_if<std::string>()));
  EXPECT_THAT(files(), Not(Contains("a.db")));
}

TEST_F(Sample, RailsNamedThatCannotAllBeUsedAreAPartialResult) {
  const json::Value rail =
      at(nmt::testing::document(sample({"--list", "--json"})), "refused.0.rail");
  if (rail.is_null()) GTEST_SKIP() << "every rail of this machine is usable";
  const Result result =
      sample({"--rails", "fake:" + path("rails.json") + "," + *rail.get_if<std::string>(),
              "--budget", "1s", "--max-size", "4K", "--db", path("a.db"), "--json"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(at(document(result), "error.code"), json::Value(4));
  EXPECT_FALSE(at(document(result), "rails.1.thresholds.0").is_null());
}

// Disturbed is no failure here: the machine may have other work.
TEST_F(Sample, OfTheMachinesOwnRailsAlsoMeasuresWhatHandingOverCosts) {
  if (node::allowed_cores().size() < 2) GTEST_SKIP() << "there is no other core to hand work to";
  const Result result = sample(
      {"--rails", "tcp:lo", "--budget", "3s", "--max-size", "4K", "--db", path("a.db"), "--json"});
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.err;
  EXPECT_TRUE(at(document(result), "rails.1").is_null());
  const json::Value shown = document(tune({"show", "--json", "--db", path("a.db")}));
  const json::Value offloads = at(shown, "platforms.0.offloads");
  ASSERT_FALSE(at(offloads, "1").is_null());
  for (const json::Value& each : *offloads.get_if<json::Value::Array>()) {
    EXPECT_GT(number(each, "cost_ns"), 0);
    EXPECT_LE(number(each, "low_ns"), number(each, "cost_ns"));
    EXPECT_GE(number(each, "high_ns"), number(each, "cost_ns"));
  }
  EXPECT_EQ(at(shown, "platforms.0.rails.0.rail"), json::Value("tcp:lo"));
  EXPECT_TRUE(at(shown, "platforms.0.rails.1").is_null());
  EXPECT_THAT(tune({"show", "--db", path("a.db")}).out,
              HasSubstr("Cost of handing a submission to another core"));
  EXPECT_THAT(tune({"check", "--db", path("a.db")}).out, HasSubstr("rails 1"));
}

TEST_F(Sample, OfDescribedRailsMeasuresNothingOfThisMachine) {
  EXPECT_EQ(sample(quick({"--db", path("a.db")})).exit_code, 0);
  const json::Value shown = document(tune({"show", "--json", "--db", path("a.db")}));
  EXPECT_TRUE(at(shown, "platforms.0.offloads.0").is_null());
}

TEST_F(Sample, RefusesBrokenDescriptionsWithThePlace) {
  const std::string deep(1000000, '[');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"seed":1,"rails":[{"name":"x","methods":{"copy":[[1,-5]]}}]})", "copy[0]"},
      {R"({"seed":1,"rails":[{"name":"x","methods":{"copy":[[1,NaN]]}}]})", "line 1"},
      {R"({"seed":1,"rails":[{"name":"x","methods":{"copy":[[1,1e400]]}}]})", "line 1"},
      {R"({"seed":1,"seed":2,"rails":[]})", "seed"},
      {R"({"seed":1,"rails":[]})", "rails"},
      {R"({"seed":-1,"rails":[{"name":"x","methods":{"copy":[[1,5]]}}]})", "seed"},
      {R"({"seed":1,"rails":[{"name":"x","methods":{"copi":[[1,5]]}}]})", "copi"},
      {R"({"seed":1,"rails":"none"})", "rails"},
      {"{\"seed\":1,\"rails\":[{\"name\":\"\xff\xfe\"}]}", "line 1"},
      {deep, "64 levels"},
      {"", "line 1"},
  };
  for (const auto& [text, place] : cases) {
    const Result result =
        sample({"--rails", "fake:" + write("bad.json", text), "--db", path("a.db")});
    EXPECT_EQ(result.exit_code, 1) << text.substr(0, 80) << result.err;
    EXPECT_THAT(result.err, HasSubstr("bad.json"));
    EXPECT_THAT(result.err, HasSubstr(place));
  }
  EXPECT_THAT(files(), Not(Contains("a.db")));
}

TEST_F(Sample, NamesFromADescriptionCannotDriveATerminal) {
  const std::string description = write(
      "evil.json",
      R"({"seed":1,"rails":[{"name":"a\u001b[2Jb\u0007","methods":{"copy":[[1,100],[64,200]],)"
      R"("iovec":[[1,100],[64,150]]}}]})");
  for (const char* form : {"--quiet", "--csv", "--json"}) {
    const Result result = sample({"--rails", "fake:" + description, "--db", path("a.db"),
                                  "--budget", "1s", "--max-size", "1K", form});
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("\033")));
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("\007")));
  }
  EXPECT_THAT(tune({"--db", path("a.db")}).out, Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace nmt::testing
