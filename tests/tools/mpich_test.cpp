// SPDX-License-Identifier: BSD-3-Clause
//
// Tables for collectives in jobs of the real MPICH on this node, which MPICH takes for two: that
// they are in force, by the messages of a rank, and that no call ends the program.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/version.h"
#include "profiledb/profiledb.h"
#include "sampler/stack/launch_collectives.h"
#include "sampler/stack/launch_messages.h"
#include "stacks/stacks.h"
#include "tests/tools/kept_settings.h"
#include "tests/tools/sandbox.h"
#include "tools/stack/installed_version.h"
#include "tools/stack/mpich_library.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kLauncher =
    "mpiexec.hydra -genv MPIR_CVAR_NUM_CLIQUES 2 -genv MPIR_CVAR_CLIQUES_BY_BLOCK 1 -n 4";
constexpr std::string_view kOnOneNode = "mpiexec.hydra -n 4";
constexpr std::string_view kOnOneEach = "mpiexec.hydra -genv MPIR_CVAR_NUM_CLIQUES 4 -n 4";

stacks::RuledCell rule(const std::string& operation, std::uint64_t size_bytes,
                       const std::string& algorithm, std::int64_t ranks_per_node = 2) {
  return {.operation = operation,
          .ranks = 4,
          .size_bytes = size_bytes,
          .algorithm = algorithm,
          .gain = {},
          .best_gain = 1,
          .ranks_per_node = ranks_per_node};
}

class Mpich : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    if (run({"mpiexec.hydra", "--version"}).exit_code != 0) GTEST_SKIP() << "no mpiexec.hydra";
    const Result library =
        run({"sh", "-c", "ldd " NMT_MPICH_CALLS " | sed -n 's/.*libmpich.* => //p'"});
    library_file_ = library.out.substr(0, library.out.find(' '));
  }

  // What rank 0 says, under these tables if there are any.
  std::string calls(const std::vector<stacks::ExportedFile>& files, const std::string& arguments,
                    std::string_view launcher = kLauncher) const {
    std::string command(launcher);
    for (const stacks::ExportedFile& file : files) write(file.name, file.content);
    for (const auto& [name, value] : stacks::rules_settings("mpich", path(""))) {
      if (!files.empty()) command += fmt::format(" -genv {} {}", name, value);
    }
    const Result result =
        run({"sh", "-c", fmt::format("exec {} {} {}", command, NMT_MPICH_CALLS, arguments)});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    return result.out;
  }

  // What rank 0 of two finds, which MPICH takes for ranks of two nodes, so that UCX carries their
  // messages; null where the job cannot start.
  json::Value round_of(const Fields& settings,
                       std::vector<std::string> command = {"mpiexec.hydra"}) const {
    Setting setting;
    for (const auto& [name, value] :
         sampler::environment_of(stacks::find_stack("mpich"), settings)) {
      setting.environment[name] = value;
    }
    command.insert(command.end(),
                   {"-genv", "MPIR_CVAR_NUM_CLIQUES", "2", "-n", "2", NMAD_SAMPLE, "--stack",
                    "mpich", "--json", "--quiet", "--turn", "sizes:1/eager:1/variables:"});
    const Result result = run(command, setting);
    return result.exit_code == 0 ? document(result) : json::Value();
  }

  // MPICH with the settings that its UCX understands.
  static stacks::Stack stack_of(const json::Value& round) {
    return stacks::for_ucx_version(stacks::find_stack("mpich"), text(round, "ucx_version"));
  }

  std::vector<stacks::ExportedFile> files_with(const std::vector<stacks::RuledCell>& cells) const {
    stacks::StackFindings findings{.stack = "mpich", .version = "4.0.2"};
    findings.cells = cells;
    findings.tables = tools::read_mpich_tables(library_file_);
    return stacks::write_rules(findings);
  }

  std::string library_file_;
};

// UCX under MPICH: it warns of variables that it does not know.
TEST_F(Mpich, UcxKnowsEverySettingThatIsWrittenForIt) {
  const stacks::Stack mpich = stack_of(round_of({}));
  Fields settings = mpich.eager_up_to(stacks::Transport::kTcp, 9000, 0);
  settings.merge(mpich.copied_up_to(4000));
  ASSERT_EQ(settings.size(), 2u);
  settings = stacks::as_spelled(settings);
  const auto said_with = [&](const Fields& variables) {
    std::string command = "exec " + std::string(kOnOneNode);
    for (const auto& [name, value] : variables) command += fmt::format(" -genv {} {}", name, value);
    const Result result = run({"sh", "-c", command + " " NMT_MPICH_CALLS});
    return result.out + result.err;
  };
  const std::string unused = "unused env(ironment)? variable";  // later versions write it out
  const json::Value usual = round_of({});
  ASSERT_NE(usual, json::Value());
  if (text(usual, "ucx_version").empty()) GTEST_SKIP() << "this MPICH is without UCX";
  EXPECT_THAT(said_with({{"UCX_RNDV_THRSH", "1"}}), ContainsRegex(unused));
  EXPECT_THAT(said_with(settings), Not(ContainsRegex(unused)));
}

TEST_F(Mpich, AForcedThresholdOfUcxMovesTheSizeFromWhichMessagesAskFirst) {
  const json::Value usual = round_of({});
  ASSERT_NE(usual, json::Value());
  if (text(usual, "ucx_version").empty()) GTEST_SKIP() << "this MPICH is without UCX";
  const stacks::Stack stack = stack_of(usual);
  const json::Value forced = round_of(stack.eager_up_to(stacks::Transport::kShm, 1000, 0));
  ASSERT_NE(forced, json::Value());
  const auto eager_bytes = [](const json::Value& round) {
    return number(round, "turn.eager.0.bytes_max");
  };
  EXPECT_GT(eager_bytes(usual), 1100);
  EXPECT_LE(eager_bytes(forced), 1000);
  EXPECT_GT(eager_bytes(forced), 100);
}

TEST_F(Mpich, TheVariablesOfItsFileActWhereAShellReadIt) {
  const json::Value usual = round_of({});
  ASSERT_NE(usual, json::Value());
  if (text(usual, "ucx_version").empty()) GTEST_SKIP() << "this MPICH is without UCX";
  const Fields settings = stack_of(usual).eager_up_to(stacks::Transport::kShm, 1000, 0);
  for (const stacks::ExportedFile& file :
       stacks::write_files(kept_settings("mpich", "4.0.2", settings))) {
    write(file.name, file.content);
  }
  const json::Value moved =
      round_of({}, {"sh", "-c", ". " + path("mpich.env") + "; exec \"$@\"", "sh", "mpiexec.hydra"});
  ASSERT_NE(moved, json::Value());
  EXPECT_GT(number(usual, "turn.eager.0.bytes_max"), 1100);
  EXPECT_LE(number(moved, "turn.eager.0.bytes_max"), 1000) << read("mpich.env");
  EXPECT_GT(number(moved, "turn.eager.0.bytes_max"), 100);
}

TEST_F(Mpich, HasTablesThatAreReadAndChangeInNothingWithoutRules) {
  const stacks::MpichTables found = tools::read_mpich_tables(library_file_);
  EXPECT_GT(found.known.size(), 100U);
  EXPECT_EQ(stacks::with_rules(found, {}).algorithms, found.algorithms);
  const bool is_old = older(tools::installed_version("mpich"), "4.2");
  for (const stacks::MpichOperation& operation : stacks::mpich_operations()) {
    for (const stacks::MpichAlgorithm& each : operation.algorithms) {
      const bool from_4_2 =
          !each.parameters.empty() || each.function == "MPIR_Allreduce_intra_ring";
      if (from_4_2 && is_old) continue;
      EXPECT_TRUE(stacks::has_way(operation, each.name, found.known))
          << operation.name << each.name;
    }
  }
}

// As srun starts tasks whose protocol this MPI does not speak: each is a job of its own.
TEST_F(Mpich, IsRefusedWhereItTakesOneOfSeveralTasksOfSrunForAJobOfItsOwn) {
  const auto sampled = [&](const std::string& tasks) {
    return sample({"--mpi", "mpich", "--parts", "mpi", "--budget", "100ms", "--db", path("a.db")},
                  {.environment = {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", tasks}}});
  };
  const Result refused = sampled("2");
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("srun started 2 tasks"), HasSubstr("--mpi=pmi2")));
  EXPECT_THAT(sampled("1").err, Not(HasSubstr("srun started")));
}

TEST_F(Mpich, TakesTheTablesThatAreWrittenAsTheMessagesOfARankShow) {
  const std::vector<stacks::ExportedFile> files = files_with(
      {rule("bcast", 64, "default"), rule("bcast", 65536, "scatter_ring_allgather"),
       rule("bcast", 1 << 20, "nodes+scatter_ring_allgather"), rule("allgather", 16384, "ring"),
       rule("allreduce", 65536, "recursive_doubling")});
  ASSERT_EQ(files.size(), 2U);
  const std::string two = "bcast 65536: 65536 65536.", halves = "bcast 1048576: 1048576 1048576.";
  EXPECT_THAT(calls({}, "bcast 65536 1048576"), AllOf(HasSubstr(two), HasSubstr(halves)));
  EXPECT_THAT(
      calls(files, "bcast 64 65536 1048576"),
      AllOf(HasSubstr("bcast 64: 64 64."), HasSubstr("bcast 65536: 32768 16384 16384 16384 16384."),
            HasSubstr("bcast 1048576: 524288 524288 1048576.")));
  EXPECT_THAT(calls({}, "allgather 16384"), HasSubstr("16384: 16384 32768."));
  EXPECT_THAT(calls(files, "allgather 16384"), HasSubstr("16384: 16384 16384 16384."));
  EXPECT_THAT(calls({}, "allreduce 65536"), HasSubstr("65536: 32768 32768 32768 65536."));
  EXPECT_THAT(calls(files, "allreduce 65536"), HasSubstr("65536: 65536 65536."));
}

// Under rules for all ways of an operation, each at a size of its own, rank 0 sends other messages
// at some size than by the library's own choice.
TEST_F(Mpich, TakesRulesOfEveryOperationAsTheMessagesOfARankShow) {
  const std::vector<std::string> known = tools::read_mpich_tables(library_file_).known;
  for (const stacks::MpichOperation& operation : stacks::mpich_operations()) {
    const std::string name(operation.name);
    std::vector<stacks::RuledCell> cells;
    std::string arguments = name;
    std::uint64_t size_bytes = 64;
    for (const std::string& way : stacks::mpich_ways(operation)) {
      if (!stacks::has_way(operation, way, known) || size_bytes > 1 << 20) continue;
      cells.push_back(rule(name, size_bytes, way));
      arguments += fmt::format(" {}", size_bytes);
      size_bytes *= 2;
    }
    std::istringstream own(calls({}, arguments)), ruled(calls(files_with(cells), arguments));
    int others = 0;
    for (const stacks::RuledCell& cell : cells) {
      std::string own_line, ruled_line;
      std::getline(own, own_line);
      std::getline(ruled, ruled_line);
      ASSERT_THAT(own_line, HasSubstr(fmt::format("{} {}:", name, cell.size_bytes)));
      ASSERT_THAT(ruled_line, HasSubstr(fmt::format("{} {}:", name, cell.size_bytes)));
      others += own_line != ruled_line ? 1 : 0;
    }
    EXPECT_GT(others, 0) << name;
  }
}

// Of the algorithms that 4.2 brought: rank 0 sends a chain whole segments, and exchanges with as
// many others at once as the radix says.
TEST_F(Mpich, TakesTheParametersOfAnAlgorithmAsTheMessagesOfARankShow) {
  if (older(tools::installed_version("mpich"), "4.2")) GTEST_SKIP() << "from MPICH 4.2 on";
  const auto under = [&](const std::string& operation, std::uint64_t size_bytes,
                         const std::string& way) {
    return calls(files_with({rule(operation, size_bytes, way)}),
                 fmt::format("{} {}", operation, size_bytes));
  };
  EXPECT_THAT(under("bcast", 131072, "pipelined_tree:chain:32K"),
              HasSubstr("bcast 131072: 32768 32768 32768 32768."));
  EXPECT_THAT(under("bcast", 131072, "pipelined_tree:chain:128K"),
              HasSubstr("bcast 131072: 131072."));
  EXPECT_THAT(under("allreduce", 1024, "recexch:k=2"), HasSubstr("allreduce 1024: 1024 1024."));
  EXPECT_THAT(under("allreduce", 1024, "recexch:k=4"),
              HasSubstr("allreduce 1024: 1024 1024 1024."));
}

TEST_F(Mpich, TakesRulesForTheShapeThatWasMeasuredOnly) {
  const std::string ring = "bcast 65536: 32768 16384 16384 16384 16384.";
  const std::string old = "bcast 65536: 65536 65536.";
  const std::map<int, std::string_view> launchers = {
      {4, kOnOneNode}, {2, kLauncher}, {1, kOnOneEach}};
  for (const int measured : {4, 2, 1}) {
    const std::vector<stacks::ExportedFile> files =
        files_with({rule("bcast", 65536, "scatter_ring_allgather", measured)});
    for (const auto& [ranks_per_node, launcher] : launchers) {
      EXPECT_THAT(calls(files, "bcast 65536", launcher),
                  HasSubstr(measured == ranks_per_node ? ring : old))
          << measured << " and " << ranks_per_node << " ranks on each node";
    }
  }
}

TEST_F(Mpich, SurvivesAllCollectivesUnderTablesWithRules) {
  std::vector<stacks::RuledCell> cells;
  const std::vector<std::string> known = tools::read_mpich_tables(library_file_).known;
  for (const stacks::MpichOperation& operation : stacks::mpich_operations()) {
    std::uint64_t size_bytes = 16;
    for (const std::string& way : stacks::mpich_ways(operation)) {
      if (!stacks::has_way(operation, way, known)) continue;
      cells.push_back(rule(std::string(operation.name), size_bytes, way));
      size_bytes *= 2;
    }
  }
  EXPECT_THAT(calls(files_with(cells), "every"), HasSubstr("every collective ran"));
}

TEST_F(Mpich, SurvivesAllCollectivesUnderTablesThatTryAllWays) {
  const stacks::MpichTables tables = tools::read_mpich_tables(library_file_);
  std::vector<sampler::CollectivesOrder> orders = sampler::collectives_orders("mpich", 1e9, 1);
  sampler::leave_out_impossible(tables.known, 4, 2, &orders);
  const std::vector<stacks::ExportedFile> files = sampler::write_trials(tables, orders, {4});
  EXPECT_THAT(calls(files, "every"), HasSubstr("every collective ran"));
}

TEST_F(Mpich, TablesEditedByHandAreCheckedWithTheLineOfWhatIsWrong) {
  const std::vector<stacks::ExportedFile> files = files_with({rule("bcast", 65536, "binomial")});
  for (const stacks::ExportedFile& file : files) {
    write(file.name, file.content);
    const Result checked = tune({"export", "mpich", "--check", path(file.name)});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
  }
  std::string broken = files.front().content;
  const std::string_view known = "MPIR_Bcast_intra_binomial";
  broken.replace(broken.find(known), known.size(), "MPIR_Bcast_intra_trinomial");
  write("broken.json", broken);
  const Result refused = tune({"export", "mpich", "--check", path("broken.json")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, ContainsRegex("broken.json: line [0-9]+: .*no such algorithm"));
}

TEST_F(Mpich, CollectivesAreSampledByAllWaysInTurns) {
  const Result sampled = sample({"--stack", "mpich", "--parts", "collectives", "--budget", "1s",
                                 "--launcher", std::string(kLauncher), "--db", path("a.db")});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.err, HasSubstr("5 collectives of 1.00 s each"));
  std::map<std::string, std::set<std::string>> algorithms;
  const profiledb::ProfileDb profile(path("a.db"), {});
  for (const Platform& platform : profile.platforms()) {
    for (const Campaign& campaign : profile.campaigns(platform.id)) {
      EXPECT_THAT(campaign.options.at("library_file"), HasSubstr("libmpi"));
      for (const SampleSet& set : profile.sample_sets(campaign.id)) {
        for (const Sample& each : set.samples) {
          algorithms[each.condition.operation].insert(each.condition.algorithm);
          EXPECT_EQ(each.condition.ranks_per_node, 2);
        }
      }
    }
  }
  const std::vector<std::string> known = tools::read_mpich_tables(library_file_).known;
  for (const stacks::MpichOperation& operation : stacks::mpich_operations()) {
    std::set<std::string> possible;
    for (const std::string& way : stacks::mpich_ways(operation)) {
      if (stacks::has_way(operation, way, known)) possible.insert(way);
    }
    EXPECT_EQ(algorithms[std::string(operation.name)], possible) << operation.name;
  }
  for (const std::string& file : files()) EXPECT_THAT(file, ::testing::Not(HasSubstr(".rules")));
}

// Messages about times would disturb ranks that are still at work. Warm-ups, whose durations are
// not known yet, are not followed by a rest.
class MpichThatRests : public Mpich {
 protected:
  void sample_with(std::vector<std::string> options, const std::string& launcher) const {
    options.insert(options.end(), {"--budget", "3s", "--db", path("a.db")});
    const std::string preloaded = fmt::format("{} -env LD_PRELOAD {} -env NMT_RESTS {}", launcher,
                                              NMT_RESTING, path("rests"));
    std::vector<std::string> command;
    if (std::ranges::find(options, "--stack") != options.end()) {
      options.insert(options.end(), {"--launcher", preloaded});
      command = sample_command(options);
    } else {
      std::string line = "exec " + preloaded;
      for (const std::string& word : sample_command(options)) line += " " + word;
      command = {"sh", "-c", line};
    }
    const Result result = Process(command, setting()).wait(200);
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 4)) << result.err;  // 4: not a quiet machine
    std::istringstream lines(read("rests"));
    int ranks = 0, rested_all = 0, of_all = 0;  // of all jobs: one may have time for little
    for (int rested = 0, of = 0; lines >> rested >> of; ++ranks) {
      rested_all += rested;
      of_all += of;
    }
    EXPECT_GE(ranks, 4);
    if (of_all == 0) GTEST_SKIP() << "too busy a machine to measure anything twice in 3 s";
    EXPECT_GT(10 * rested_all, of_all) << result.err;
  }
};

TEST_F(MpichThatRests, BeforeItsRanksExchangeTheTimesOfACollective) {
  sample_with({"--stack", "mpich", "--parts", "collectives"}, std::string(kLauncher));
}

TEST_F(MpichThatRests, BeforeItsRanksExchangeTheTimesOfAnAlltoall) {
  sample_with({"--parts", "alltoall", "--max-size", "64K"}, std::string(kOnOneNode));
}

}  // namespace
}  // namespace nmt::testing
