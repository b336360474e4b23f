// SPDX-License-Identifier: BSD-3-Clause
//
// What nmad-tune says through the library: decide, split and compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;

class Advice : public Sandbox {
 protected:
  Advice() : db_(make_profile("a.db")) {}

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

TEST_F(Advice, DecideFollowsTheThresholds) {
  const json::Value thresholds = ask_json({"thresholds", "--rail", "fake:myri"});
  const double rendezvous = number(thresholds, "rails.0.thresholds.1.bytes");
  const auto method_at = [&](double size_bytes) {
    const json::Value decisions =
        ask_json({"decide", "--rail", "fake:myri", "--size",
                  std::to_string(static_cast<std::uint64_t>(size_bytes))});
    return at(decisions, "decisions.0.method");
  };
  EXPECT_NE(method_at(rendezvous - 1), json::Value("rendezvous"));
  EXPECT_EQ(method_at(rendezvous), json::Value("rendezvous"));
}

TEST_F(Advice, DecideTellsByHowMuchAndWhy) {
  const json::Value document = ask_json({"decide", "--rail", "fake:myri", "--size", "1K,256K"});
  EXPECT_EQ(at(document, "decisions.0.bytes"), json::Value(1024));
  EXPECT_GT(number(document, "decisions.0.predicted_ns"), 0);
  EXPECT_LE(number(document, "decisions.0.low_ns"), number(document, "decisions.0.predicted_ns"));
  EXPECT_EQ(number(document, "decisions.1.others.0.slowdown"),
            number(document, "decisions.1.others.0.predicted_ns") /
                    number(document, "decisions.1.predicted_ns") -
                1);
  const std::string text = ask({"decide", "--rail", "fake:myri", "--size", "256K"}).out;
  EXPECT_THAT(text, HasSubstr("from the rendezvous threshold of"));
}

TEST_F(Advice, SplitChunksAddUpAndEndTogether) {
  const json::Value document =
      ask_json({"split", "--size", "4M", "--rails", "fake:myri,fake:quad"});
  const double first = number(document, "chunks.0.bytes");
  EXPECT_EQ(first + number(document, "chunks.1.bytes"), 4 << 20);
  EXPECT_EQ(number(document, "chunks.1.offset"), first);
  EXPECT_EQ(number(document, "chunks.0.end_ns"), number(document, "end_ns"));
}

TEST_F(Advice, SplitLeavesABusyRailOutAndSaysWhy) {
  const json::Value document = ask_json(
      {"split", "--size", "64K", "--rails", "fake:myri,fake:quad", "--busy", "fake:quad=1s"});
  EXPECT_EQ(number(document, "chunks.0.bytes"), 65536);
  EXPECT_EQ(at(document, "left_out.0.rail"), json::Value("fake:quad"));
  EXPECT_THAT(*at(document, "left_out.0.why").get_if<std::string>(), HasSubstr("busy until"));
}

TEST_F(Advice, ListsTakeCommasAndRepetition) {
  const auto same = [&](std::vector<std::string> commas, std::vector<std::string> repeated) {
    commas.push_back("--csv");
    repeated.push_back("--csv");
    const Result one = ask(commas), other = ask(repeated);
    EXPECT_EQ(other.exit_code, 0) << other.err;
    EXPECT_EQ(one.out, other.out);
  };
  same({"split", "--size", "4M", "--rails", "fake:myri,fake:quad", "--busy",
        "fake:myri=1us,fake:quad=2us"},
       {"split", "--size", "4M", "--rails", "fake:myri", "--rails", "fake:quad", "--busy",
        "fake:myri=1us", "--busy", "fake:quad=2us"});
  same({"decide", "--rail", "fake:myri", "--size", "1K,12K,1M"},
       {"decide", "--rail", "fake:myri", "--size", "1K,12K", "--size", "1M"});
  same({"thresholds", "--rail", "fake:myri,fake:quad"},
       {"thresholds", "--rail", "fake:myri", "--rail", "fake:quad"});
  same({"predict", "alltoall", "--signature", "alpha=50us,beta=8ns/B,gamma=4", "-n", "4,8", "-m",
        "1K,2K"},
       {"predict", "alltoall", "--signature", "alpha=50us", "--signature", "beta=8ns/B,gamma=4",
        "-n", "4", "-n", "8", "-m", "1K", "-m", "2K"});
}

TEST_F(Advice, ExplainShowsThatNoOtherWayIsFaster) {
  const json::Value document =
      ask_json({"split", "--size", "3M", "--rails", "fake:myri,fake:quad", "--explain"});
  const json::Value list = at(document, "other_ways");
  const json::Reader ways(list, "other_ways");
  ASSERT_EQ(ways.items().size(), 5u);
  for (const json::Reader& way : ways.items()) {
    EXPECT_GE(way["slowdown"].number(), -1e-3) << way["way"].text();
  }
  EXPECT_THAT(ask({"split", "--size", "3M", "--rails", "fake:myri,fake:quad", "--explain"}).out,
              HasSubstr("dichotomy (paper)"));
}

TEST_F(Advice, SplitRefusesWhatMakesNoSense) {
  const auto refusal = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "split");
    const Result result = ask(arguments);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(refusal({"--size", "1M", "--rails", "fake:myri,fake:qad"}),
              HasSubstr("did you mean 'fake:quad'?"));
  EXPECT_THAT(refusal({"--size", "1M", "--rails", "fake:myri,fake:myri"}), HasSubstr("twice"));
  EXPECT_THAT(refusal({"--size", "1M", "--rails", "fake:myri", "--busy", "fake:quad=1ms"}),
              HasSubstr("is not among"));
  EXPECT_THAT(refusal({"--size", "1M", "--rails", "fake:myri", "--busy", "fake:myri"}),
              HasSubstr("RAIL=TIME"));
  EXPECT_THAT(refusal({"--size", "1M", "--rails", "fake:myri", "--busy", "fake:myri=-1ms"}),
              HasSubstr("--busy"));
  EXPECT_THAT(refusal({"--size", "0", "--rails", "fake:myri"}), HasSubstr("--size"));
}

TEST_F(Advice, ASnapshotAnswersAsItsProfile) {
  const std::string snapshot = path("p.nmt");
  EXPECT_EQ(ask({"compile", "-o", snapshot}).exit_code, 0);
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{"decide", "--rail", "fake:myri", "--size", "12K,1M", "--csv"},
        {"split", "--size", "4M", "--rails", "fake:myri,fake:quad", "--csv"}}) {
    std::vector<std::string> of_snapshot = question;
    of_snapshot.insert(of_snapshot.end(), {"--db", snapshot});
    EXPECT_EQ(tune(of_snapshot).out, ask(question).out);
  }
}

TEST_F(Advice, CompileReplacesOnlyByForce) {
  const std::string file = write("p.nmt", "something else");
  const Result refused = ask({"compile", "-o", file});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_EQ(read("p.nmt"), "something else");
  EXPECT_EQ(ask({"compile", "-o", file, "--force"}).exit_code, 0);
  EXPECT_EQ(files().size(), 3u);  // the description of the rails, the profile and this one
}

TEST_F(Advice, ADamagedSnapshotIsRefusedWithItsName) {
  const std::string snapshot = path("p.nmt");
  ASSERT_EQ(ask({"compile", "-o", snapshot}).exit_code, 0);
  std::string bytes = read("p.nmt");
  bytes[bytes.size() / 2] ^= 1;
  const std::string damaged = write("damaged.nmt", bytes);
  const Result result = tune({"decide", "--rail", "fake:myri", "--size", "1K", "--db", damaged});
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_THAT(result.err, HasSubstr("damaged.nmt"));
  EXPECT_THAT(result.err, HasSubstr("nmad-tune compile"));
}

}  // namespace
}  // namespace nmt::testing
