// SPDX-License-Identifier: BSD-3-Clause
#include "contention/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>

#include "core/collective_sample.h"
#include "tests/contention/planted.h"

namespace nmt::contention {
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
  EXPECT_LT(fit.signature.uncertainty->sessions, 1e-3);
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
  for (Sample& sample : sets[0].samples) {
    sample.condition.operation = kAlltoall;
    sample.condition.benchmark = benchmark::kExchange;
  }
  EXPECT_TRUE(alltoall_times(sets).empty());
}

TEST(AlltoallSamples, KnowTheCoresOfTheirCampaign) {
  std::vector<SampleSet> sets = drifting_sessions({});
  for (SampleSet& set : sets) set.campaign.options[kCoresOption] = "2";
  EXPECT_EQ(alltoall_times(sets)[0].cores, 2);
}

Sample connections_of(std::int64_t count, const char* variant, std::uint64_t size_bytes,
                      double gap_ns) {
  constexpr double kStartUpNs = 30e3;
  Sample sample = sample_of(benchmark::kConnections, count, size_bytes,
                            kStartUpNs + gap_ns * static_cast<double>(size_bytes));
  sample.condition.ranks = count;
  sample.condition.variant = variant;
  return sample;
}

TEST(AlltoallSamples, ManyConnectionsAtATimeGiveTheTwoStates) {
  std::vector<SampleSet> sets = drifting_sessions({});
  for (const auto& [count, mean_ns, slowest_ns] :
       {std::tuple(1, 8.5, 8.5), std::tuple(8, 20.0, 40.0), std::tuple(60, 46.75, 85.0)}) {
    for (const std::uint64_t size_bytes : {1000, 2000}) {
      sets.front().samples.push_back(connections_of(count, "mean", size_bytes, mean_ns));
      sets.front().samples.push_back(connections_of(count, "slowest", size_bytes, slowest_ns));
    }
  }
  const SignatureFit fit = fit_signature(alltoall_times(sets).front(), {});
  EXPECT_EQ(fit.connections.size(), 6u);
  ASSERT_TRUE(fit.two_states);
  EXPECT_DOUBLE_EQ(fit.two_states->free_gap_ns, 8.5);
  EXPECT_DOUBLE_EQ(fit.two_states->contended_gap_ns, 85);
  EXPECT_NEAR(fit.two_states->rho, 0.5, 1e-9);
}

TEST(AlltoallSamples, WithoutConnectionsThereAreNoTwoStates) {
  const std::vector<SampleSet> sets = drifting_sessions({});
  EXPECT_FALSE(fit_signature(alltoall_times(sets).front(), {}).two_states);
}

}  // namespace
}  // namespace nmt::contention
