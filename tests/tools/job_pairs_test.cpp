// SPDX-License-Identifier: BSD-3-Clause
//
// Rails between the nodes of a job: by one rank of each node, and by several at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/method.h"
#include "profiledb/profiledb.h"
#include "tests/tools/job_sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::_;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::Pair;

class JobOfTwo : public Job {
 protected:
  void bring_up() override { lab_.emplace(std::vector<unsigned>{1000, 600}); }
};

TEST_P(JobOfTwo, SamplesBothRailsAndThePairAsThePeerModeDoes) {
  const Result result =
      sample({"-n", "2"}, {"--parts", "pairs,mpi", "--budget", "8s", "--max-size", "64K"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;  // 4: on a machine that is not quiet
  EXPECT_THAT(result.out, HasSubstr("Rails between nodes"));
  const profiledb::ProfileDb profile(path("a.db"), {});
  std::set<std::string> alone, together, methods;
  for (const Platform& platform : profile.platforms()) {
    for (const SampleSet& set : profile.sample_sets_in_force(platform.id)) {
      const std::string rail = set.path.from.full_name();
      for (const auto& sample : set.samples) {
        if (sample.condition.benchmark == benchmark::kMessage) {
          EXPECT_EQ(rail, "mpi:" + GetParam());
          methods.insert(sample.condition.method);
          continue;
        }
        if (rail == kCores) continue;
        EXPECT_NE(set.path.from_node, set.path.to_node);
        const std::string& busy = sample.condition.busy_rails;
        (busy.empty() ? alone : together).insert(busy.empty() ? rail : rail + " beside " + busy);
      }
    }
  }
  EXPECT_EQ(alone, (std::set<std::string>{"tcp:r0", "tcp:r1"}));
  EXPECT_EQ(together, (std::set<std::string>{"tcp:r0 beside tcp:r1", "tcp:r1 beside tcp:r0"}));
  EXPECT_TRUE(methods.contains("copy"));
}

class JobOfTwoAndTwo : public Job {
 protected:
  // So slow that the wire decides how long the largest messages take, not the processors.
  void bring_up() override { lab_.emplace(std::vector<unsigned>{100}); }

  Result sample_pairs(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--parts", "pairs", "--rails", "tcp", "--max-size", "64K"});
    return sample({"-n", "4", "--per-host", "2"}, more);
  }
  // By number of ranks per node: samples between the nodes, and repetitions of them.
  struct Measured {
    std::size_t samples = 0, repetitions = 0;
  };
  std::map<std::int64_t, Measured> measured() const {
    std::map<std::int64_t, Measured> by_ranks;
    const profiledb::ProfileDb profile(path("a.db"), {});
    for (const Platform& platform : profile.platforms()) {
      for (const SampleSet& set : profile.sample_sets_in_force(platform.id)) {
        if (set.path.from_node == set.path.to_node) continue;
        for (const Sample& sample : set.samples) {
          Measured& found = by_ranks[sample.condition.ranks_per_node];
          ++found.samples;
          found.repetitions += sample.repetitions.size();
        }
      }
    }
    return by_ranks;
  }
};

TEST_P(JobOfTwoAndTwo, MeasuresThePairByOneRankAndByBothAtATime) {
  const Result result = sample_pairs({"--budget", "24s"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;  // 4: on a machine that is not quiet
  EXPECT_THAT(result.err, HasSubstr("pairs, round 1 of 1, 2 ranks per NIC"));
  EXPECT_THAT(result.out, HasSubstr("Also measured with 2 ranks per NIC"));
  const std::map<std::int64_t, Measured> found = measured();
  ASSERT_THAT(found, ElementsAre(Pair(0, _), Pair(2, _))) << result.err;
  EXPECT_EQ(found.at(2).repetitions % 2, 0u) << "one of each rank";

  // Two ranks share the wire: the largest messages take each of them about twice as long.
  const auto duration_ns = [&](const std::string& ranks) {
    const Result predicted = run({NMAD_TUNE, "predict", "transfer", "--rail", "tcp:r0", "--size",
                                  "64K", "--db", path("a.db"), "--ranks-per-nic", ranks, "--json"});
    EXPECT_EQ(number(document(predicted), "predictions.0.ranks_per_nic"), std::stod(ranks));
    return number(document(predicted), "predictions.0.predicted_ns");
  };
  EXPECT_GT(duration_ns("2"), 1.3 * duration_ns("1"));
}

TEST_P(JobOfTwoAndTwo, MeasuresOnlyTheNumbersThatAreAskedFor) {
  const Result result = sample_pairs({"--budget", "4s", "--ranks-per-nic", "2"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;
  EXPECT_THAT(measured(), ElementsAre(Pair(2, _))) << result.err;
  const Result refused = sample_pairs({"--ranks-per-nic", "1,3"});
  EXPECT_EQ(refused.exit_code, static_cast<int>(Fault::kUsage));
  EXPECT_THAT(refused.err, HasSubstr("--ranks-per-nic: 3 is not possible"));
}

// Pairs of hosts of the profile, each with the number of launches that measured it.
using Pairs = std::map<std::pair<std::string, std::string>, std::size_t>;
Pairs pairs_in(const std::string& file) {
  const profiledb::ProfileDb profile(file, {});
  const std::map<Id, PathName> names = profile.path_names();
  std::map<Pairs::key_type, std::set<Id>> launches;
  for (const Platform& platform : profile.platforms()) {
    for (const Campaign& campaign : profile.campaigns(platform.id)) {
      for (const SampleSet& set : profile.sample_sets(campaign.id)) {
        if (set.path.from_node == set.path.to_node) continue;
        const PathName& name = names.at(set.path.id);
        launches[std::minmax(name.node, name.peer)].insert(set.session.id);
      }
    }
  }
  Pairs pairs;
  for (const auto& [ends, of_pair] : launches) pairs[ends] = of_pair.size();
  return pairs;
}

std::vector<Pairs::key_type> keys_of(const Pairs& pairs) {
  std::vector<Pairs::key_type> keys;
  for (const auto& [ends, launches] : pairs) keys.push_back(ends);
  return keys;
}

class JobOfFour : public Job {};

TEST_P(JobOfFour, MeasuresOnlyThePairsOfTheHostThatIsAskedFor) {
  const Result result = sample({}, {"--parts", "pairs", "--pairs-of", "h1", "--rails", "tcp",
                                    "--max-size", "64K", "--budget", "4s"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;  // 4: on a machine that is not quiet
  EXPECT_THAT(keys_of(pairs_in(path("a.db"))),
              ElementsAre(Pair("h0", "h1"), Pair("h1", "h2"), Pair("h1", "h3")))
      << result.err;
}

TEST_P(JobOfFour, RefusesPairsOfAHostThatIsNotOfTheJob) {
  const Result result = sample({}, {"--parts", "pairs", "--pairs-of", "h1,h22"});
  EXPECT_EQ(result.exit_code, static_cast<int>(Fault::kUsage));
  EXPECT_THAT(result.err, HasSubstr("--pairs-of: no node of this job is called 'h22'"));
  EXPECT_THAT(result.err, HasSubstr("did you mean 'h2'?"));
  EXPECT_FALSE(std::filesystem::exists(path("a.db"))) << "nothing is measured";
}

// A quarter of the rate of the others, which no noise is.
class JobWithASlowHost : public Job {
 protected:
  Result sample_pairs(unsigned hosts, std::vector<std::string> more) {
    lab_.emplace(Cluster{.hosts = hosts});
    lab_->rate("h0", 25);
    more.insert(more.begin(), {"--parts", "pairs", "--rails", "tcp", "--max-size", "64K"});
    return sample({}, more);
  }
  void bring_up() override {}
};

// Six hosts are too few to name one, and enough to suspect its pairs.
TEST_P(JobWithASlowHost, MeasuresWhatIsSuspectedByItself) {
  const Result result = sample_pairs(6, {"--budget", "18s"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;  // 4: on a machine that is not quiet
  EXPECT_THAT(result.err, HasSubstr("pairs, round what is suspected"));
  const Pairs pairs = pairs_in(path("a.db"));
  std::size_t again = 0;
  for (const auto& [ends, launches] : pairs) again += ends.first == "h0" ? launches - 1 : 0;
  EXPECT_EQ(pairs.size(), 15u);
  EXPECT_GE(again, 3u) << result.err;
}

// That one is suspected, but not all its pairs are asked for.
TEST_P(JobWithASlowHost, MeasuresNoOtherPairsThanThoseAskedFor) {
  const Result result = sample_pairs(5, {"--budget", "8s", "--pairs-of", "h1,h2"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;
  const std::vector<Pairs::key_type> pairs = keys_of(pairs_in(path("a.db"))),
                                     asked = {{"h0", "h1"}, {"h0", "h2"}, {"h1", "h2"},
                                              {"h1", "h3"}, {"h1", "h4"}, {"h2", "h3"},
                                              {"h2", "h4"}};
  EXPECT_THAT(pairs, IsSubsetOf(asked)) << result.err;
  // On busy cores a short round may end before it has measured anything.
  EXPECT_GE(pairs.size(), 3u) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Mpis, JobOfFour, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });
// By one MPI, as the pairs are chosen without it.
INSTANTIATE_TEST_SUITE_P(Mpis, JobWithASlowHost, ::testing::Values("mpich"),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Mpis, JobOfTwo, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Mpis, JobOfTwoAndTwo, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
