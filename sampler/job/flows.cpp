// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/flows.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "sampler/job/rounds.h"

namespace nmt::sampler {
namespace {

constexpr std::size_t kNodesMin = 3;
constexpr std::uint64_t kFlowBytes = 1 << 20;  // so long that start-ups hardly count
constexpr std::size_t kAloneShifts = 3;        // of each node: some of its partners may be slow
constexpr int kPassesMax = 4;                  // each pair has eight flows then

// Rank 0's part.
class Flows {
 public:
  Flows(JobExecutor& executor, JobRounds& rounds, std::size_t nodes, const FlowOptions& options,
        Observer& observer)
      : executor_(executor),
        rounds_(rounds),
        observer_(observer),
        random_(options.seed),
        end_ns_(executor.now_ns() + options.budget_ns),
        order_(nodes) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  std::vector<FlowTime> measure() {
    rounds_.run_on_all({.operation = JobOperation::kClock});
    std::shuffle(order_.begin(), order_.end(), random_);
    // Connections are made by their first use, and buffers by theirs.
    for (std::size_t shift = 1; shift < order_.size() && more(); ++shift) {
      run(shifted(order_, shift), shift == 1 ? kFlowBytes : 1);
    }
    times_.clear();
    for (std::size_t shift = 1; shift <= kAloneShifts; ++shift) {
      const std::vector<std::int32_t> all = shifted(order_, shift);
      for (std::size_t node = 0; node < all.size() && more(); ++node) {
        std::vector<std::int32_t> one(all.size(), kNoFlow);
        one[node] = all[node];
        run(one, kFlowBytes);
      }
    }
    for (int pass = 0; pass < kPassesMax; ++pass) {
      std::shuffle(order_.begin(), order_.end(), random_);
      for (std::size_t shift = 1; shift < order_.size() && more(); ++shift) {
        run(shifted(order_, shift), kFlowBytes);
      }
    }
    return std::move(times_);
  }

 private:
  bool more() { return executor_.now_ns() < end_ns_ && !observer_.interrupted(); }

  void run(const std::vector<std::int32_t>& receivers, std::uint64_t size_bytes) {
    executor_.set_receivers(receivers);
    const std::vector<double> durations_ns =
        rounds_.run_on_all({.operation = JobOperation::kFlows, .size_bytes = size_bytes});
    for (std::size_t from = 0; from < receivers.size(); ++from) {
      if (receivers[from] == kNoFlow) continue;
      const auto to = static_cast<std::size_t>(receivers[from]);
      times_.push_back({round_, from, to, std::max(1.0, durations_ns[to])});
    }
    ++round_;
  }

  JobExecutor& executor_;
  JobRounds& rounds_;
  Observer& observer_;
  std::mt19937_64 random_;
  double end_ns_;
  std::vector<std::int32_t> order_;
  std::uint32_t round_ = 0;
  std::vector<FlowTime> times_;
};

}  // namespace

std::vector<std::int32_t> shifted(const std::vector<std::int32_t>& order, std::size_t shift) {
  std::vector<std::int32_t> receivers(order.size(), kNoFlow);
  for (std::size_t i = 0; i < order.size(); ++i) {
    receivers[static_cast<std::size_t>(order[i])] = order[(i + shift) % order.size()];
  }
  return receivers;
}

std::vector<FlowTime> run_flows(const control::MpiJob& job, const FlowOptions& options,
                                Observer* observer) {
  const JobShape shape = JobShape::of(job);
  if (shape.nodes.size() < kNodesMin) return {};
  JobExecutor executor(job, shape);
  if (!job.leads()) {
    executor.follow();
    return {};
  }
  const Rail none;
  JobRounds rounds(job, shape, executor, none, options.budget_ns, options.seed, *observer);
  try {
    std::vector<FlowTime> flows =
        Flows(executor, rounds, shape.nodes.size(), options, *observer).measure();
    rounds.run_on_all({.operation = JobOperation::kEnd});
    return flows;
  } catch (...) {
    rounds.run_on_all({.operation = JobOperation::kEnd});
    throw;
  }
}

}  // namespace nmt::sampler
