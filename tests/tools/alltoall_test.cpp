// SPDX-License-Identifier: BSD-3-Clause
//
// Alltoalls in nmad-tune: predictions, other people's measurements, and the signature of them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/collective_sample.h"
#include "profiledb/profiledb.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kGigabit[] = "alpha=50us,beta=8.502ns/B,gamma=4.3628,delta=4.93ms,M=8K";

class Alltoall : public Sandbox {
 protected:
  static std::string output(const std::string& name) { return NMT_OUTPUTS "/" + name; }

  std::string imported() const {
    const Result result =
        tune({"import-alltoall", output("imb-alltoall-4.txt"), output("imb-alltoall-6.txt"),
              output("imb-alltoall-8.txt"), "--p2p", output("imb-pingpong.txt"), "--cores", "2",
              "--network", "lab", "--db", path("lab.db")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return path("lab.db");
  }

  // As if alltoalls of 4 and 64 KiB had been sampled to choose, on nodes of one rank: by nodes they
  // take `ours` times as long as by the MPI's own, which takes 2 ms for each message of a rank.
  static void sample_choice(const std::string& file, double ours_of_4k, double ours_of_64k,
                            const std::vector<std::int64_t>& shapes) {
    profiledb::ProfileDb db(file, {.mode = profiledb::ProfileDb::Mode::kWrite});
    const Platform platform = db.platforms().front();
    Campaign campaign{.id = Id::random(), .platform = platform.id};
    campaign.started_utc = "2026-01-01T00:00:00Z";
    SampleSet set = db.sample_sets_in_force(platform.id).front();
    set.session.id = Id::random();
    db.begin_campaign(campaign);
    db.begin_session(set.session, campaign.id);
    std::vector<Sample> samples;
    for (const std::int64_t nodes : shapes) {
      samples.push_back(exchange(nodes, 4096, "library", 1));
      samples.push_back(exchange(nodes, 4096, "nodes", ours_of_4k));
      samples.push_back(exchange(nodes, 65536, "library", 1));
      samples.push_back(exchange(nodes, 65536, "nodes", ours_of_64k));
    }
    db.store_samples(set.session.id, db.ensure_path(set.path).id, samples);
    db.finish_campaign(campaign);
  }

 private:
  static Sample exchange(std::int64_t nodes, std::uint64_t size_bytes, const std::string& algorithm,
                         double times) {
    Sample sample{.size_bytes = size_bytes};
    sample.condition.benchmark = benchmark::kExchange;
    sample.condition.mpi = "Some MPI v1";
    sample.condition.operation = "alltoall";
    sample.condition.algorithm = algorithm;
    sample.condition.leaders = 1;
    sample.condition.nodes = nodes;
    sample.condition.ranks_per_node = 1;
    const double total_ns = times * 2e6 * static_cast<double>(nodes - 1);
    for (std::uint32_t round = 0; round < 6; ++round) {
      sample.repetitions.push_back(
          {.total_ns = static_cast<std::uint64_t>(total_ns) + round, .round = round});
    }
    return sample;
  }
};

TEST_F(Alltoall, OfAKnownSignatureIsThePapersPrediction) {
  const json::Value document = nmt::testing::document(
      tune({"predict", "alltoall", "--signature", kGigabit, "-n", "40", "-m", "1M", "--json"}));
  EXPECT_EQ(at(document, "predictions.0.n"), json::Value(40));
  EXPECT_EQ(at(document, "predictions.0.m_bytes"), json::Value(1048576));
  EXPECT_NEAR(number(document, "predictions.0.predicted_ns"), 1.717656e9, 0.5e3);
  EXPECT_NEAR(number(document, "predictions.0.lower_bound_ns"), 0.349635e9, 0.5e3);
  EXPECT_EQ(at(document, "predictions.0.verdict"), json::Value("extrapolated"));
  EXPECT_TRUE(at(document, "predictions.0.low_ns").is_null());
  const json::Value once = nmt::testing::document(
      tune({"predict", "alltoall", "--signature", std::string(kGigabit) + ",form=once,error=10%",
            "-n", "40", "-m", "1M", "--json"}));
  EXPECT_NEAR(number(once, "predictions.0.predicted_ns"), 1.530316e9, 0.5e3);
  EXPECT_NEAR(number(once, "predictions.0.high_ns"), 1.1 * 1.530316e9, 1e3);
}

TEST_F(Alltoall, TakesListsAndRanges) {
  const Result result = tune({"predict", "alltoall", "--signature", kGigabit, "-n",
                              "4,8..40,10..20:5", "-m", "1K..4K", "--csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("n,m_bytes,predicted_ns,low_ns,high_ns,lower_bound_ns,verdict,choice,gain\n"
                        "4,1024,"));
  for (const char* row : {"\n8,2048,", "\n16,4096,", "\n32,", "\n40,", "\n10,", "\n15,", "\n20,"}) {
    EXPECT_THAT(result.out, HasSubstr(row));
  }
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1 + 8 * 3);
}

TEST_F(Alltoall, SaysAloudThatItGoesFarBeyondTheFit) {
  const std::string fitted = std::string(kGigabit) + ",n=40";
  const Result near =
      tune({"predict", "alltoall", "--signature", fitted, "-n", "40,320", "-m", "1M"});
  EXPECT_THAT(near.err, Not(HasSubstr("8 times")));
  EXPECT_THAT(near.out, AllOf(HasSubstr("inside"), HasSubstr("outside 40 .. 40")));
  const Result far = tune({"predict", "alltoall", "--signature", fitted, "-n", "321", "-m", "1M"});
  EXPECT_EQ(far.exit_code, 0);
  EXPECT_THAT(far.err, HasSubstr("n = 321 is more than 8 times the 40 ranks"));
}

TEST_F(Alltoall, OfUnequalSizesFollowsClaimThree) {
  const std::string sizes = write("sizes.txt", "# three ranks\n0 100 8K\n100,0,100\n100 100 0\n");
  const json::Value document = nmt::testing::document(
      tune({"predict", "alltoallv", "--signature", kGigabit, "--sizes", sizes, "--json"}));
  const double bound_ns = 2 * 50e3 + 8292 * 8.502;
  EXPECT_NEAR(number(document, "predictions.0.lower_bound_ns"), bound_ns, 1e-2);
  EXPECT_NEAR(number(document, "predictions.0.predicted_ns"), bound_ns * 4.3628 + 4.93e6, 1e-1);
  const Result bad = tune({"predict", "alltoallv", "--signature", kGigabit, "--sizes",
                           write("bad.txt", "0 100\n100 x\n")});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("line 2: 'x' is not a size"));
}

TEST_F(Alltoall, KnowsTheSwitchesOfATopology) {
  const std::string file = write("topology.conf",
                                 "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\n"
                                 "SwitchName=top Switches=a,b\n");
  const auto bound_ns = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"predict", "alltoall",   "--signature", kGigabit,
                                          "-n",      "8",          "-m",          "1M",
                                          "--json",  "--topology", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return number(nmt::testing::document(tune(arguments)), "predictions.0.lower_bound_ns");
  };
  const double startup_ns = 50e3;
  const double transfer_ns = 1048576 * 8.502;
  EXPECT_NEAR(bound_ns({"--uplink", "1"}), 7 * startup_ns + 16 * transfer_ns, 1e3);
  EXPECT_NEAR(bound_ns({"--uplink", "4"}), 7 * (startup_ns + transfer_ns), 1e3);
  const std::vector<std::string> question = {"predict", "alltoall", "--signature", kGigabit,
                                             "-m",      "1M",       "--topology",  file};
  const auto asked = [&](std::vector<std::string> more) {
    more.insert(more.begin(), question.begin(), question.end());
    return tune(more);
  };
  const Result unknown = asked({"-n", "8"});
  EXPECT_THAT(unknown.out, AllOf(HasSubstr("refused=1"), HasSubstr("--uplink")));
  EXPECT_THAT(asked({"-n", "4"}).out, HasSubstr("refused=0"));
  EXPECT_THAT(asked({"-n", "4", "--hosts", "n[2-5]"}).out, HasSubstr("refused=1"));
  EXPECT_THAT(asked({"-n", "9", "--uplink", "1"}).err, HasSubstr("needs 9 nodes"));
  EXPECT_THAT(asked({"-n", "2", "--hosts", "n1,m"}).err,
              HasSubstr("node m is not in the topology"));
  EXPECT_THAT(asked({"-n", "2", "--uplink", "0"}).err, HasSubstr("--uplink: '0'"));
}

// What eight nodes measure on two switches, whose cables up carry as much as one NIC, or on one:
// messages alone and together, and alltoalls that take 1.1 times their bound.
std::string eight_nodes(bool on_two_switches) {
  constexpr double kAloneNs = 1e6;
  std::string text = "# hosts: a[0-3],b[0-3]\nround,from,to,time_ns\n";
  int round = 0;
  const auto name = [](int node) { return fmt::format("{}{}", node < 4 ? 'a' : 'b', node % 4); };
  for (int node = 0; node < 8; ++node) {
    text += fmt::format("{},{},{},{}\n", round++, name(node), name((node + 1) % 8), kAloneNs);
  }
  for (const std::vector<int>& order :
       {std::vector{0, 4, 1, 6, 2, 5, 3, 7}, std::vector{5, 0, 1, 7, 4, 2, 6, 3}}) {
    for (std::size_t shift = 1; shift < 8; ++shift, ++round) {
      const auto to = [&](std::size_t i) { return order[(i + shift) % 8]; };
      double crossing = 0;
      for (std::size_t i = 0; i < 8; ++i) crossing += order[i] < 4 && to(i) >= 4 ? 1 : 0;
      for (std::size_t i = 0; i < 8; ++i) {
        const bool crosses = on_two_switches && (order[i] < 4) != (to(i) < 4);
        text += fmt::format("{},{},{},{}\n", round, name(order[i]), name(to(i)),
                            kAloneNs * (crosses ? std::max(1.0, crossing) : 1));
      }
    }
  }
  std::string alltoalls = "n,m_bytes,time_ns\n", messages = "m_bytes,time_ns\n";
  for (int size_bytes = 1024; size_bytes <= 1 << 20; size_bytes *= 4) {
    const double transfer_ns = 8.5 * size_bytes;
    messages += fmt::format("{},{}\n", size_bytes, 50e3 + transfer_ns);
    for (const auto& [n, crossing] : {std::pair{4, 0}, std::pair{6, 8}, std::pair{8, 16}}) {
      const int transfers = std::max(n - 1, on_two_switches ? crossing : 0);
      alltoalls += fmt::format("{},{},{}\n", n, size_bytes,
                               1.1 * ((n - 1) * 50e3 + transfers * transfer_ns));
    }
  }
  return text + alltoalls + messages;
}

TEST_F(Alltoall, KnowsTheSwitchesThatWereFoundByMeasuring) {
  const std::string db = path("switches.db");
  const std::string measured = write("two.csv", eight_nodes(true));
  const Result import = tune({"import-alltoall", measured, "--network", "two", "--db", db});
  ASSERT_EQ(import.exit_code, 0) << import.err;
  const json::Value fit =
      nmt::testing::document(tune({"contention", "--db", db, "--topology", "measured", "--json"}));
  EXPECT_EQ(at(fit, "signature.switches_measured"), json::Value(true));
  EXPECT_EQ(at(fit, "signature.switches.0.nodes"), json::Value(4));
  EXPECT_EQ(at(fit, "signature.switches.1.nodes"), json::Value(4));
  EXPECT_NEAR(number(fit, "signature.switches.0.uplink_nics"), 1, 0.05);
  EXPECT_LT(number(fit, "signature.uplink_interval_nics.0"), 1);
  EXPECT_GT(number(fit, "signature.uplink_interval_nics.1"), 1);
  EXPECT_NEAR(number(fit, "signature.gamma"), 1.1, 0.05);
  // More nodes than were measured: four groups of four, of which each passes 4 (16 - 4) messages.
  const json::Value predicted =
      nmt::testing::document(tune({"predict", "alltoall", "--db", db, "-n", "16", "-m", "1M",
                                   "--topology", "measured", "--json"}));
  const double bound_ns = 15 * 50e3 + 48 * 8.5 * (1 << 20);
  EXPECT_NEAR(number(predicted, "predictions.0.lower_bound_ns") / bound_ns, 1, 0.05);
  EXPECT_NEAR(number(predicted, "predictions.0.predicted_ns") / (1.1 * bound_ns), 1, 0.1);
  // A file says who shares a switch, the measurement what the cables carry.
  const std::string file =
      write("two.conf", "SwitchName=a Nodes=a[0-3]\nSwitchName=b Nodes=b[0-3]\n");
  const json::Value both =
      nmt::testing::document(tune({"contention", "--db", db, "--topology", file, "--json"}));
  EXPECT_EQ(at(both, "signature.uplink_fitted"), json::Value(false));
  EXPECT_NEAR(number(both, "signature.switches.0.uplink_nics"), 1, 0.05);
  const Result half = tune(
      {"contention", "--db", db, "--topology", write("half.conf", "SwitchName=a Nodes=a[0-3]\n")});
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_THAT(half.err, HasSubstr("node b0 is not in the topology, which begins with a0"));
  ASSERT_EQ(tune({"db", "export", path("x.json"), "--anonymous", "--db", db}).exit_code, 0);
  std::ifstream exported(path("x.json"));
  const std::string text{std::istreambuf_iterator<char>(exported), {}};
  EXPECT_THAT(text, AllOf(HasSubstr("campaign"), Not(HasSubstr("a0,a1"))));
  const Result none = tune({"contention", "--db", imported(), "--topology", "measured"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("the profile has no groups of nodes"));
}

TEST_F(Alltoall, OfNodesBelowOneSwitchSaysNothingOfMoreNodes) {
  const std::string db = path("one.db");
  const std::string file = write("one.csv", eight_nodes(false));
  const Result import = tune({"import-alltoall", file, "--network", "one", "--db", db});
  ASSERT_EQ(import.exit_code, 0) << import.err;
  const auto asked = [&](const std::vector<std::string>& more) {
    std::vector<std::string> question = {"predict", "alltoall", "--db", db, "-m", "1M"};
    question.insert(question.end(), more.begin(), more.end());
    return tune(question);
  };
  const Result within = asked({"-n", "8", "--topology", "measured"});
  EXPECT_THAT(within.out, HasSubstr("refused=0"));
  EXPECT_THAT(within.err, HasSubstr("no groups of nodes were found"));
  const Result beyond = asked({"-n", "16", "--topology", "measured"});
  EXPECT_EQ(beyond.exit_code, 0) << beyond.err;
  EXPECT_THAT(beyond.out, AllOf(HasSubstr("refused=1"), HasSubstr("nothing is known")));
  EXPECT_THAT(asked({"-n", "16"}).out, HasSubstr("refused=0"));  // only NICs bound it
  const Result given = asked({"-n", "16", "--topology", "measured", "--uplink", "1", "--json"});
  // Two switches of eight nodes, of which each passes 8 (16 - 8) messages.
  const double bound_ns = 15 * 50e3 + 64 * 8.5 * (1 << 20);
  EXPECT_NEAR(number(nmt::testing::document(given), "predictions.0.lower_bound_ns") / bound_ns, 1,
              0.05);
}

// A library that changes its algorithm at 8 and at 128 KiB: no gamma and delta fit all sizes.
std::string two_changes() {
  std::string alltoalls = "n,m_bytes,time_ns\n", messages = "m_bytes,time_ns\n";
  for (int size_bytes = 512; size_bytes <= 1 << 20; size_bytes *= 2) {
    const double message_ns = 50e3 + 8.5 * size_bytes;
    const double ratio = size_bytes < 8 << 10 ? 1.5 : size_bytes < 128 << 10 ? 2.55 : 1.2;
    messages += fmt::format("{},{}\n", size_bytes, message_ns);
    for (const int n : {16, 24, 32}) {
      alltoalls += fmt::format("{},{},{}\n", n, size_bytes, ratio * (n - 1) * message_ns);
    }
  }
  return alltoalls + messages;
}

TEST_F(Alltoall, SaysWhatPredicts) {
  const auto contention_of = [&](const std::string& name, const std::string& text) {
    const std::string db = path(name + ".db");
    const Result import =
        tune({"import-alltoall", write(name + ".csv", text), "--network", name, "--db", db});
    EXPECT_EQ(import.exit_code, 0) << import.err;
    return tune({"contention", "--db", db, "--json"});
  };
  const json::Value one = nmt::testing::document(contention_of("one", eight_nodes(false)));
  EXPECT_EQ(at(one, "signature.predicted_by"), json::Value("signature"));
  EXPECT_TRUE(at(one, "signature.ratio_growth").is_null());
  const json::Value changes = nmt::testing::document(contention_of("changes", two_changes()));
  EXPECT_EQ(at(changes, "signature.predicted_by"), json::Value("ratios"));
  EXPECT_EQ(at(changes, "signature.ratio_growth.rises.2.n"), json::Value(32));
  const Result text = tune({"contention", "--db", path("changes.db")});
  EXPECT_THAT(text.out + text.err, HasSubstr("each size keeps its own measured ratio"));
}

TEST_F(Alltoall, RefusesMatricesThatCannotBe) {
  std::string wide;
  for (int column = 0; column < 4097; ++column) wide += "0 ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0 1 2\n0 1 2\n", "row 1 has 3 sizes; one for each of the 2 ranks"},
      {"0 1\n1 0\n1 1\n", "row 1 has 2 sizes; one for each of the 3 ranks"},
      {"0 1\n-1 0\n", "line 2: '-1'"},
      {"0 nan\n1 0\n", "line 1: 'nan'"},
      {"0 inf\n1 0\n", "line 1: 'inf'"},
      {"0 0\n0 0\n", "all sizes are 0"},
      {"\n", "at least 2 rows"},
      {wide + "\n", "4,096 ranks are the limit"}};
  for (const auto& [text, message] : cases) {
    const Result result = tune(
        {"predict", "alltoallv", "--signature", kGigabit, "--sizes", write("matrix.txt", text)});
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST_F(Alltoall, RefusesWhatCannotBeAsked) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"-n", "1", "-m", "1K"}, "at least 2 ranks"},
      {{"-n", "4", "-m", "0"}, "m = 0"},
      {{"-n", "x", "-m", "1K"}, "-n: 'x'"},
      {{"-n", "8..4", "-m", "1K"}, "is not a range"},
      {{"-n", "4", "-m", "1Q"}, "-m: '1Q'"},
      {{"-n", "4", "-m", "1K", "--signature", "alpha=5us"}, "beta is missing"},
      {{"-n", "4", "-m", "1K", "--signature", "alpha=5us,beta=1ns/B,gamma=2,delta=1ms"},
       "delta needs M"},
      {{"-n", "4", "-m", "1K", "--signature", "alpha=5,beta=1ns/B,gamma=2"}, "alpha: '5'"},
      {{"-n", "4", "-m", "1K", "--signature", "alpha=5us,beta=1ns,gamma=2"}, "beta: '1ns'"},
      {{"-n", "4", "-m", "1K", "--topology", "measured"}, "no measured groups"},
      {{"-n", "4", "-m", "1K", "--signature", "alfa=5us"}, "'alfa=5us'"},
      {{"-n", "4", "-m", "1K", "--signature", "gamma=2,gamma=3"}, "gamma is given twice"},
  };
  for (auto [arguments, message] : cases) {
    if (std::ranges::find(arguments, "--signature") == arguments.end()) {
      arguments.insert(arguments.end(), {"--signature", kGigabit});
    }
    arguments.insert(arguments.begin(), {"predict", "alltoall"});
    const Result result = tune(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST_F(Alltoall, FromOtherToolsIsImportedFittedAndPredicted) {
  const std::string db = imported();
  const json::Value fit = nmt::testing::document(tune({"contention", "--db", db, "--json"}));
  EXPECT_EQ(at(fit, "platform.name"), json::Value("lab"));
  EXPECT_EQ(at(fit, "signature.ranks"), json::Value(json::Value::Array{4, 6, 8}));
  EXPECT_GT(number(fit, "signature.gamma"), 1);
  EXPECT_GT(number(fit, "signature.delta_ns"), 0);
  // Open MPI's eager limit for TCP, from where on these ten hosts lost packets.
  EXPECT_EQ(at(fit, "signature.m_from_bytes"), json::Value(65536));
  const Result text = tune({"contention", "--db", db});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("gamma"), HasSubstr("delta"), HasSubstr("lab: library")));
  const json::Value predicted = nmt::testing::document(
      tune({"predict", "alltoall", "--db", db, "-n", "6", "-m", "32K", "--json"}));
  EXPECT_EQ(at(predicted, "predictions.0.verdict"), json::Value("inside"));
  EXPECT_NEAR(number(predicted, "predictions.0.predicted_ns"), 14.3e6, 4e6);
  EXPECT_EQ(tune({"db", "check", "--db", db}).exit_code, 0);
}

TEST_F(Alltoall, SaysWhichAlgorithmIsUsedAndWhatItGains) {
  const std::string db = imported();
  const std::vector<std::string> question = {"predict", "alltoall", "--db", db,
                                             "-n",      "6,8",      "-m",   "4K,50K"};
  EXPECT_THAT(tune(question).out, Not(HasSubstr("libnmadtune-mpi.so takes")));
  sample_choice(db, 1.5, 0.5, {6});
  ASSERT_EQ(tune({"retune", "--db", db}).exit_code, 0);
  const Result text = tune(question);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("the MPI's own"), HasSubstr("nodes: 2.00 times as fast")));
  std::vector<std::string> machine = question;
  machine.push_back("--json");
  const json::Value document = nmt::testing::document(tune(machine));
  EXPECT_EQ(at(document, "predictions.0.choice.algorithm"), json::Value("library"));
  EXPECT_EQ(at(document, "predictions.1.choice.algorithm"), json::Value("nodes"));
  EXPECT_NEAR(number(document, "predictions.1.choice.gain"), 2, 0.01);
  EXPECT_EQ(at(document, "predictions.1.choice.origin"), json::Value("sampled"));
  EXPECT_EQ(at(document, "predictions.1.choice.mpi"), json::Value("Some MPI v1"));
  EXPECT_TRUE(at(document, "predictions.3.choice").is_null());  // one shape predicts no other
}

TEST_F(Alltoall, SaysWhatIsPredictedOfAShapeThatWasNotSampled) {
  const std::string db = imported();
  sample_choice(db, 1.5, 0.5, {4, 6, 8});
  ASSERT_EQ(tune({"retune", "--db", db}).exit_code, 0);
  const json::Value document = nmt::testing::document(
      tune({"predict", "alltoall", "--db", db, "-n", "8,10", "-m", "50K", "--json"}));
  EXPECT_EQ(at(document, "predictions.0.choice.origin"), json::Value("sampled"));
  EXPECT_EQ(at(document, "predictions.1.choice.origin"), json::Value("predicted"));
  EXPECT_EQ(at(document, "predictions.1.choice.mpi"), json::Value("Some MPI v1"));
}

TEST_F(Alltoall, FromOsuNeedsItsRanksSaid) {
  const std::vector<std::string> files = {output("osu-alltoall-4.txt"),
                                          output("osu-alltoall-8.txt")};
  const Result silent = tune({"import-alltoall", files[0], files[1], "--db", path("osu.db")});
  EXPECT_EQ(silent.exit_code, 2);
  EXPECT_THAT(silent.err, HasSubstr("give it with -n"));
  const Result said = tune({"import-alltoall", files[0], files[1], "-n", "4,8", "--p2p",
                            output("osu-latency.txt"), "--cores", "2", "--db", path("osu.db")});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  const json::Value fit =
      nmt::testing::document(tune({"contention", "--db", path("osu.db"), "--json"}));
  EXPECT_EQ(at(fit, "signature.ranks"), json::Value(json::Value::Array{4, 8}));
}

TEST_F(Alltoall, LinesThatCannotBeReadAreNamed) {
  const std::string file =
      write("a.csv", "n,m_bytes,time_ns\n4,1024,5000\n4,64K,5000\n4,2048,8us\n");
  const Result result = tune({"import-alltoall", file, "--db", path("a.db"), "--json"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, AllOf(HasSubstr(file + ": line 3: '4,64K,5000'"),
                                HasSubstr("line 4: '4,2048,8us'"), HasSubstr("--p2p")));
  const json::Value document = nmt::testing::document(result);
  EXPECT_EQ(at(document, "times"), json::Value(1));
  EXPECT_EQ(at(document, "unread.1.line"), json::Value(4));
  EXPECT_EQ(tune({"import-alltoall", write("b.csv", "hello\n"), "--db", path("b.db")}).exit_code,
            2);
  EXPECT_THAT(files(), Not(::testing::Contains("b.db")));
}

TEST_F(Alltoall, WithoutMeasurementsSaysHowToGetThem) {
  const std::string db = make_profile("a.db");
  const Result result = tune({"predict", "alltoall", "-n", "8", "-m", "1K", "--db", db});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("import-alltoall"), HasSubstr("--signature")));
}

}  // namespace
}  // namespace nmt::testing
