// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample in jobs of real MPIs, over the hosts of a cluster in the lab.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "contention/contention.h"
#include "core/error.h"
#include "core/method.h"
#include "node/node.h"
#include "profiledb/profiledb.h"
#include "tests/tools/job_sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

TEST_P(Job, MeasuresAlltoallsAndRankZeroKeepsThemAndAloneTellsHowFarItIs) {
  const Result result = sample({}, {"--parts", "alltoall", "--budget", "5s", "--ranks", "3,4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("Sampled on h0 \\(.*\\), part alltoall"));
  const profiledb::ProfileDb profile(path("a.db"), {});
  std::set<std::int64_t> ranks, connections;
  std::set<std::string> algorithms;
  std::set<std::uint64_t> sizes_bytes;
  std::size_t messages = 0;
  for (const Platform& platform : profile.platforms()) {
    for (const SampleSet& set : profile.sample_sets_in_force(platform.id)) {
      EXPECT_EQ(set.path.from.full_name(), "mpi:" + GetParam());
      for (const auto& sample : set.samples) {
        EXPECT_FALSE(sample.repetitions.empty());
        if (sample.condition.benchmark == benchmark::kMessage) {
          ++messages;
          continue;
        }
        if (sample.condition.benchmark == benchmark::kConnections) {
          connections.insert(sample.condition.ranks);
          continue;
        }
        EXPECT_EQ(sample.condition.operation, "alltoall");
        EXPECT_EQ(sample.condition.ranks_per_node, 1);
        ranks.insert(sample.condition.ranks);
        algorithms.insert(sample.condition.algorithm);
        sizes_bytes.insert(sample.size_bytes);
      }
    }
  }
  EXPECT_EQ(ranks, (std::set<std::int64_t>{3, 4}));
  EXPECT_EQ(algorithms, (std::set<std::string>{"direct", "library"}));
  EXPECT_GE(sizes_bytes.size(), 8u);
  EXPECT_EQ(messages, sizes_bytes.size());
  EXPECT_EQ(connections, (std::set<std::int64_t>{1, 2, 4, 8}));

  // All hosts of the lab are on one switch, so there should be no groups; on a busy machine some
  // may seem to be.
  const Platform platform = profile.platforms().front();
  const std::string groups = profile.campaigns(platform.id).front().options.at("host_groups");
  const contention::NamedGroups kept = contention::named_groups_from(groups);
  EXPECT_THAT(result.err, HasSubstr("alltoall: " + contention::described(kept)));
  const Result more = run({NMAD_TUNE, "predict", "alltoall", "--algorithm", "direct", "-n", "8",
                           "-m", "4K", "--topology", "measured", "--db", path("a.db")});
  EXPECT_EQ(more.exit_code, 0) << more.err;
  if (groups == "none") {
    EXPECT_THAT(more.out, HasSubstr("uplinks beyond the nodes that were measured"));
  }

  // Four that told would tell each tenth four times.
  std::set<int> tenths;
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" left  mpi:") == std::string::npos) continue;
    EXPECT_TRUE(tenths.insert(std::stoi(line) / 10).second) << result.err;
  }
  EXPECT_FALSE(tenths.empty()) << result.err;

  const Result check = run({NMAD_TUNE, "check", "--db", path("a.db")});
  EXPECT_EQ(check.exit_code, 0) << "nothing changed: " << check.out << check.err;
}

TEST_P(Job, MeasuresAlltoallsOfTheSizesAsked) {
  const Result result =
      sample({}, {"--parts", "alltoall", "--budget", "3s", "--sizes", "300,2K,8K,32K"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Result shown = run({NMAD_TUNE, "contention", "--algorithm", "direct", "--delta-form",
                            "once", "--measured", "--csv", "--db", path("a.db")});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  for (const std::string row :
       {"\nalltoall,4,300,", "\nalltoall,4,2048,", "\nalltoall,4,8192,", "\nalltoall,4,32768,",
        "\nconnections,1,131072,", "\nconnections,8,262144,"}) {
    EXPECT_THAT(shown.out, HasSubstr(row));
  }
  const Result huge = sample({}, {"--parts", "alltoall", "--sizes", "2G"});
  EXPECT_EQ(huge.exit_code, 2) << huge.out;
  EXPECT_THAT(huge.err, HasSubstr("1 GiB"));
}

TEST_P(Job, MeasuresCollectivesForTheChoiceAmongThem) {
  const Result result =
      sample({}, {"--parts", "collectives", "--budget", "14s", "--max-size", "16K"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;  // 4: on a machine that is not quiet
  const Result shown = run({NMAD_TUNE, "collectives", "--db", path("a.db"), "--csv"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  for (const std::string operation :
       {"bcast", "reduce", "allreduce", "allgather", "alltoall", "alltoallv", "barrier", "gather",
        "scatter", "reduce_scatter_block", "reduce_scatter", "allgatherv"}) {
    EXPECT_THAT(shown.out, HasSubstr("\n" + operation + ",4,1,"));
  }
  const Result contention = run({NMAD_TUNE, "contention", "--db", path("a.db")});
  EXPECT_NE(contention.exit_code, 0) << "those alltoalls are for the choice only";
}

TEST_P(Job, MeasuresCollectivesOfTheOperationsAsked) {
  const Result result = sample({}, {"--parts", "collectives", "--budget", "4s", "--max-size", "4K",
                                    "--operations", "bcast,barrier"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;  // 4: on a machine that is not quiet
  const Result shown = run({NMAD_TUNE, "collectives", "--db", path("a.db"), "--csv"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("\nbcast,4,1,"), HasSubstr("\nbarrier,4,1,")));
  EXPECT_THAT(shown.out, Not(HasSubstr("\nreduce,")));
  const Result refused = sample({}, {"--parts", "collectives", "--operations", "bcat"});
  EXPECT_THAT(refused.err, HasSubstr("--operations: no bcat; did you mean 'bcast'?"));
}

class ManyShapes : public Job {
 protected:
  void bring_up() override { lab_.emplace(Cluster{.hosts = 2}); }

  Result sample_shapes(const std::vector<std::string>& more) const {
    std::vector<std::string> options = {"--parts", "collectives", "--max-size", "4K"};
    options.insert(options.end(), more.begin(), more.end());
    return sample({"--per-host", "2"}, options);
  }

  // By shape: whether its campaigns are complete.
  std::map<std::string, std::vector<bool>> campaigns() const {
    std::map<std::string, std::vector<bool>> by_shape;
    const profiledb::ProfileDb profile(path("a.db"), {});
    for (const Platform& platform : profile.platforms()) {
      for (const Campaign& campaign : profile.campaigns(platform.id)) {
        by_shape[campaign.options.at("shape")].push_back(campaign.complete);
      }
    }
    return by_shape;
  }
};

TEST_P(ManyShapes, OfOneCampaignAreSampledByThePartsOfTheJobThatHaveThem) {
  const Result result = sample_shapes({"--budget", "20s", "--shapes", "2x2,2x1,1x2"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;  // 4: on a machine that is not quiet
  EXPECT_THAT(result.err, HasSubstr("collectives: 20.0 s for 2x2, 2x1 (nodes x ranks per node); "
                                    "no time for 1x2"));
  EXPECT_THAT(result.err, HasSubstr("2x1, round"));
  EXPECT_THAT(result.err, HasSubstr("collectives: 1x2 not sampled, for lack of time"));
  const Result shown = run({NMAD_TUNE, "collectives", "--db", path("a.db"), "--csv"});
  for (const std::string operation : {"bcast", "reduce", "allreduce", "allgather"}) {
    EXPECT_THAT(shown.out, HasSubstr("\n" + operation + ",2,2,8,"));
    EXPECT_THAT(shown.out, HasSubstr("\n" + operation + ",2,1,8,"));
    EXPECT_THAT(shown.out, Not(HasSubstr("\n" + operation + ",1,2,8,")));
  }

  const Result resumed = sample_shapes({"--budget", "10s", "--shapes", "2x2,2x1,1x2", "--resume"});
  EXPECT_THAT(resumed.err, HasSubstr("for 1x2 (nodes x ranks per node); sampled before: 2x2, 2x1"));
  EXPECT_EQ(campaigns(), (std::map<std::string, std::vector<bool>>{
                             {"2x2", {true}}, {"2x1", {true}}, {"1x2", {true}}}));
}

// In the second of three shapes, which is sampled again from its start.
TEST_P(ManyShapes, OfACampaignThatIsInterruptedAreResumedWhereTheyAreMissing) {
  const auto options = [&](const std::string& budget) {
    return std::vector<std::string>{"--parts",  "collectives", "--max-size", "4K",
                                    "--budget", budget,        "--shapes",   "2x2,2x1,1x2"};
  };
  std::vector<std::string> command = options("30s");
  command.insert(command.begin(), {NMAD_SAMPLE, "--db", path("a.db")});
  Process job(lab_->job(GetParam(), {"--per-host", "2"}, command));
  std::set<std::string> whole, begun;
  for (int looks = 0; looks < 600 && (whole.empty() || begun.empty()); ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    try {
      for (const auto& [shape, complete] : campaigns()) {
        (complete.front() ? whole : begun).insert(shape);
        if (complete.front()) begun.erase(shape);
      }
    } catch (const Error&) {  // not there yet, or being written
    }
  }
  ASSERT_EQ(whole.size(), 1u);
  ASSERT_EQ(begun.size(), 1u);
  ASSERT_EQ(
      run({"sh", "-c",
           "for p in $(ip netns pids nmtlab-" + lab_->name() +
               "-h0); do case $(cat /proc/$p/comm) in nmad-sample) kill -INT $p;; esac; done"})
          .exit_code,
      0);
  const Result interrupted = job.wait(60);
  EXPECT_NE(interrupted.exit_code, 0);
  EXPECT_THAT(interrupted.err, HasSubstr("interrupted by Interrupt; what was measured is stored"));
  EXPECT_THAT(interrupted.err, HasSubstr("--resume samples the shapes that are missing"));
  std::map<std::string, std::vector<bool>> expected = {{*whole.begin(), {true}},
                                                       {*begun.begin(), {false}}};
  EXPECT_EQ(campaigns(), expected);

  std::vector<std::string> again = options("20s");
  again.push_back("--resume");
  const Result resumed = sample({"--per-host", "2"}, again);
  EXPECT_THAT(resumed.err, HasSubstr("sampled before: " + *whole.begin() + "\n"));
  for (const std::string shape : {"2x2", "2x1", "1x2"}) {
    std::vector<bool>& of_shape = expected[shape];  // the newest campaign first
    if (shape != *whole.begin()) of_shape.insert(of_shape.begin(), true);
  }
  EXPECT_EQ(campaigns(), expected) << resumed.err;
  const Result shown = run({NMAD_TUNE, "collectives", "--db", path("a.db"), "--csv"});
  for (const std::string shape : {"2,2", "2,1", "1,2"}) {
    EXPECT_THAT(shown.out, HasSubstr("\nbcast," + shape + ",8,"));
  }
}

// Ranks that are in no part sleep: in 10 s they need less than 1.5 s, MPI_Init included.
TEST_P(ManyShapes, LeaveTheOtherRanksAsleep) {
  const std::string timed = "\"$@\"; code=$?; times | tail -n 1 >" + path("times") +
                            ".$OMPI_COMM_WORLD_RANK$PMI_RANK; exit $code";
  const Result result =
      run(lab_->job(GetParam(), {"--per-host", "2"},
                    {"sh", "-c", timed, "sh", NMAD_SAMPLE, "--db", path("a.db"), "--parts",
                     "collectives", "--max-size", "4K", "--budget", "10s", "--shapes", "1x2"}));
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;
  for (const std::string rank : {"2", "3"}) {
    std::ifstream file(path("times." + rank));
    int of_user_min = -1, of_system_min = -1;
    double user_s = 0, system_s = 0;
    char letter = 0;
    file >> of_user_min >> letter >> user_s >> letter >> of_system_min >> letter >> system_s;
    EXPECT_EQ(of_user_min + of_system_min, 0) << rank;
    EXPECT_LT(user_s + system_s, 1.5) << rank;
  }
}

TEST_P(ManyShapes, ThatAreNotWithinTheJobAreRefusedOnce) {
  const Result result = sample_shapes({"--shapes", "3x1"});
  EXPECT_EQ(result.exit_code, static_cast<int>(Fault::kUsage));
  const std::string message = "--shapes: 3x1 is not within this job, whose largest shape is 2x2";
  const std::size_t first = result.err.find(message);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(message, first + 1), std::string::npos);
}

TEST_P(ManyShapes, OfUnequalNodesAreThoseOfTheEmptiest) {
  const Result result = sample({"--per-host", "2", "-n", "3"},
                               {"--parts", "collectives", "--max-size", "4K", "--budget", "5s"});
  EXPECT_THAT(result.err, HasSubstr("nodes have unequal numbers of ranks"));
  EXPECT_THAT(campaigns(), ElementsAre(Pair("2x1", ElementsAre(true)))) << result.err;
}

// The second host has another processor, for what reads it there.
TEST_P(ManyShapes, AreNotSampledOnNodesThatAreNotAlike) {
  std::ofstream(path("cpuinfo")) << "vendor_id : Other\nmodel name : Other\n";
  const std::string mount = "mount --bind " + path("cpuinfo") + " /proc/cpuinfo";
  if (run({"unshare", "--mount", "sh", "-c", mount}).exit_code != 0) {
    GTEST_SKIP() << "no mount namespaces";
  }
  const std::string command = std::string(NMAD_SAMPLE) + " --db " + path("a.db") +
                              " --parts collectives --max-size 4K --budget 2s";
  const Result result =
      run(lab_->job(GetParam(), {"--per-host", "1"},
                    {"sh", "-c",
                     "test ${OMPI_COMM_WORLD_RANK-$PMI_RANK} = 1 || exec " + command +
                         "; exec unshare --mount sh -c '" + mount + " && exec " + command + "'"}));
  EXPECT_THAT(result.err, HasSubstr("collectives: not sampled, because h1 differs from h0"));
  EXPECT_THAT(campaigns(), ::testing::IsEmpty());
}

// What breaks the guideline is planted into the profile of the first campaign. It is far worse than
// a busy machine can make the real ones.
TEST_P(Job, ACampaignOfCollectivesNamesTheWorstOfTheMpisOwn) {
  const auto sampled = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command = local_launcher();
    command.insert(command.end(), {NMAD_SAMPLE, "--db", path("a.db"), "--parts", "collectives",
                                   "--shapes", "own", "--budget", "2s", "--max-size", "4K"});
    command.insert(command.end(), more.begin(), more.end());
    return run(command);
  };
  const Result first = sampled({"--json"});
  EXPECT_NE(at(document(first), "broken_guidelines"), json::Value()) << first.err;
  {
    profiledb::ProfileDb db(path("a.db"), {.mode = profiledb::ProfileDb::Mode::kWrite});
    SampleSet set = db.sample_sets_in_force(db.platforms().front().id).front();
    set.campaign.id = Id::random();
    set.session.id = Id::random();
    std::vector<Sample> planted;
    for (const auto& [operation, ns] :
         {std::pair{"allreduce", 30e12}, {"reduce", 5e8}, {"bcast", 5e8}}) {
      Sample& sample = planted.emplace_back(set.samples.front());
      sample.condition.benchmark = benchmark::kCollective;  // the first may be an alltoall
      sample.condition.operation = operation;
      sample.condition.algorithm = "library";
      sample.condition.segment_bytes = 0;
      sample.condition.nodes = sample.condition.ranks_per_node = 64;
      sample.size_bytes = 4096;
      sample.repetitions.assign(6, {.total_ns = static_cast<std::uint64_t>(ns)});
    }
    db.begin_campaign(set.campaign);
    db.begin_session(set.session, set.campaign.id);
    db.store_samples(set.session.id, set.path.id, planted);
    db.finish_campaign(set.campaign);
  }
  const Result again = sampled({});
  EXPECT_THAT(again.out, HasSubstr("allreduce of 4 KiB on 64x64 takes 30000.0 times as long "
                                   "as reduce + bcast. nmad-tune check --guidelines lists all."))
      << again.err;
}

// Two ranks, bound to one core.
TEST_P(Job, WarnsWhereRanksOutnumberCores) {
  const auto sampled = [&](std::vector<std::string> command) {
    command.insert(command.end(), {NMAD_SAMPLE, "--db", path("a.db"), "--parts", "mpi", "--budget",
                                   "1s", "--max-size", "4K", "--json"});
    return run(lab_->job(GetParam(), {"-n", "2"}, command));
  };
  const std::vector<int> cores = node::allowed_cores();
  const Result crowded = sampled({"taskset", "--cpu-list", std::to_string(cores.front())});
  EXPECT_THAT(crowded.err,
              HasSubstr("warning: 2 ranks on 1 core: small messages measure the scheduler"));
  EXPECT_EQ(at(document(crowded), "cores"), json::Value(1)) << crowded.err;
  if (cores.size() < 2) GTEST_SKIP() << "two ranks outnumber the cores of this machine";
  const Result roomy = sampled({"env"});
  EXPECT_EQ(roomy.exit_code % 4, 0) << roomy.err;  // 4: on a machine that is not quiet
  EXPECT_THAT(roomy.err, Not(HasSubstr("small messages measure the scheduler")));
}

// One of four loses its life, or its wits, as suddenly as a node does.
class JobThatFails : public Job {
 protected:
  Result fail(const std::string& signal, double deadline_s) const {
    const std::vector<std::string> command = {NMAD_SAMPLE, "--db",     path("a.db"), "--parts",
                                              "alltoall",  "--budget", "60s"};
    Process job(lab_->job(GetParam(), {}, command));
    for (int looks = 0; looks < 200 && !has_samples(); ++looks) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    const std::string kill = "for p in $(ip netns pids nmtlab-" + lab_->name() +
                             "-h2); do case $(cat /proc/$p/comm) in nmad-sample) kill -" + signal +
                             " $p;; esac; done";
    EXPECT_EQ(run({"sh", "-c", kill}).exit_code, 0);
    return job.wait(deadline_s);
  }

  void expect_partial() const {
    const profiledb::ProfileDb profile(path("a.db"), {});
    ASSERT_EQ(profile.platforms().size(), 1u);
    const std::vector<Campaign> campaigns = profile.campaigns(profile.platforms().front().id);
    ASSERT_EQ(campaigns.size(), 1u);
    EXPECT_FALSE(campaigns.front().complete);
    EXPECT_FALSE(profile.sample_sets(campaigns.front().id).empty());
  }

 private:
  bool has_samples() const {
    try {
      const profiledb::ProfileDb profile(path("a.db"), {});
      for (const Platform& platform : profile.platforms()) {
        if (!profile.sample_sets_in_force(platform.id).empty()) return true;
      }
    } catch (const Error&) {  // not there yet
    }
    return false;
  }
};

TEST_P(JobThatFails, ARankThatDiesLeavesWhatWasGathered) {
  EXPECT_NE(fail("KILL", 30).exit_code, 0);
  expect_partial();
}

TEST_P(JobThatFails, ARankThatHangsEndsTheJobOnAllNodes) {
  const Result result = fail("STOP", 150);  // 20 s, and 100 times an exchange on few cores
  EXPECT_EQ(result.exit_code, static_cast<int>(Fault::kPeer)) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no longer answers"));
  expect_partial();
}

TEST_P(Job, NumbersOfRanksThatCannotBeAreRefusedOnce) {
  const Result result = sample({}, {"--ranks", "7"});
  EXPECT_NE(result.exit_code, 0);
  const std::string message = "--ranks: 7 is not possible";
  const std::size_t first = result.err.find(message);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(message, first + 1), std::string::npos);
}

class JobOnFastPorts : public Job {
 protected:
  void bring_up() override { lab_.emplace(Cluster{.rate = "1000mbit", .hosts = 4}); }
};

// Numbers of ranks and sizes that are not fixed are added where their times differ most.
TEST_P(JobOnFastPorts, AddsWhatIsKnownLeast) {
  const Result result = sample({}, {"--parts", "alltoall", "--budget", "40s"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const profiledb::ProfileDb profile(path("a.db"), {});
  std::map<std::int64_t, std::set<std::uint64_t>> sizes_of_ranks;
  for (const Platform& platform : profile.platforms()) {
    for (const SampleSet& set : profile.sample_sets_in_force(platform.id)) {
      for (const auto& sample : set.samples) {
        if (sample.condition.operation != "alltoall") continue;
        sizes_of_ranks[sample.condition.ranks].insert(sample.size_bytes);
      }
    }
  }
  ASSERT_TRUE(sizes_of_ranks.contains(2) && sizes_of_ranks.contains(4));
  EXPECT_TRUE(sizes_of_ranks.contains(3) || sizes_of_ranks.at(4).size() > 8)
      << result.out << result.err;
}

TEST_P(Job, IsQuietWhenAsked) {
  const Result quiet = sample({}, {"--parts", "alltoall", "--budget", "2s", "--quiet"});
  EXPECT_THAT(quiet.err, Not(HasSubstr(" left  mpi:")));
}

// What the ranks say to each other goes through the MPI; only rails under test open ports.
TEST_P(Job, OpensNoPortOfItsOwn) {
  const auto listening = [&](const std::string& part) {
    std::vector<std::string> command = local_launcher();
    command.insert(command.end(), {NMAD_SAMPLE, "--db", path(part + ".db"), "--parts", part,
                                   "--rails", "tcp", "--budget", "3s", "--max-size", "64K"});
    return run(command, {.environment = {{"LD_PRELOAD", NMT_LISTENS}}}).err;
  };
  EXPECT_THAT(listening("node"),
              HasSubstr("nmad-sample itself listens"));  // its rail; so it is heard
  EXPECT_THAT(listening("alltoall"), Not(HasSubstr("nmad-sample itself listens")));
}

TEST_P(Job, RanksOnOneNodeAreToldWhatTheyContendFor) {
  std::vector<std::string> command = local_launcher();
  command.insert(command.end(), {NMAD_SAMPLE, "--db", path("a.db"), "--parts", "alltoall",
                                 "--budget", "3s", "--max-size", "64K"});
  const Result result = run(command);
  EXPECT_THAT(result.out + result.err, HasSubstr("all ranks are on one node"));
}

TEST_P(Job, RanksOfTwoVersionsOfAnMpiAreRefusedWithBoth) {
  std::vector<std::string> command = local_launcher();
  command.insert(command.end(), {"env", "LD_PRELOAD=" NMT_OTHER_VERSION, NMAD_SAMPLE, "--db",
                                 path("a.db"), "--parts", "node", "--budget", "1s"});
  const Result result = run(command);
  if (GetParam() == "openmpi") {
    EXPECT_NE(result.exit_code, 0);  // mpiexec.hydra 4.2 loses some
  }
  const std::string name = GetParam() == "openmpi" ? "Open MPI v" : "MPICH Version: ";
  EXPECT_THAT(result.err,
              ContainsRegex("rank 0 runs " + name + "[0-9.]+, and rank 1 runs " + name + "9[.]"));
  EXPECT_FALSE(std::filesystem::exists(path("a.db")));
}

INSTANTIATE_TEST_SUITE_P(Mpis, ManyShapes, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Mpis, JobOnFastPorts, ::testing::Values("mpich"),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Mpis, JobThatFails, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Mpis, Job, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
