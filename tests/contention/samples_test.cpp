// SPDX-License-Identifier: BSD-3-Clause
#include "contention/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/method.h"
#include "tests/contention/planted.h"

namespace nmt {
namespace {

Sample sample_of(std::string_view what, std::int64_t ranks, std::uint64_t size_bytes,
                 double duration_ns) {
  Sample sample{.size_bytes = size_bytes};
  sample.condition.benchmark = what;
  sample.condition.mpi = "some MPI";
  if (what == benchmark::kCollective) {
    sample.condition.operation = kAlltoall;
    sample.condition.algorithm = "direct";
    sample.condition.ranks = ranks;
    sample.condition.ranks_per_node = 1;
  }
  sample.repetitions = {{.total_ns = static_cast<std::uint64_t>(duration_ns)}};
  return sample;
}

// Sessions whose whole machine is slower or faster, ping-pongs and alltoalls alike.
std::vector<SampleSet> drifting_sessions(const planted::Network& network) {
  std::vector<SampleSet> sets;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const planted::Measuring measuring;
  for (int i = 0; i < 12; ++i) {
    const double speed = std::exp(0.08 * normal(random));
    SampleSet& set = sets.emplace_back();
    set.session.id = Id::random();
    for (const std::uint64_t size_bytes : measuring.sizes_bytes) {
      set.samples.push_back(sample_of(benchmark::kMessage, 0, size_bytes,
                                      speed * network.message.at(double(size_bytes))));
      for (const std::int64_t ranks : measuring.ranks) {
        set.samples.push_back(sample_of(benchmark::kCollective, ranks, size_bytes,
                                        speed * network.duration_ns(ranks, size_bytes)));
      }
    }
  }
  return sets;
}

TEST(AlltoallSamples, OfDriftingSessionsAreMeasuredByTheirOwnMessages) {
  const planted::Network network;
  const std::vector<AlltoallTimes> all = alltoall_times(drifting_sessions(network));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].algorithm, "direct (some MPI)");
  EXPECT_EQ(all[0].times.size(), 12u * 12 * 3);
  const SignatureFit fit = fit_signature(all[0], {});
  EXPECT_NEAR(fit.signature.gamma, network.gamma, 1e-3 * network.gamma);
  EXPECT_LT(fit.uncertainty->sessions, 1e-3);
}

TEST(AlltoallSamples, OfEachAlgorithmAndRanksPerNodeAreKeptApart) {
  std::vector<SampleSet> sets = drifting_sessions({});
  for (Sample& sample : sets[0].samples) {
    if (sample.condition.benchmark == benchmark::kCollective) {
      sample.condition.algorithm = "library";
    }
  }
  for (Sample& sample : sets[1].samples) {
    if (sample.condition.benchmark == benchmark::kCollective) sample.condition.ranks_per_node = 2;
  }
  EXPECT_EQ(alltoall_times(sets).size(), 3u);
}

TEST(AlltoallSamples, HeldOutOrOfOtherBenchmarksAreNotTaken) {
  std::vector<SampleSet> sets = drifting_sessions({});
  sets.resize(1);
  for (Sample& sample : sets[0].samples) sample.held_out = true;
  EXPECT_TRUE(alltoall_times(sets).empty());
  for (Sample& sample : sets[0].samples) {
    sample.held_out = false;
    sample.condition.operation = "bcast";
  }
  EXPECT_TRUE(alltoall_times(sets).empty());
}

TEST(AlltoallSamples, KnowTheCoresOfTheirCampaign) {
  std::vector<SampleSet> sets = drifting_sessions({});
  for (SampleSet& set : sets) set.campaign.options[kCoresOption] = "2";
  EXPECT_EQ(alltoall_times(sets)[0].cores, 2);
}

}  // namespace
}  // namespace nmt
