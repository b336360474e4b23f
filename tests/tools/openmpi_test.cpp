// SPDX-License-Identifier: BSD-3-Clause
//
// What is exported to Open MPI, and to UCX and libfabric below it, acts in jobs of the real one: a
// limit that is forced moves the size from which messages ask first, a rule changes a collective.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/statistics.h"
#include "core/version.h"
#include "profiledb/profiledb.h"
#include "sampler/stack/launch_messages.h"
#include "stacks/stacks.h"
#include "tests/lab/lab.h"
#include "tests/tools/kept_settings.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class OpenMpi : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    version_ = version_in(run({"mpirun.openmpi", "--version"}).out);
    if (version_.empty()) GTEST_SKIP() << "no mpirun.openmpi";
  }

  // Two ranks here, of which rank 0 prints what it finds.
  Result job_of(const std::string& stack, const Fields& settings, const Fields& more = {},
                std::vector<std::string> launcher = {"mpirun.openmpi"}) const {
    Setting setting{
        .environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}};
    for (const Fields& each :
         {sampler::environment_of(stacks::find_stack(stack), settings), more}) {
      for (const auto& [name, value] : each) setting.environment[name] = value;
    }
    launcher.insert(launcher.end(),
                    {"-n", "2", "--oversubscribe", NMAD_SAMPLE, "--stack", stack, "--json",
                     "--quiet", "--turn", "sizes:1/eager:1/variables:pml_%_priority"});
    return run(launcher, setting);
  }

  // Open MPI's own limits, in jobs of two ranks here whose environment has these.
  Result sample_under(Fields environment) const {
    environment.insert({{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
    return sample({"--stack", "openmpi", "--launcher", "mpirun.openmpi -n 2 --oversubscribe",
                   "--db", path("a.db"), "--max-size", "4K"},
                  {.environment = environment});
  }

  // "pml:ucx", "mtl:ofi". A job that does not start although it is there is a failure, not a skip.
  static bool is_built_with(const std::string& component) {
    const std::string listed = run({"ompi_info", "--parsable"}).out;
    return listed.find("mca:" + component + ":") != std::string::npos;
  }
  // What carries the messages when this stack is measured.
  static bool has_stack(const std::string& stack) {
    if (stack == "ucx") return is_built_with("pml:ucx");
    return stack == "libfabric" ? is_built_with("mtl:ofi") : is_built_with("pml:ob1");
  }

  // Null where the job cannot start.
  json::Value round_of(const std::string& stack, const Fields& settings,
                       const Fields& more = {}) const {
    const Result result = job_of(stack, settings, more);
    return result.exit_code == 0 ? document(result) : json::Value();
  }

  static double eager_bytes(const Result& result) {
    return number(document(result), "turn.eager.0.bytes_max");
  }

  std::string version_;
};

// Two ranks on each of two hosts of the lab.
class OpenMpiOnTwoHosts : public OpenMpi {
 protected:
  void SetUp() override {
    OpenMpi::SetUp();
    if (IsSkipped()) return;
    if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
    lab_.emplace(std::vector<unsigned>{1000});
  }

  std::string launcher() const {
    return fmt::format("{}", fmt::join(lab_->job("openmpi", {"--per-host", "2"}, {}), " "));
  }

  // What rank 0 prints.
  json::Value round_of(const stacks::Stack& stack, const Fields& settings, const std::string& order,
                       const Fields& more = {}) const {
    Setting setting;
    for (const Fields& each : {sampler::environment_of(stack, settings), more}) {
      for (const auto& [name, value] : each) setting.environment[name] = value;
    }
    const std::vector<std::string> command = {
        NMAD_SAMPLE, "--stack", std::string(stack.name), "--json", "--quiet", "--turn", order};
    Process job(lab_->job("openmpi", {"--per-host", "2"}, command), setting);
    const Result result = job.wait(120);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? document(result) : json::Value();
  }

  // Of a Bcast of 256 KiB, by each of the candidates.
  std::vector<double> broadcasts_ns(const Fields& settings, const std::string& candidates,
                                    const Fields& more = {}) const {
    const json::Value round = round_of(
        stacks::find_stack("openmpi"), settings,
        "operation:bcast/candidates:" + candidates + "/sizes:262144/budget:1000000000/seed:1",
        more);
    std::vector<double> medians_ns;
    const json::Value told = at(round, "collectives.cells");
    for (const json::Reader& cell : json::Reader(told, "cells").items()) {
      std::vector<double> rounds_ns;
      for (const json::Reader& each : cell["rounds_ns"].items()) rounds_ns.push_back(each.number());
      EXPECT_FALSE(rounds_ns.empty());
      medians_ns.push_back(rounds_ns.empty() ? 0 : median(rounds_ns));
    }
    return medians_ns;
  }
  double broadcast_ns(const Fields& settings, const Fields& more = {}) const {
    return broadcasts_ns(settings, "0x0", more).at(0);
  }

  // What else runs here slows some launches, so the least of so many counts.
  static constexpr int kLaunches = 3;

  std::optional<Lab> lab_;
};

TEST_F(OpenMpiOnTwoHosts, CollectivesAreSampledByAllAlgorithmsOfTheLibraryAndByHan) {
  Process sampling(sample_command({"--stack", "openmpi", "--parts", "collectives", "--budget", "1s",
                                   "--launcher", launcher(), "--db", path("a.db")}),
                   setting());
  const Result sampled = sampling.wait(840);
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  std::map<std::string, std::set<std::string>> algorithms;
  const profiledb::ProfileDb profile(path("a.db"), {});
  for (const Platform& platform : profile.platforms()) {
    for (const Campaign& campaign : profile.campaigns(platform.id)) {
      for (const SampleSet& set : profile.sample_sets(campaign.id)) {
        for (const Sample& each : set.samples) {
          algorithms[each.condition.operation].insert(each.condition.algorithm);
        }
      }
    }
  }
  for (const stacks::TunedOperation& operation : stacks::tuned_operations()) {
    const std::set<std::string>& tried = algorithms[std::string(operation.name)];
    EXPECT_TRUE(tried.contains(std::string(stacks::kOwnChoice))) << operation.name;
    EXPECT_GE(tried.size(), 4U) << operation.name;
  }
  if (!older(version_, "5.0")) {
    EXPECT_TRUE(algorithms["allgather"].contains("sparbit"));
    EXPECT_EQ(algorithms["bcast"].contains("adapt"), is_built_with("coll:adapt"));
  }
  EXPECT_THAT(algorithms["bcast"], IsSupersetOf({"binomial", "chain", "pipeline"}));
  const Result listed = run({"ompi_info", "--param", "coll", "han", "--level", "9"});
  if (listed.out.find("coll_han_priority") == std::string::npos) GTEST_SKIP() << "no coll/han";
  const bool han_chooses = !older(version_, "5.0");  // there it is the library's own choice
  for (const std::string_view operation : stacks::han_operations()) {
    const std::string component(han_chooses ? stacks::kTunedComponent : stacks::kHanComponent);
    EXPECT_TRUE(algorithms[std::string(operation)].contains(component)) << operation;
  }
}

// As `nmad-tune export` writes them, in the place that docs/exports.md names. A rule that cuts a
// broadcast into segments of 64 bytes cannot be overlooked. In 4.1 a rule that hands allreduces on
// to coll/tuned would end the job, which makes one as it splits a communicator.
TEST_F(OpenMpiOnTwoHosts, ExportedRulesOfHanHandABroadcastOnToARuleOfTuned) {
  const Fields first = {{"coll_han_priority", "35"}};
  const std::string folder = path("home/.openmpi");
  std::filesystem::create_directories(folder);
  for (const stacks::ExportedFile& file :
       stacks::write_files({.stack = "openmpi",
       .version = version_,
       .rules = {{"bcast", {{1, {{0, 0, 0, 0}}}, {2, {{0, 3, 0, 64}}}}}},
       .han_rules = {{"allreduce", {{1, {{0, std::string(stacks::kTunedComponent)}}}}},
                     {"bcast", {{1, {{0, std::string(stacks::kTunedComponent)}}}}}},
       .han_needs = first,
       .folder = folder})) {
    write("home/.openmpi/" + file.name, file.content);
  }
  ASSERT_THAT(read("home/.openmpi/mca-params.conf"), HasSubstr("coll_han_priority = 35"));
  double han_ns = std::numeric_limits<double>::max(), ruled_ns = han_ns;
  for (int launch = 0; launch < kLaunches; ++launch) {
    han_ns = std::min(han_ns, broadcast_ns(first));
    ruled_ns = std::min(ruled_ns, broadcast_ns({}, {{"HOME", path("home")}}));
  }
  EXPECT_GT(ruled_ns, 4 * han_ns);
}

// From 5.0 on coll/han is asked before coll/tuned, whose segments of 64 bytes it would not notice.
TEST_F(OpenMpiOnTwoHosts, AnAlgorithmOfTunedIsMeasuredAsItselfWhereHanComesFirst) {
  const std::vector<double> medians_ns =
      broadcasts_ns({{"coll_tuned_use_dynamic_rules", "1"}}, "0x0,3x64/components:tuned");
  ASSERT_EQ(medians_ns.size(), 2U);
  EXPECT_GT(medians_ns[1], 4 * medians_ns[0]);
}

// coll/tuned ignores the segments of coll/han. So this takes a communicator that prefers coll/han,
// in 4.1 too, which asks coll/tuned first. 4.1 reads the segment when a job starts, 5.0 when a
// collective is called.
TEST_F(OpenMpiOnTwoHosts, ASegmentOfHanActs) {
  const bool at_start = older(version_, "5.0");
  Fields settings = {{"coll_tuned_use_dynamic_rules", "1"}};
  if (at_start) settings.insert({"coll_han_bcast_segsize", "64"});
  // The own choices: the library's, and the first component's (sampler/stack/rank_collectives.h).
  const std::vector<double> medians_ns =
      broadcasts_ns(settings, at_start ? "0x0,99x0/components:han" : "0x0,99x64/components:han");
  ASSERT_EQ(medians_ns.size(), 2U);
  EXPECT_GT(medians_ns[1], 4 * medians_ns[0]);
}

// Which component is asked first shows where segments of coll/han are tiny.
TEST_F(OpenMpiOnTwoHosts, ThePriorityOfHanActs) {
  const auto with_priority = [](const std::string& priority) {
    return Fields{{"coll_han_priority", priority}, {"coll_han_bcast_segsize", "64"}};
  };
  double first_ns = std::numeric_limits<double>::max(), last_ns = first_ns;
  for (int launch = 0; launch < kLaunches; ++launch) {
    first_ns = std::min(first_ns, broadcast_ns(with_priority("35")));
    last_ns = std::min(last_ns, broadcast_ns(with_priority("0")));
  }
  EXPECT_GT(first_ns, 2 * last_ns);
}

// By placement, the largest message that leaves before its receiver asks for it.
std::map<std::string, double> eager_in(const json::Value& round) {
  std::map<std::string, double> bytes;
  for (const json::Reader& each : json::Reader(round, "nmad-sample")["turn"]["eager"].items()) {
    bytes[each["placement"].text()] = each["bytes_max"].number();
  }
  return bytes;
}

// Where both transports share a setting, it acts on both: UCX before 1.17, libfabric.
TEST_F(OpenMpiOnTwoHosts, AForcedLimitOfEachStackActsBetweenNodesAndWithinThem) {
  constexpr const char* kOrder = "sizes:1/eager:1/variables:";
  using stacks::Transport;
  std::string not_measured;
  for (const std::string name : {"openmpi", "ucx", "libfabric"}) {
    SCOPED_TRACE(name);
    if (!has_stack(name)) {
      not_measured += " " + name;
      continue;
    }
    stacks::Stack stack = stacks::find_stack(name);
    const json::Value usual = round_of(stack, {}, kOrder);
    ASSERT_NE(usual, json::Value());
    stack = stacks::for_ucx_version(stack, text(usual, "ucx_version"));
    const auto setting_of = [&](Transport transport) {
      return stack.eager_up_to(transport, 1000, 0).begin()->first;
    };
    const bool shared = setting_of(Transport::kShm) == setting_of(Transport::kTcp);
    std::map<std::string, double> before = eager_in(usual);
    for (const auto& [placement, other, transport] :
         {std::tuple("same-node", "other-node", Transport::kShm),
          std::tuple("other-node", "same-node", Transport::kTcp)}) {
      const json::Value forced = round_of(stack, stack.eager_up_to(transport, 1000, 0), kOrder);
      ASSERT_NE(forced, json::Value());
      std::map<std::string, double> after = eager_in(forced);
      EXPECT_GT(before[placement], 1100) << placement;
      EXPECT_LE(after[placement], 1000) << placement;
      EXPECT_GT(after[placement], 100) << placement;
      if (shared) continue;
      EXPECT_GT(after[other], 1100) << other;
    }
  }
  if (!not_measured.empty()) GTEST_SKIP() << "it is without" << not_measured;
}

// Over another stack, whose defaults are made so small that there is something to gain.
class OpenMpiOver : public OpenMpi {
 protected:
  void sample_export_and_compare(const std::string& stack, const Fields& slow_defaults,
                                 const std::string& kept) const {
    if (!has_stack(stack)) GTEST_SKIP() << "it is without " << stack;
    ASSERT_NE(round_of(stack, {}), json::Value());
    Setting slow = setting();
    slow.environment.insert({{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                             {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                             {"OMPI_MCA_mpi_yield_when_idle", "1"}});
    slow.environment.insert(slow_defaults.begin(), slow_defaults.end());
    const std::string launcher = "mpirun.openmpi -n 2 --oversubscribe";
    Result exported;
    for (int campaign = 0; campaign < 2; ++campaign) {  // one may have met a busy machine
      Process sampling(sample_command({"--stack", stack, "--launcher", launcher, "--rounds", "9",
                                       "--max-size", "8K", "--db", path("a.db")}),
                       slow);
      const Result sampled = sampling.wait(200);
      ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
      EXPECT_THAT(sampled.out, HasSubstr(kept));
      exported = tune({"export", stack, "--db", path("a.db")});
      EXPECT_EQ(exported.exit_code, 0) << exported.err;
      if (exported.out.find("\n" + kept + "=") != std::string::npos) break;
      if (exported.out.find("\nexport " + kept + "=") != std::string::npos) break;
    }
    ASSERT_THAT(exported.out, ContainsRegex("\n(export )?" + kept + "=")) << exported.err;
    Process comparing(tune_command({"ab", stack, "--launcher", launcher, "--rounds", "9",
                                    "--max-size", "8K", "--db", path("a.db")}),
                      slow);
    const Result compared = comparing.wait(90);
    EXPECT_EQ(compared.exit_code, 0) << compared.err;
    EXPECT_THAT(compared.out, Not(HasSubstr("Nothing to compare")));
    EXPECT_THAT(compared.last_line(), HasSubstr("withdrawn="));
    if (compared.last_line().find("withdrawn=none") == std::string::npos) {
      GTEST_SKIP() << "withdrawn after 9 rounds: " << compared.out;
    }
  }
};

TEST_F(OpenMpiOver, LibfabricIsSampledExportedAndCompared) {
  sample_export_and_compare("libfabric",
                            {{"FI_OFI_RXM_BUFFER_SIZE", "1000"}, {"FI_OFI_RXM_SAR_LIMIT", "0"}},
                            "FI_OFI_RXM_BUFFER_SIZE");
}

TEST_F(OpenMpiOver, UcxIsSampledExportedAndCompared) {
  sample_export_and_compare("ucx", {{"UCX_RNDV_THRESH", "200"}}, "UCX_RNDV_THRESH");
}

TEST_F(OpenMpi, TellsWhichComponentCarriesItsMessages) {
  int jobs = 0;
  std::string not_tried;
  for (const auto& [pml, told] :
       {std::pair("ob1", ""), std::pair("ucx", "ucx"), std::pair("cm", "cm")}) {
    const std::string stack = *told == '\0'               ? "openmpi"
                              : pml == std::string("ucx") ? "ucx"
                                                          : "libfabric";
    if (!has_stack(stack)) {
      not_tried += fmt::format(" {}", pml);
      continue;
    }
    const json::Value round = round_of(stack, {}, {{"OMPI_MCA_pml", pml}});
    ASSERT_NE(round, json::Value()) << pml;
    EXPECT_EQ(at(round, "messages_by"), json::Value(told)) << pml;
    ++jobs;
  }
  EXPECT_GT(jobs, 0);
  if (!not_tried.empty()) GTEST_SKIP() << "it is without" << not_tried;
}

TEST_F(OpenMpi, AForcedLimitOfEachStackMovesTheSizeFromWhichMessagesAskFirst) {
  std::string not_measured;
  for (const std::string stack : {"openmpi", "ucx", "libfabric"}) {
    if (!has_stack(stack)) {
      not_measured += " " + stack;
      continue;
    }
    const Result usual = job_of(stack, {});
    ASSERT_EQ(usual.exit_code, 0) << stack << ": " << usual.err;
    const stacks::Stack forced =
        stacks::for_ucx_version(stacks::find_stack(stack), text(document(usual), "ucx_version"));
    const Result moved = job_of(stack, forced.eager_up_to(stacks::Transport::kShm, 1000, 0));
    ASSERT_EQ(moved.exit_code, 0) << stack << ": " << moved.err;
    EXPECT_GT(eager_bytes(usual), 1100) << stack;
    EXPECT_LE(eager_bytes(moved), 1000) << stack;
    EXPECT_GT(eager_bytes(moved), 100) << stack;
  }
  if (!not_measured.empty()) GTEST_SKIP() << "it is without" << not_measured;
}

// As `nmad-tune export` writes it, in the place that docs/exports.md names.
TEST_F(OpenMpi, AFileOfEachStackActsWhereItsRanksLookForIt) {
  const std::string home = path("home");
  std::filesystem::create_directories(home + "/.openmpi");
  std::string not_measured;
  for (const auto& [name, place] :
       {std::pair("openmpi", home + "/.openmpi/mca-params.conf"), {"ucx", home + "/ucx.conf"}}) {
    // UCX warns on standard output that it did not use the second.
    const Fields where = {
        {"HOME", home}, {"UCX_CONFIG_DIR", home}, {"UCX_WARN_UNUSED_ENV_VARS", "n"}};
    if (!has_stack(name)) {
      not_measured += fmt::format(" {}", name);
      continue;
    }
    const Result usual = job_of(name, {}, where);
    ASSERT_EQ(usual.exit_code, 0) << name << ": " << usual.err;
    const std::string ucx_version = text(document(usual), "ucx_version");
    const stacks::Stack stack = stacks::for_ucx_version(stacks::find_stack(name), ucx_version);
    const Fields settings = stack.eager_up_to(stacks::Transport::kShm, 1000, 0);
    const std::string version = name == std::string("ucx") ? ucx_version : version_;
    const std::vector<stacks::ExportedFile> files =
        stacks::write_files(kept_settings(name, version, settings));
    ASSERT_EQ(files.size(), 1U) << name;
    std::ofstream(place) << files.front().content;
    const Result moved = job_of(name, {}, where);
    ASSERT_EQ(moved.exit_code, 0) << name << ": " << moved.err;
    EXPECT_GT(eager_bytes(usual), 1100) << name;
    EXPECT_LE(eager_bytes(moved), 1000) << name << ":\n" << files.front().content;
    EXPECT_GT(eager_bytes(moved), 100) << name;
  }
  if (!not_measured.empty()) GTEST_SKIP() << "it is without" << not_measured;
}

TEST_F(OpenMpi, TheVariablesOfLibfabricActWhereAShellReadTheirFile) {
  if (!has_stack("libfabric")) GTEST_SKIP() << "it is without libfabric";
  const stacks::Stack& stack = stacks::find_stack("libfabric");
  const Result usual = job_of("libfabric", {});
  ASSERT_EQ(usual.exit_code, 0) << usual.err;
  const std::vector<stacks::ExportedFile> files = stacks::write_files(
      kept_settings("libfabric", "2.1.0", stack.eager_up_to(stacks::Transport::kShm, 1000, 0)));
  ASSERT_EQ(files.size(), 1U);
  write(files.front().name, files.front().content);
  const Result moved =
      job_of("libfabric", {}, {},
             {"sh", "-c", ". " + path(files.front().name) + "; exec \"$@\"", "sh", "mpirun.openmpi",
              "-x", "FI_OFI_RXM_BUFFER_SIZE", "-x", "FI_OFI_RXM_SAR_LIMIT"});
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_GT(eager_bytes(usual), 1100);
  EXPECT_LE(eager_bytes(moved), 1000) << files.front().content;
  EXPECT_GT(eager_bytes(moved), 100);
}

// Where UCX carries the messages, a limit of Open MPI's own does nothing.
TEST_F(OpenMpi, ALimitOfAComponentThatIsNotInUseIsRefused) {
  if (!has_stack("ucx")) GTEST_SKIP() << "this Open MPI is without UCX";
  const Result refused = sample_under({{"OMPI_MCA_pml", "ucx"},
                                       {"OMPI_MCA_opal_common_ucx_tls", "any"},
                                       {"OMPI_MCA_opal_common_ucx_devices", "any"}});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("sends its messages by ucx"));
  EXPECT_THAT(refused.err, HasSubstr("--stack ucx"));
}

TEST_F(OpenMpi, ALimitIsRefusedWhereLibfabricCarriesTheMessages) {
  if (!has_stack("libfabric")) GTEST_SKIP() << "this Open MPI is without libfabric";
  const Result refused = sample_under(sampler::environment_of(stacks::find_stack("libfabric"), {}));
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("sends its messages by cm"));
  EXPECT_THAT(refused.err, HasSubstr("--stack libfabric"));
}

}  // namespace
}  // namespace nmt::testing
