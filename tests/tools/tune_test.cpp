// SPDX-License-Identifier: BSD-3-Clause
//
// What nmad-tune answers from a profile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "core/method.h"
#include "core/plan_json.h"
#include "include/nmadtune.h"
#include "node/node.h"
#include "profiledb/profiledb.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Tune : public Sandbox {
 protected:
  Tune() : db_(make_profile("a.db")) {}

  Result ask(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", db_});
    return tune(arguments);
  }
  json::Value ask_json(std::vector<std::string> arguments) const {
    arguments.push_back("--json");
    return document(ask(arguments));
  }

  std::string db_;
};

// A profile of these samples of collectives.
void store_samples(const std::string& file, const std::vector<Sample>& samples) {
  profiledb::ProfileDb db(file, {.mode = profiledb::ProfileDb::Mode::kWrite});
  Platform platform{
      .id = Id::random(), .name = "cluster", .fingerprint = node::cheap_fingerprint()};
  db.ensure_platform(platform);
  const Node node = db.ensure_node({Id::random(), "here"}, platform.id);
  Campaign campaign{.id = Id::random(), .platform = platform.id};
  campaign.started_utc = "2026-01-01T00:00:00Z";
  db.begin_campaign(campaign);
  Session session;
  session.id = Id::random();
  Path path{.id = Id::random(), .from_node = node.id, .to_node = node.id};
  path.from.driver = path.to.driver = "mpi";
  path.from.name = path.to.name = "world";
  db.begin_session(session, campaign.id);
  db.store_samples(session.id, db.ensure_path(path).id, samples);
  db.finish_campaign(campaign);
}

// A chain has segments of 8 KiB.
Sample collective_sample(const std::string& operation, const std::string& algorithm,
                         std::int64_t nodes, std::int64_t ranks_per_node, std::uint64_t size_bytes,
                         double ns) {
  Sample sample{.size_bytes = size_bytes};
  sample.condition.benchmark = benchmark::kCollective;
  sample.condition.mpi = "Some MPI v1";
  sample.condition.operation = operation;
  sample.condition.algorithm = algorithm;
  sample.condition.segment_bytes = algorithm == "library" || size_bytes <= 8192 ? 0 : 8192;
  sample.condition.leaders = 1;
  sample.condition.nodes = nodes;
  sample.condition.ranks_per_node = ranks_per_node;
  for (std::uint32_t round = 0; round < 6; ++round) {
    sample.repetitions.push_back(
        {.total_ns = static_cast<std::uint64_t>(ns) + round, .round = round});
  }
  return sample;
}

// A profile of Bcasts on these shapes: of the MPI's own, a tree of all ranks, and of a chain of
// leaders.
void store_collectives(const std::string& file,
                       const std::vector<std::pair<std::int64_t, std::int64_t>>& shapes) {
  std::vector<Sample> samples;
  for (const auto& [nodes, ranks_per_node] : shapes) {
    for (const std::uint64_t size_bytes : {4096, 65536, 1048576}) {
      for (const std::string algorithm : {"library", "chain"}) {
        const auto n = static_cast<double>(nodes), p = static_cast<double>(ranks_per_node);
        const auto bytes = static_cast<double>(size_bytes);
        const double segment = std::min(bytes, 8192.0);
        const double ns = algorithm == "library"
                              ? std::log2(n) * (20e3 + 8 * bytes) + std::log2(p) * (bytes + 3e3)
                              : (n - 2 + bytes / segment) * (20e3 + 8 * segment) + p * 3e3;
        samples.push_back(
            collective_sample("bcast", algorithm, nodes, ranks_per_node, size_bytes, ns));
      }
    }
  }
  store_samples(file, samples);
}

TEST_F(Tune, PredictsCollectivesOnShapesThatWereNotSampled) {
  const std::string file = path("collectives.db");
  store_collectives(file, {{2, 2}, {2, 4}, {4, 2}, {4, 4}, {8, 2}});
  const auto on = [&](const char* nodes, const char* per_node) {
    return tune({"--db", file, "collectives", "--nodes", nodes, "--per-node", per_node, "--json"});
  };
  ASSERT_EQ(tune({"--db", file, "retune"}).exit_code, 0);
  const json::Value predicted = document(on("8", "4"));
  EXPECT_EQ(at(predicted, "choices.2.origin"), json::Value("predicted"));
  EXPECT_EQ(at(predicted, "choices.2.algorithm"), json::Value("chain"));
  const double ours_ns = number(predicted, "choices.2.ours_ns");
  EXPECT_NEAR(ours_ns, 134 * (20e3 + 8 * 8192) + 12e3, 0.05 * ours_ns);
  EXPECT_LT(number(predicted, "choices.2.ours_low_ns"), ours_ns);
  EXPECT_GT(number(predicted, "choices.2.ours_high_ns"), ours_ns);
  EXPECT_GT(number(predicted, "choices.2.gain"), number(predicted, "choices.2.gain_needed"));
  const json::Value sampled = document(on("4", "4"));
  EXPECT_EQ(at(sampled, "choices.0.origin"), json::Value("sampled"));
  EXPECT_TRUE(at(sampled, "choices.0.gain_needed").is_null());
  for (const json::Value* shown : {&predicted, &sampled}) {
    for (const std::string times : {"choices.2.ours", "choices.2.library"}) {
      EXPECT_LT(number(*shown, times + "_low_ns"), number(*shown, times + "_ns"));
      EXPECT_GT(number(*shown, times + "_high_ns"), number(*shown, times + "_ns"));
    }
  }
  const Result csv =
      tune({"--db", file, "collectives", "--nodes", "8", "--per-node", "4", "--csv"});
  EXPECT_THAT(csv.out, HasSubstr(",library_ns,library_low_ns,library_high_ns,gain,"));

  const Result one_node = on("1", "4");
  EXPECT_EQ(one_node.exit_code, 1);
  EXPECT_THAT(one_node.out, HasSubstr("nothing can be predicted from 2 x 2, 2 x 4, 4 x 2"));
  EXPECT_EQ(tune({"--db", file, "collectives", "--nodes", "8"}).exit_code, 2);
  EXPECT_EQ(on("0", "4").exit_code, 2);
  for (const Result& too_large : {on("1025", "4"), on("16", "129")}) {
    EXPECT_EQ(too_large.exit_code, 1);
    EXPECT_THAT(too_large.out, HasSubstr("nothing is predicted for more than 1024 nodes"));
  }
}

// Rules hold for ranges of shapes. Of 64 KiB on 21 or 22 nodes a chain gains enough, but not on all
// of 21 to 24, for which there is one answer.
TEST_F(Tune, ChoosesOnAShapeWhatTheLibraryTellsAProgram) {
  const std::string file = path("collectives.db");
  store_collectives(file, {{2, 2}, {2, 4}, {4, 2}, {4, 4}, {8, 2}});
  ASSERT_EQ(tune({"--db", file, "retune"}).exit_code, 0);
  nmt_open_options options{};
  options.struct_bytes = sizeof options;
  options.file = file.c_str();
  nmt_profile* opened = nullptr;
  ASSERT_EQ(nmt_open(&options, &opened), NMT_OK);
  const std::unique_ptr<nmt_profile, void (*)(nmt_profile*)> profile(opened, nmt_close);
  int replaced = 0, left_alone = 0;
  for (std::uint32_t nodes = 17; nodes <= 28; ++nodes) {
    const json::Value shown = document(tune({"--db", file, "collectives", "--nodes",
                                             std::to_string(nodes), "--per-node", "3", "--json"}));
    const json::Value list = at(shown, "choices");
    const json::Reader choices(list, "choices");
    ASSERT_EQ(choices.items().size(), 3u);
    for (const json::Reader& choice : choices.items()) {
      nmt_collective_call call{};
      call.struct_bytes = sizeof call;
      call.nodes = nodes;
      call.ranks_per_node = 3;
      call.mpi = "Some MPI v1";
      call.operation = "bcast";
      call.size_bytes = choice["size_bytes"].unsigned_integer();
      nmt_collective_rule rule{};
      rule.struct_bytes = sizeof rule;
      const bool has_rule = nmt_collective_rule_for(profile.get(), &call, &rule) == NMT_OK;
      EXPECT_EQ(choice["algorithm"].text(), has_rule ? rule.algorithm : "library")
          << nodes << " nodes, " << call.size_bytes << " B";
      ++(has_rule ? replaced : left_alone);
    }
  }
  EXPECT_GT(replaced, 0);
  EXPECT_GT(left_alone, 0);
}

TEST_F(Tune, WithoutAVerbPrintsThresholds) {
  EXPECT_EQ(ask({}).out, ask({"thresholds"}).out);
  EXPECT_EQ(ask({"--rail", "fake:myri"}).out, ask({"thresholds", "--rail", "fake:myri"}).out);
  EXPECT_EQ(tune({"--db", db_, "thresholds"}).out, ask({"thresholds"}).out);
}

TEST_F(Tune, ThresholdsInJsonAreWhatDecisionsFollow) {
  const json::Value document = ask_json({"thresholds"});
  EXPECT_FALSE(at(document, "platform.id").is_null());
  EXPECT_FALSE(at(document, "platform.name").is_null());
  const json::Value list = at(document, "rails");
  const json::Reader rails(list, "rails");
  ASSERT_EQ(rails.items().size(), 2u);
  for (const json::Reader& rail : rails.items()) {
    EXPECT_THAT(rail["rail"].text(), HasSubstr("fake:"));
    std::vector<std::string> kinds;
    for (const json::Reader& each : rail["thresholds"].items()) {
      const Threshold threshold = threshold_from_json(each);  // refuses what is not covered
      kinds.emplace_back(to_string(threshold.kind));
      EXPECT_GE(threshold.regret, 0);
      if (threshold.answer == Answer::kThreshold) {
        EXPECT_EQ(threshold.ranges.size(), 2u);
        EXPECT_EQ(threshold.ranges[1].from_bytes, threshold.bytes);
        EXPECT_LE(threshold.low_bytes, *threshold.bytes);
        EXPECT_GE(threshold.high_bytes, *threshold.bytes);
      }
    }
    EXPECT_EQ(kinds, (std::vector<std::string>{"iovec", "rendezvous", "aggregation"}));
  }
}

TEST_F(Tune, ARailWithinANodeHasNoPeer) {
  const json::Value predicted =
      ask_json({"predict", "transfer", "--rail", "fake:myri", "--size", "1K"});
  EXPECT_FALSE(at(predicted, "predictions.0.node").is_null());
  EXPECT_FALSE(at(predicted, "predictions.0.path").is_null());
  EXPECT_TRUE(at(predicted, "predictions.0.peer").is_null());
  const json::Value shown = ask_json({"show"});
  EXPECT_EQ(at(shown, "platforms.0.rails.0.node"), at(predicted, "predictions.0.node"));
  EXPECT_TRUE(at(shown, "platforms.0.rails.0.peer").is_null());
}

TEST_F(Tune, ColdThresholdsAreAnotherAnswer) {
  EXPECT_THAT(ask({"thresholds", "--regime", "cold"}).out, HasSubstr("(cold buffers"));
  EXPECT_EQ(at(ask_json({"--regime", "cold"}), "rails.0.regime"), json::Value("cold"));
}

TEST_F(Tune, CsvHasOneRowPerRangeAndUnitsInItsHeader) {
  const Result result = ask({"thresholds", "--rail", "fake:myri", "--csv"});
  EXPECT_THAT(
      result.out,
      HasSubstr("rail,regime,placement,kind,answer,bytes,low_bytes,high_bytes,"
                "regret,from_bytes,to_bytes,choice,node,peer,peer_rail,path,pairs,ranks_per_nic\n"
                "fake:myri,hot,"));
  EXPECT_THAT(result.out, Not(HasSubstr("SUMMARY")));
}

TEST_F(Tune, AnUnknownRailIsToldTheNearest) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"thresholds", "--rail", "fake:mirri"},
        {"compare", "fake:quad", "fake:mirri"},
        {"curve", "--rail", "fake:mirri", "--method", "copy"},
        {"predict", "transfer", "--rail", "fake:mirri", "--size", "1K"}}) {
    const Result result = ask(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("did you mean 'fake:myri'?"));
  }
}

TEST_F(Tune, ShowTellsWhatTheProfileHoldsAndWhereItIs) {
  const Result result = ask({"show", "--origin"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr(db_ + " (--db)"), HasSubstr("fake:myri"),
                                HasSubstr("100.0 %"), HasSubstr("complete")));
  const json::Value document = ask_json({"show"});
  EXPECT_EQ(at(document, "origin.reason"), json::Value("--db"));
  EXPECT_EQ(at(document, "platforms.0.campaigns.0.in_force"), json::Value(true));
  EXPECT_EQ(at(document, "platforms.0.plan.current"), json::Value(true));
  EXPECT_EQ(at(document, "platforms.0.campaigns.0.rails"),
            json::Value(json::Value::Array{"fake:myri", "fake:quad"}));
}

TEST_F(Tune, ShowTellsWhereItLooksWhereNothingIs) {
  const Result result = tune({"show", "--origin"});
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_THAT(result.out, HasSubstr(path(".local/share/nmadtune/profile.db")));
}

TEST_F(Tune, CheckKnowsThisMachine) {
  const Result result = ask({"check"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(at(ask_json({"check"}), "matches"), json::Value(true));
}

TEST_F(Tune, CheckNamesEveryFieldThatDiffersAndExitsSeven) {
  measure_elsewhere(db_, path("b.db"), {{"kernel", "5.0"}, {"cores", "512"}});
  const Result result = tune({"check", "--db", path("b.db"), "--json"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(result.err, HasSubstr("platform"));
  const json::Value document = nmt::testing::document(result);
  EXPECT_EQ(at(document, "matches"), json::Value(false));
  EXPECT_EQ(at(document, "error.code"), json::Value(7));
  EXPECT_EQ(at(document, "findings.0.what"), json::Value("platform"));
  EXPECT_EQ(at(document, "findings.0.differences.0.field"), json::Value("cores"));
  EXPECT_EQ(at(document, "findings.0.differences.0.before"), json::Value("512"));
  EXPECT_EQ(at(document, "findings.0.differences.1.field"), json::Value("kernel"));
  EXPECT_TRUE(at(document, "findings.0.differences.2").is_null());
}

TEST_F(Tune, CheckSaysThatAPatchReleaseIsToBeConfirmedAndThatAnMpiIsNothing) {
  measure_elsewhere(db_, path("b.db"), {{"kernel", patched_kernel()}, {"mvapich", "3.0"}});
  const Result result = tune({"check", "--db", path("b.db"), "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json::Value document = nmt::testing::document(result);
  EXPECT_EQ(at(document, "matches"), json::Value(false));
  EXPECT_EQ(at(document, "effect"), json::Value("unconfirmed"));
  EXPECT_EQ(at(document, "findings.0.differences.0.effect"), json::Value("unconfirmed"));
  EXPECT_EQ(at(document, "findings.0.differences.1.field"), json::Value("mvapich"));
  EXPECT_EQ(at(document, "findings.0.differences.1.effect"), json::Value("none"));
  EXPECT_THAT(tune({"check", "--db", path("b.db")}).out, HasSubstr("To be confirmed: platform"));
  ASSERT_EQ(tune({"retune", "--db", path("b.db")}).exit_code, 0);
  const Result decided =
      tune({"decide", "--rail", "fake:myri", "--size", "64K", "--db", path("b.db")});
  EXPECT_THAT(decided.err, HasSubstr("before an update, and is to be confirmed"));
}

TEST_F(Tune, CheckGuidelinesNamesTheCollectivesThatAreSlowerThanTheyNeedBe) {
  const std::string file = path("collectives.db");
  store_collectives(file, {{2, 2}, {4, 2}});
  const Result kept = tune({"--db", file, "check", "--guidelines"});
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_THAT(kept.out, HasSubstr("No guideline is broken"));
  EXPECT_THAT(kept.out, HasSubstr("cells=6 broken=0"));

  const std::string broken = path("broken.db");
  store_samples(broken, {collective_sample("reduce", "library", 2, 2, 4096, 30e3),
                         collective_sample("bcast", "library", 2, 2, 4096, 20e3),
                         collective_sample("allreduce", "library", 2, 2, 4096, 90e3)});
  const Result text = tune({"--db", broken, "check", "--guidelines"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("reduce + bcast"));
  EXPECT_THAT(text.out, HasSubstr("broken=1"));
  const json::Value found = document(tune({"--db", broken, "check", "--guidelines", "--json"}));
  EXPECT_EQ(at(found, "broken_guidelines.0.guideline"), json::Value("emulation"));
  EXPECT_EQ(at(found, "broken_guidelines.0.operation"), json::Value("allreduce"));
  EXPECT_EQ(at(found, "broken_guidelines.0.faster"), json::Value("reduce + bcast"));
  EXPECT_NEAR(number(found, "broken_guidelines.0.ratio"), 1.8, 0.01);
  EXPECT_TRUE(at(found, "broken_guidelines.1").is_null());
  EXPECT_THAT(tune({"--db", broken, "check", "--guidelines", "--csv"}).out,
              HasSubstr("\nSome MPI v1,emulation,allreduce,2,2,4096,"));
}

TEST_F(Tune, CheckGuidelinesOfAProfileWithoutCollectivesSaysHowToMeasureThem) {
  const Result result = ask({"check", "--guidelines"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("nmad-sample --parts collectives"));
}

TEST_F(Tune, CheckNamesTheRailThatChangedOrWent) {
  {
    profiledb::ProfileDb db(db_, {.mode = profiledb::ProfileDb::Mode::kWrite});
    const Node node = db.ensure_node({Id::random(), node::host_name()}, db.platforms().front().id);
    const Rail gone{"tcp", "gone0", {{"mtu_bytes", "1500"}}};
    db.ensure_path({Id::random(), node.id, node.id, gone, gone});
  }
  const Result result = ask({"check"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(result.out, HasSubstr("tcp:gone0  present"));
}

TEST_F(Tune, OfSeveralPlatformsTakesThisMachinesAndSaysSo) {
  measure_elsewhere(db_, path("b.db"), {{"cores", "512"}}, "2099-01-01T00:00:00Z");
  EXPECT_EQ(ask({"db", "merge", path("b.db")}).exit_code, 0);
  const Result result = ask({"thresholds", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("this machine's"));
  const json::Value name = at(document(result), "platform.name");
  EXPECT_NE(name, json::Value("another machine"));

  const json::Value shown = ask_json({"show"});
  for (const std::string index : {"0", "1"}) {
    const json::Value id = at(shown, "platforms." + index + ".id");
    const std::string prefix = id.get_if<std::string>()->substr(0, 6);
    const Result chosen = ask({"thresholds", "--json", "--platform", prefix});
    EXPECT_EQ(at(document(chosen), "platform.id"), id);
    EXPECT_EQ(chosen.err, "");
  }
  EXPECT_EQ(ask({"--platform", "zz"}).exit_code, 2);
}

TEST_F(Tune, OfForeignPlatformsTakesTheNewest) {
  measure_elsewhere(db_, path("b.db"), {{"cores", "512"}}, "2020-01-01T00:00:00Z");
  measure_elsewhere(db_, path("b.db"), {{"cores", "256"}}, "2021-01-01T00:00:00Z");
  const Result result = tune({"show", "--db", path("b.db")});
  EXPECT_THAT(result.err, AllOf(HasSubstr("2 platforms"), HasSubstr("measured last")));
  const Result check = tune({"check", "--db", path("b.db")});
  EXPECT_EQ(check.exit_code, 7);
  EXPECT_THAT(check.out, HasSubstr("256"));
}

TEST_F(Tune, CompareAppliesEachRailsThresholdsToEveryOther) {
  const json::Value document = ask_json({"compare"});
  const json::Value regrets = at(document, "regrets");
  EXPECT_EQ(regrets.get_if<json::Value::Array>()->size(), 3u * 2 * 2);
  double worst = 0;
  for (const json::Value& each : *regrets.get_if<json::Value::Array>()) {
    const double regret = json::Reader(each, "regret")["worst"].number(0);
    if (at(each, "from") != at(each, "on")) worst = std::max(worst, regret);
  }
  EXPECT_GT(worst, 0.1);  // the two descriptions are that far apart
  const Result text = ask({"compare", "fake:myri", "fake:quad"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("on fake:quad"), HasSubstr("rendezvous: mean slowdown")));
  EXPECT_EQ(ask({"compare", "fake:myri"}).exit_code, 2);
}

TEST_F(Tune, ACurveHasThePointsThatPredictionsInterpolate) {
  const json::Value curve = ask_json({"curve", "--rail", "fake:myri", "--method", "copy"});
  const json::Value list = at(curve, "curve.points");
  const json::Reader points(list, "points");
  ASSERT_GT(points.items().size(), 4u);
  const json::Reader point = points[3];
  const std::string size = std::to_string(point["size_bytes"].unsigned_integer());
  const json::Value predicted =
      ask_json({"predict", "transfer", "--rail", "fake:myri", "--method", "copy", "--size", size});
  EXPECT_EQ(at(predicted, "predictions.0.predicted_ns"), at(list, "3.duration_ns"));
  EXPECT_EQ(at(predicted, "predictions.0.verdict"), json::Value("inside"));
  EXPECT_EQ(ask({"curve", "--rail", "fake:myri", "--method", "memcpy"}).exit_code, 0);
  EXPECT_EQ(ask({"curve", "--rail", "fake:myri", "--method", "copy", "--benchmark", "two_packets"})
                .exit_code,
            0);
}

TEST_F(Tune, APredictionIsNearTheDescriptionAndSaysWhereItExtrapolates) {
  const json::Value document = ask_json(
      {"predict", "transfer", "--rail", "fake:myri", "--size", "16K,64M", "--method", "iovec"});
  const json::Value predictions = at(document, "predictions");
  const double ns = json::Reader(predictions, "p")[0]["predicted_ns"].number(0);
  EXPECT_NEAR(ns, 18000, 0.1 * 18000);  // the launch's own factor included
  EXPECT_EQ(at(predictions, "1.verdict"), json::Value("extrapolated"));
  for (const char* size : {"lots", "", "-1", ","}) {
    EXPECT_EQ(ask({"predict", "transfer", "--rail", "fake:myri", "--size", size}).exit_code, 2);
  }
}

TEST_F(Tune, APredictionWithoutAMethodFollowsTheThresholds) {
  const json::Value document =
      ask_json({"predict", "transfer", "--rail", "fake:myri", "--size", "1,4K,64K"});
  EXPECT_EQ(at(document, "predictions.0.method"), json::Value("copy"));
  EXPECT_EQ(at(document, "predictions.1.method"), json::Value("iovec"));
  EXPECT_EQ(at(document, "predictions.2.method"), json::Value("rendezvous"));
}

TEST_F(Tune, RetuneOfTheSameSamplesIsTheSamePlan) {
  const json::Value before = at(ask_json({}), "rails");
  EXPECT_EQ(ask({"retune"}).exit_code, 0);
  EXPECT_EQ(at(ask_json({}), "rails"), before);
}

TEST_F(Tune, RetunePoolsTheCampaignsItIsTold) {
  make_profile("a.db", "2");
  make_profile("a.db", "3");
  const auto sources = [&] { return at(ask_json({"retune"}), "platforms.0.campaigns"); };
  EXPECT_EQ(sources().get_if<json::Value::Array>()->size(), 1u);
  EXPECT_EQ(ask({"retune", "--campaigns", "all"}).exit_code, 0);
  EXPECT_EQ(sources().get_if<json::Value::Array>()->size(), 3u);

  // A new campaign does not replace what was pinned, and says so.
  const Result more = sample({"--rails", "fake:" + path("rails.json"), "--db", db_, "--budget",
                              "2s", "--max-size", "64K"});
  EXPECT_THAT(more.err, HasSubstr("pinned"));
  EXPECT_EQ(ask({"retune", "--campaigns", "newest"}).exit_code, 0);
  EXPECT_EQ(sources().get_if<json::Value::Array>()->size(), 1u);

  const json::Value oldest = at(ask_json({"show"}), "platforms.0.campaigns.3.id");
  const std::string prefix = oldest.get_if<std::string>()->substr(0, 10);
  EXPECT_EQ(ask({"retune", "--campaigns", prefix}).exit_code, 0);
  EXPECT_EQ(sources(), json::Value(json::Value::Array{oldest}));
  EXPECT_EQ(ask({"retune", "--campaigns", "nosuch"}).exit_code, 2);
}

TEST_F(Tune, AnswersFromSamplesWhereNoPlanIsStoredYet) {
  measure_elsewhere(db_, path("b.db"), {});
  const Result result = tune({"--db", path("b.db")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("fake:myri"));
  EXPECT_THAT(result.err, HasSubstr("nmad-tune retune"));
}

}  // namespace
}  // namespace nmt::testing
