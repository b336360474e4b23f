// SPDX-License-Identifier: BSD-3-Clause
//
// What a campaign's control costs each rank, in virtual jobs of up to 4096 ranks that count
// messages and memory: clocks compared, orders of rank 0, results brought to it. Nothing may grow
// faster than the number of ranks, and what all ranks wait for only as its logarithm.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/clock.h"
#include "sampler/job/clock.h"
#include "sampler/job/executor.h"
#include "tests/control/growth.h"
#include "tests/control/virtual_job.h"

namespace nmt::sampler {
namespace {

using testing::ByRanks;
using testing::RankCost;

constexpr int kJobs[] = {8, 16, 32, 64, 128, 512, 1024, 4096};
constexpr int kPerNode = 8;
// Of a fit: vectors grow by doubling, and some things are sent N - 1 times.
constexpr double kErrorMax = 0.05;

std::vector<std::vector<int>> nodes_of(int ranks) {
  std::vector<std::vector<int>> nodes;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank % kPerNode == 0) nodes.emplace_back();
    nodes.back().push_back(rank);
  }
  return nodes;
}

// The most of any rank, by number of ranks.
struct Costs {
  ByRanks messages, memory_bytes;
  ByRanks messages_of_others;  // than rank 0
};
Costs costs_of(const std::function<void(const control::MpiJob& job)>& body) {
  Costs most;
  for (const int ranks : kJobs) {
    const std::vector<RankCost> costs = testing::run_virtual_job(ranks, body);
    for (std::size_t rank = 0; rank < costs.size(); ++rank) {
      const auto raise = [&](ByRanks& values, std::size_t value) {
        values[ranks] = std::max(values[ranks], static_cast<double>(value));
      };
      raise(most.messages, costs[rank].messages);
      raise(most.memory_bytes, costs[rank].memory_bytes_max);
      if (rank > 0) raise(most.messages_of_others, costs[rank].messages);
    }
  }
  return most;
}

void expect_logarithm(const char* what, const ByRanks& messages) {
  const testing::LogFit fit = testing::fit_log2(messages);
  std::printf("%s: %.1f + %.2f log2(N) messages of a rank, within %.1f %%; %.0f at N = 10,000\n",
              what, fit.constant, fit.slope, 100 * fit.error, fit.at(10'000));
  EXPECT_LE(fit.error, kErrorMax) << what;
}

void expect_linear_at_most(const char* what, const ByRanks& values) {
  const double exponent = testing::exponent_of(values);
  std::printf("%s: as N to the power of %.2f\n", what, exponent);
  EXPECT_LE(exponent, 1 + kErrorMax) << what;
}

TEST(JobCosts, OfClocksGrowAsALogarithmAndThenAllRanksShareOneTime) {
  constexpr std::uint64_t kTimeNs = 1'000'000'000;
  std::map<int, std::vector<std::vector<int>>> nodes;
  for (const int ranks : kJobs) nodes[ranks] = nodes_of(ranks);
  std::atomic<int> disagreeing = 0;
  const Costs costs = costs_of([&](const control::MpiJob& job) {
    VirtualClock own;  // messages take no time, and each rank's clock is ahead by another one
    own.advance_to(kTimeNs + 1000 * static_cast<std::uint64_t>(job.rank()));
    JobClock clock(job, nodes.at(job.size()), own);
    clock.synchronise();
    if (clock.now_ns() != static_cast<double>(kTimeNs)) ++disagreeing;
  });
  EXPECT_EQ(disagreeing, 0);
  expect_logarithm("clocks", costs.messages);
  expect_linear_at_most("memory for clocks", costs.memory_bytes);
}

// As rank 0 leads the part `mpi`: compare clocks, then messages to the last rank of the job.
TEST(JobCosts, OfMeasuredMessagesGrowAsALogarithm) {
  std::map<int, JobShape> shapes;
  for (const int ranks : kJobs) shapes[ranks] = {nodes_of(ranks), kPerNode};
  std::atomic<int> measured = 0;
  const Costs costs = costs_of([&](const control::MpiJob& job) {
    JobExecutor executor(job, shapes.at(job.size()));
    if (!job.leads()) return executor.follow();
    const auto run_on_all = [&](const Order& order) {
      job.mpi().broadcast(const_cast<Order*>(&order), sizeof order);
      return executor.run(order);
    };
    run_on_all({.operation = JobOperation::kClock});
    for (const std::uint64_t size_bytes : {1u, 1024u}) {
      measured += static_cast<int>(run_on_all({.operation = JobOperation::kMessage,
                                               .subject = job.size() - 1,
                                               .size_bytes = size_bytes,
                                               .repetitions = 5})
                                       .size());
    }
    run_on_all({});
  });
  EXPECT_EQ(measured, static_cast<int>(std::size(kJobs)) * 2 * 5);
  expect_logarithm("messages to one rank", costs.messages);
  expect_linear_at_most("memory for messages", costs.memory_bytes);
}

TEST(JobCosts, OfOrdersGrowAsALogarithm) {
  const Costs costs = costs_of([](const control::MpiJob& job) {
    std::string order;
    if (job.leads()) {
      for (int rank = 0; rank < job.size(); ++rank) order += " " + std::to_string(rank);
    }
    job.broadcast(order);
  });
  expect_logarithm("orders", costs.messages);
  expect_linear_at_most("memory for orders", costs.memory_bytes);
}

TEST(JobCosts, OfNamesGrowAsALogarithm) {
  const Costs costs = costs_of(
      [](const control::MpiJob& job) { job.to_all("node" + std::to_string(1000 + job.rank())); });
  expect_logarithm("names", costs.messages);
  expect_linear_at_most("memory for names", costs.memory_bytes);
}

// Rank 0 asks for one result after the other.
TEST(JobCosts, OfResultsAreTheSameForEachRankThatHasOne) {
  const std::string result(1 << 10, 'r');
  const Costs costs = costs_of([&](const control::MpiJob& job) {
    std::vector<int> all(static_cast<std::size_t>(job.size()));
    std::iota(all.begin(), all.end(), 0);
    job.collect(all, result, [](int, const std::string&) {});
  });
  for (const auto& [ranks, messages] : costs.messages_of_others) EXPECT_EQ(messages, 3) << ranks;
  expect_linear_at_most("results, messages of rank 0", costs.messages);
  expect_linear_at_most("memory for results", costs.memory_bytes);
}

}  // namespace
}  // namespace nmt::sampler
