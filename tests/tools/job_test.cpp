// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample in jobs of real MPIs, over the hosts of a cluster in the lab.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "profiledb/profiledb.h"
#include "tests/lab/lab.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;

class Job : public Sandbox, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
    const std::string launcher = GetParam() == "openmpi" ? "mpirun.openmpi" : "mpiexec.hydra";
    if (run({launcher, "--version"}).exit_code != 0) GTEST_SKIP() << launcher << " is missing";
    lab_.emplace(Cluster{.hosts = 4});
  }

  Result sample(std::vector<std::string> options, const std::vector<std::string>& more) const {
    std::vector<std::string> command = {NMAD_SAMPLE, "--db", path("a.db")};
    command.insert(command.end(), more.begin(), more.end());
    return run(lab_->job(GetParam(), std::move(options), command));
  }

  std::optional<Lab> lab_;
};

TEST_P(Job, MeasuresAlltoallsAndRankZeroKeepsThem) {
  const Result result = sample({}, {"--budget", "6s", "--ranks", "3,4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Sampled on h0"));
  const ProfileDb profile(path("a.db"), {});
  std::set<std::int64_t> ranks;
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
  EXPECT_GE(sizes_bytes.size(), 4u);
  EXPECT_EQ(messages, sizes_bytes.size());
}

TEST_P(Job, TakesNoLessThanTheWiresDo) {
  const Result result = sample({}, {"--budget", "6s", "--ranks", "4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const ProfileDb profile(path("a.db"), {});
  constexpr double kNsPerByte = 80;  // 100 Mbit/s
  for (const Platform& platform : profile.platforms()) {
    for (const SampleSet& set : profile.sample_sets_in_force(platform.id)) {
      for (const auto& sample : set.samples) {
        if (sample.condition.operation != "alltoall" || sample.size_bytes < 65536) continue;
        const double wire_ns = 3 * kNsPerByte * static_cast<double>(sample.size_bytes);
        for (const Repetition& each : sample.repetitions) {
          EXPECT_GE(each.each_ns(), 0.8 * wire_ns) << sample.size_bytes;  // the bucket's burst
        }
      }
    }
  }
}

TEST_P(Job, NumbersOfRanksThatCannotBeAreRefusedOnce) {
  const Result result = sample({}, {"--ranks", "7"});
  EXPECT_NE(result.exit_code, 0);
  const std::string message = "--ranks: 7 cannot be";
  const std::size_t first = result.err.find(message);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(message, first + 1), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Mpis, Job, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
