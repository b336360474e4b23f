// SPDX-License-Identifier: BSD-3-Clause
//
// Files of other stacks: what is written, and what readers refuse, with the line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"
#include "core/version.h"
#include "stacks/stacks.h"

namespace nmt::stacks {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

template <class Read>
std::string refusal(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TunedRules rules_of(std::string_view text, std::string_view version = "4.1.4") {
  return read_tuned_rules(text, "rules", version);
}
std::string refused_rules(std::string_view text, std::string_view version = "4.1.4") {
  return refusal([&] { rules_of(text, version); });
}

const TunedRules kRules = {
    {"alltoall", {{1, {{0, 0, 0, 0}}}, {16, {{0, 3, 0, 0}, {4096, 1, 0, 0}}}}},
    {"bcast", {{1, {{0, 6, 0, 0}, {131072, 3, 0, 65536}}}}}};

TEST(TunedRules, ReadBackAsTheyWereWritten) {
  EXPECT_EQ(rules_of(write_tuned_rules(kRules, "# by a test\n\n")), kRules);
}

RuledCell cell(const std::string& operation, std::uint64_t size_bytes,
               const std::string& algorithm) {
  return {.operation = operation,
          .ranks = 8,
          .size_bytes = size_bytes,
          .algorithm = algorithm,
          .gain = {},
          .best_gain = 1,
          .ranks_per_node = 4};
}

TEST(HanRules, HandOnWhatTunedDoesBetterAndReadBack) {
  const std::vector cells = {cell("allreduce", 64, "default"), cell("alltoall", 64, "pairwise"),
                             cell("bcast", 64, "tuned"), cell("bcast", 1024, "binomial"),
                             cell("bcast", 16384, "default")};
  const HanRules rules = han_rules_of(cells, kHanComponent);
  EXPECT_EQ(
      rules,
      (HanRules{
          {"bcast", {{1, {{0, "han"}}}, {8, {{0, "tuned"}, {4096, "han"}}}, {16, {{0, "han"}}}}}}));
  const std::string text = write_han_rules(rules, "# by a test\n\n");
  EXPECT_EQ(read_han_rules(text, "rules", "5.0.7"), rules);
  EXPECT_EQ(check_file("openmpi", "5.0.7", text, "rules"), 1u);
  EXPECT_TRUE(han_rules_of(std::vector{cell("bcast", 64, "default")}, kHanComponent).empty());
}

TEST(HanRules, TakeFromTunedWhatHanDoesBetterAndLeaveItAllElse) {
  const std::vector cells = {cell("allreduce", 64, "ring"), cell("bcast", 64, "han"),
                             cell("bcast", 1024, "binomial"), cell("bcast", 16384, "default")};
  const HanRules rules = han_rules_of(cells, kTunedComponent);
  const std::vector<HanRule> tuned = {{0, "tuned"}};
  EXPECT_EQ(rules.at("bcast"),
            (HanRules::mapped_type{{1, tuned}, {8, {{0, "han"}, {256, "tuned"}}}, {16, tuned}}));
  EXPECT_EQ(rules.at("allreduce"), (HanRules::mapped_type{{1, tuned}, {8, tuned}, {16, tuned}}));
  EXPECT_EQ(rules.at("barrier"), (HanRules::mapped_type{{1, tuned}}));
  EXPECT_EQ(rules.size(), 8u);  // all that coll/han would answer
  EXPECT_EQ(read_han_rules(write_han_rules(rules, ""), "rules", "5.0.7"), rules);
  EXPECT_TRUE(han_rules_of(std::vector{cell("bcast", 64, "ring")}, kTunedComponent).empty());
}

// Open MPI before 5.0 crashes otherwise.
TEST(HanRules, HandAnAllreduceOnToTheComponentBelowHan) {
  const std::vector<HanRule> tuned = {{0, "tuned"}}, below = {{0, "libnbc"}};
  const HanRules rules = {{"allreduce", {{1, tuned}, {8, {{0, "han"}, {256, "tuned"}}}}},
                          {"bcast", {{1, tuned}}}};
  const HanRules obeyed = han_rules_for(rules, "4.1.4");
  EXPECT_EQ(obeyed, (HanRules{{"allreduce", {{1, below}, {8, {{0, "han"}, {256, "libnbc"}}}}},
                              {"bcast", {{1, tuned}}}}));
  EXPECT_EQ(han_rules_for(rules, "5.0.7"), rules);
  const std::string text = write_han_rules(obeyed, "");
  EXPECT_EQ(read_han_rules(text, "rules", "4.1.4"), obeyed);
  EXPECT_THAT(refusal([&] { read_han_rules(write_han_rules(rules, ""), "rules", "4.1.4"); }),
              HasSubstr("rules: line 8: Open MPI 4.1.4 crashes where coll/han hands an allreduce"));
}

TEST(HanRules, AreRefusedWithTheLine) {
  const auto refused = [](std::string_view text) {
    return refusal([&] { read_han_rules(text, "rules", "5.0.7"); });
  };
  EXPECT_THAT(refused("1\n3\n1\n2\n"), HasSubstr("line 2: collective 3 is not one"));
  EXPECT_THAT(refused("1\n7\n1\n1\n"), HasSubstr("line 4: nmadtune exports rules for level 2"));
  EXPECT_THAT(refused("1\n7\n1\n2\n1\n4\n"), HasSubstr("line 6: the first communicator size"));
  EXPECT_THAT(refused("1\n7\n1\n2\n1\n1\n1\n8 han\n"), HasSubstr("line 8: the first message"));
  EXPECT_THAT(refused("1\n7\n1\n2\n1\n1\n1\n0 turned\n"), HasSubstr("no component 'turned'"));
  EXPECT_THAT(refused("1\n7\n1\n2\n1\n1\n1\n0 han\n7"), HasSubstr("line 9: the file goes on"));
}

TEST(TunedRules, AreRefusedWithTheLine) {
  EXPECT_THAT(refused_rules("1\n7\n1\n4\n1\n0 6 0\n"),
              HasSubstr("rules: line 7: the file ends; expected a segment size"));
  EXPECT_THAT(refused_rules("1 # one\n7\n1\n4\n1\n64 6 0 0\n"),
              HasSubstr("line 6: the first message size must be 0, not 64"));
  EXPECT_THAT(refused_rules("1\n7\n1\n4\n2\n0 6 0 0\n0 3 0 0\n"), HasSubstr("line 7: message"));
  EXPECT_THAT(refused_rules("1\n7\n2\n4\n1\n0 6 0 0\n4\n1\n0 6 0 0\n"),
              HasSubstr("line 7: communicator sizes must ascend"));
  EXPECT_THAT(
      refused_rules("1\n0\n1\n4\n1\n0 7 0 0\n"),
      HasSubstr("line 6: Open MPI 4.1.4 has no algorithm 7 of allgather, which is sparbit"));
  EXPECT_THAT(refused_rules("1\n7\n1\n4\n1\n0 10 0 0\n"), HasSubstr("an algorithm of bcast 10"));
  EXPECT_THAT(refused_rules("1\n7\n1\n4\n1\n0 six 0 0\n"), HasSubstr("line 6: 'six'"));
  EXPECT_THAT(refused_rules("1\n7\n1\n4\n1\n0 6 0 0\n5\n"), HasSubstr("line 7: the file goes on"));
  EXPECT_THAT(refused_rules(""), HasSubstr("line 1"));
  // Counts one too high, as in the example of the official generator.
  EXPECT_THAT(refused_rules("2\n7\n1\n4\n1\n0 6 0 0\n"), HasSubstr("a collective's number"));
}

TEST(TunedRules, TakeTheHeaderOnlyForVersionsThatKnowIt) {
  const std::string second = "rule-file-version-2\n1\n3\n1\n4\n1\n0 4 0 0 8\n";
  EXPECT_THAT(refused_rules(second, "4.1.4"), HasSubstr("line 1: Open MPI 4.1.4 does not know"));
  EXPECT_THAT(refused_rules(second, "5.0.6"), HasSubstr("does not know"));
  EXPECT_EQ(rules_of(second, "4.1.8").at("alltoall").at(4).front().algorithm, 4);
  EXPECT_EQ(rules_of(second, "5.0.7").size(), 1u);
}

GroupVerdict verdict(std::string group, Fields settings, bool kept) {
  GroupVerdict verdict{.group = std::move(group), .settings = std::move(settings)};
  verdict.defaults = {{verdict.settings.begin()->first, "65536"}};
  verdict.rail = "openmpi/tcp";
  verdict.host = "one,two";
  verdict.mpi = "Open MPI v4.1.4";
  verdict.measured_utc = "2026-11-21T10:00:00Z";
  verdict.gain = {.value = 1.31, .low = 1.28, .high = 1.33, .rounds = 7};
  verdict.best = verdict.gain;
  verdict.best_size_bytes = 1 << 20;
  verdict.kept = kept;
  if (!kept) verdict.reason = "no measurable gain";
  return verdict;
}

StackFindings findings(const std::string& stack, const std::string& version) {
  return {.stack = stack, .version = version, .origin = "Written by a test", .folder = "/etc/x"};
}

TEST(Writers, SayOfEachSettingWhatItIsWorthAndListTheOthers) {
  StackFindings found = findings("openmpi", "4.1.4");
  found.verdicts = {verdict("tcp", {{"btl_tcp_eager_limit", "32824"}}, true),
                    verdict("shm", {{"btl_vader_eager_limit", "8248"}}, false)};
  const std::vector<ExportedFile> files = write_files(found);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "mca-params.conf");
  EXPECT_THAT(files[0].content,
              AllOf(HasSubstr("# 1.31 times as fast (1.28 to 1.33), most at 1 MiB"),
                    HasSubstr("measured on openmpi/tcp of one,two"),
                    HasSubstr("replaces btl_tcp_eager_limit=65536\nbtl_tcp_eager_limit = 32824\n"),
                    HasSubstr("# left out: btl_vader_eager_limit=8248: no measurable gain")));
  EXPECT_EQ(read_mca_params(files[0].content, "x"), (Fields{{"btl_tcp_eager_limit", "32824"}}));
}

TEST(Writers, WriteNoFileWhereNothingPays) {
  StackFindings found = findings("openmpi", "4.1.4");
  found.verdicts = {verdict("tcp", {{"btl_tcp_eager_limit", "32824"}}, false)};
  EXPECT_TRUE(write_files(found).empty());
  EXPECT_TRUE(write_files(findings("ucx", "1.13")).empty());
}

TEST(Writers, CallSharedMemoryByTheNameThatTheVersionHasForIt) {
  StackFindings found = findings("openmpi", "5.0.3");
  found.verdicts = {verdict("shm", {{"btl_vader_eager_limit", "8248"}}, true)};
  EXPECT_THAT(write_files(found).at(0).content, HasSubstr("\nbtl_sm_eager_limit = 8248\n"));
}

TEST(Writers, LeaveOutVerbsWhereTheVersionHasNoComponentForThem) {
  StackFindings found = findings("openmpi", "5.0.3");
  found.verdicts = {verdict("verbs", {{"btl_openib_eager_limit", "8248"}}, true),
                    verdict("tcp", {{"btl_tcp_eager_limit", "32824"}}, true)};
  EXPECT_THAT(write_files(found).at(0).content,
              AllOf(HasSubstr("# left out: btl_openib_eager_limit"),
                    Not(HasSubstr("\nbtl_openib_eager_limit"))));
  found.version = "4.1.4";
  EXPECT_THAT(write_files(found).at(0).content, HasSubstr("\nbtl_openib_eager_limit = 8248\n"));
}

TEST(Writers, LeaveOutInterfacesWhoseNamesTheFileCannotHold) {
  StackFindings found = findings("openmpi", "4.1.4");
  found.verdicts = {
      verdict("tcp", {{"btl_tcp_eager_limit", "32824"}}, true),
      verdict("weights", {{"btl_tcp_bandwidth_eth0:1", "10"}, {"btl_tcp_bandwidth_b", "2"}}, true)};
  const std::string text = write_files(found).at(0).content;
  EXPECT_THAT(text, HasSubstr("# left out: btl_tcp_bandwidth_eth0:1: no name"));
  EXPECT_THAT(text, Not(HasSubstr("\nbtl_tcp_bandwidth")));
  found.verdicts[1].settings = {{"btl_tcp_bandwidth_br-lan.7", "10"}};
  EXPECT_THAT(write_files(found).at(0).content, HasSubstr("\nbtl_tcp_bandwidth_br-lan.7 = 10\n"));
}

TEST(Writers, NameTheRulesFileWhereItWillBe) {
  StackFindings found = findings("openmpi", "4.1.4");
  found.rules = kRules;
  const std::vector<ExportedFile> files = write_files(found);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_THAT(files[0].content,
              HasSubstr("coll_tuned_dynamic_rules_filename = /etc/x/" + files[1].name));
  EXPECT_EQ(rules_of(files[1].content), kRules);
}

TEST(Writers, WriteUcxSettingsForUcxAndForMpich) {
  StackFindings found = findings("ucx", "1.13");
  found.verdicts = {verdict("rendezvous", {{"UCX_RNDV_THRESH", "20000"}}, true)};
  EXPECT_THAT(write_files(found).at(0).content, HasSubstr("\nUCX_RNDV_THRESH=20000\n"));
  found.stack = "mpich";
  EXPECT_THAT(write_files(found).at(0).content, HasSubstr("\nexport UCX_RNDV_THRESH=20000\n"));
}

TEST(Writers, WriteLibfabricsSettingsForTheEnvironment) {
  StackFindings found = findings("libfabric", "2.1");
  found.verdicts = {
      verdict("rendezvous", find_stack("libfabric").eager_up_to(Transport::kTcp, 9000, 1), true)};
  const ExportedFile file = write_files(found).at(0);
  EXPECT_EQ(file.name, "libfabric.env");
  EXPECT_THAT(file.content, AllOf(HasSubstr("\nexport FI_OFI_RXM_BUFFER_SIZE=9000\n"),
                                  HasSubstr("\nexport FI_OFI_RXM_SAR_LIMIT=0\n")));
  EXPECT_EQ(check_file("libfabric", "2.1", file.content, "x"), 2u);
}

TEST(Writers, JoinUcxsThresholdsWithinANodeAndBetweenNodes) {
  StackFindings found = findings("ucx", "1.18.1");
  found.verdicts = {verdict("inter", {{"UCX_RNDV_THRESH:inter", "70000"}}, true),
                    verdict("intra", {{"UCX_RNDV_THRESH:intra", "9000"}}, true)};
  EXPECT_THAT(write_files(found).at(0).content,
              HasSubstr("\nUCX_RNDV_THRESH=inter:70000,intra:9000\n"));
  found.verdicts.back().kept = false;
  EXPECT_THAT(write_files(found).at(0).content,
              HasSubstr("\nUCX_RNDV_THRESH=inter:70000,intra:auto\n"));
  found.version = "1.16";
  EXPECT_TRUE(write_files(found).empty());
  found.stack = "mpich";
  EXPECT_THAT(write_files(found).at(0).content,
              HasSubstr("\nexport UCX_RNDV_THRESH=inter:70000,intra:auto\n"));
}

TEST(UcxConf, WithThresholdsByPlaceIsForVersionsThatReadThemAndHasBoth) {
  const std::string both = "UCX_RNDV_THRESH=inter:70000,intra:auto\n";
  EXPECT_EQ(check_file("ucx", "1.18.1", both, "ucx.conf"), 1u);
  EXPECT_THAT(refusal([&] { check_file("ucx", "1.13.1", both, "ucx.conf"); }),
              HasSubstr("ucx.conf: line 1: UCX 1.13.1 has one threshold"));
  for (const std::string stack : {"ucx", "mpich"}) {
    const std::string version = stack == "ucx" ? "1.18.1" : "4.2.1";
    EXPECT_THAT(
        refusal([&] { check_file(stack, version, "UCX_RNDV_THRESH=inter:70000\n", "file"); }),
        HasSubstr("file: line 1: UCX_RNDV_THRESH has inter: and not intra:"));
  }
}

TEST(HanRules, AreForVersionsThatHaveIt) {
  const std::string rules = "1\n7\n1\n2\n1\n1\n1\n0 han\n";
  EXPECT_EQ(check_file("openmpi", "4.1.4", rules, "rules"), 1u);
  EXPECT_THAT(refusal([&] { check_file("openmpi", "4.0.7", rules, "rules"); }),
              HasSubstr("Open MPI 4.0.7 does not have; it came with 4.1"));
}

TEST(Settings, OfUcxFrom117OnAreForOneTransportEach) {
  const Stack& old = find_stack("ucx");
  EXPECT_EQ(for_ucx_version(old, "1.16.0").eager_up_to(Transport::kTcp, 9, 0),
            old.eager_up_to(Transport::kTcp, 9, 0));
  const Stack keyed = for_ucx_version(find_stack("mpich"), "1.17.0");
  Fields both = keyed.eager_up_to(Transport::kTcp, 9, 0);
  both.merge(keyed.eager_up_to(Transport::kShm, 4, 0));
  EXPECT_EQ(as_spelled(both), (Fields{{"UCX_RNDV_THRESH", "inter:10,intra:5"}}));
  EXPECT_EQ(as_spelled(of_transport(Transport::kShm, both)),
            (Fields{{"UCX_RNDV_THRESH", "intra:5,inter:auto"}}));
  EXPECT_EQ(groups_of(both), (std::vector<std::string>{"inter", "intra"}));
}

// Open MPI's limits count a header, UCX's thresholds one byte, libfabric's buffers nothing.
TEST(Settings, SayUpToWhichSizeMessagesAreEagerUnderThem) {
  constexpr std::uint64_t kHeaderBytes = 56;
  std::vector<Stack> every(all_stacks().begin(), all_stacks().end());
  every.push_back(for_ucx_version(find_stack("ucx"), "1.18.1"));
  for (const Stack& stack : every) {
    for (const Transport transport : kTransports) {
      for (const std::uint64_t bytes : {200, 9000, 3 << 20}) {
        const Fields settings = stack.eager_up_to(transport, bytes, kHeaderBytes);
        EXPECT_EQ(eager_bytes_under(stack, transport, settings.begin()->second, kHeaderBytes),
                  bytes)
            << stack.name;
      }
    }
  }
  EXPECT_EQ(eager_bytes_under(find_stack("libfabric"), Transport::kTcp, "128", 1), 128u);
  EXPECT_EQ(eager_bytes_under(find_stack("openmpi"), Transport::kTcp, "20", 56), 0u);
}

TEST(Writers, WriteNewMadeleinesSamplesWithoutAGap) {
  Plan plan;
  RailPlan& rail = plan.rails.emplace_back();
  rail.rail = "tcp:lo";
  rail.regime = "hot";
  PlanCurve curve{.benchmark = "transfer", .method = "copy"};
  curve.duration = curve.low = curve.high = Curve({{1, 1000}, {1 << 20, 1'000'000}});
  rail.curves.push_back(curve);
  StackFindings found = findings("newmadeleine", "2017");
  found.plan = &plan;
  const std::vector<ExportedFile> files = write_files(found);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "tcp_x86_64.nm_ns");
  const std::vector<double> speeds = read_nm_ns(files[0].content, "x");
  EXPECT_EQ(speeds.size(), 26u);
  EXPECT_NEAR(speeds[20], 1000, 1);
  found.version = "2017.06";  // drivers for small and for large packets
  const std::vector<ExportedFile> both = write_files(found);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].name, "nm:minidriver_tcp-large_x86_64.nm_ns");
  EXPECT_EQ(both[1].name, "nm:minidriver_tcp_x86_64.nm_ns");
  EXPECT_EQ(both[0].content, files[0].content);
}

TEST(Readers, RefuseWhatTheirStacksWouldMisread) {
  const auto mca = [](std::string_view text) {
    return refusal([&] { read_mca_params(text, "conf"); });
  };
  EXPECT_THAT(mca("a = 1\nb = 2 # two\n"), HasSubstr("conf: line 2: the comment"));
  EXPECT_THAT(mca("a = \"1\"\n"), HasSubstr("line 1: the quotes"));
  EXPECT_THAT(mca("# c\n\nbtl tcp\n"), HasSubstr("line 3"));
  const auto mca_of = [](std::string_view name, std::string_view version) {
    return refusal([&] { read_mca_params(std::string(name) + " = 1\n", "conf", version); });
  };
  EXPECT_THAT(mca_of("btl_sm_eager_limit", "4.1.4"), HasSubstr("it is btl_vader_eager_limit"));
  EXPECT_THAT(mca_of("btl_openib_eager_limit", "5.0.7"), HasSubstr("conf: line 1: Open MPI 5.0.7"));
  EXPECT_EQ(mca_of("btl_sm_eager_limit", "5.0.7"), "not refused");
  EXPECT_EQ(mca_of("btl_vader_eager_limit", "5.0.7"), "not refused");
  EXPECT_EQ(mca_of("btl_openib_eager_limit", "4.1.4"), "not refused");
  const auto shell = [](std::string_view text) {
    return refusal([&] { read_environment(text, "env"); });
  };
  EXPECT_THAT(shell("export A = 1\n"), HasSubstr("env: line 1: a shell accepts no blanks"));
  EXPECT_THAT(shell("A=1\nB=$(x)\n"), HasSubstr("env: line 2"));
  const auto ucx = [](std::string_view text) {
    return refusal([&] { read_ucx_conf(text, "ucx.conf"); });
  };
  EXPECT_THAT(ucx("[here\n"), HasSubstr("ucx.conf: line 1: a section"));
  EXPECT_THAT(ucx("[x]\nCPU model=Milan\nRNDV_THRESH=1\n"), HasSubstr("line 3"));
  const auto nm = [](std::string_view text) { return refusal([&] { read_nm_ns(text, "ns"); }); };
  EXPECT_THAT(nm("1\t2.0\n4\t2.0\n"), HasSubstr("ns: line 2: the size must be 2"));
  EXPECT_THAT(nm("1\t-2\n"), HasSubstr("line 1"));
}

TEST(Versions, AreThoseThatAreKnown) {
  EXPECT_EQ(export_version("openmpi", "", "4.1.4"), "4.1.4");
  EXPECT_EQ(export_version("openmpi", "5.0.2", "4.1.4"), "5.0.2");
  EXPECT_THAT(refusal([] { export_version("openmpi", "3.1", ""); }), HasSubstr("from 4.0"));
  EXPECT_THAT(refusal([] { export_version("openmpi", "newest", ""); }), HasSubstr("newest"));
  EXPECT_THAT(refusal([] { export_version("lam", "", ""); }), HasSubstr("there is: openmpi"));
  EXPECT_EQ(version_in("Open MPI v4.1.4"), "4.1.4");
  EXPECT_EQ(version_in("MPICH Version: 4.0.2"), "4.0.2");
  EXPECT_TRUE(older("4.1.8", "4.1.10"));
  EXPECT_FALSE(older("5.0", "4.9.9"));
}

}  // namespace
}  // namespace nmt::stacks
