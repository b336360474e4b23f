// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/collective_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <sstream>

#include "core/collective_sample.h"

namespace nmt::tools::bench {
namespace {

constexpr int kWarmUps = 2;            // their first use makes connections
constexpr double kPatienceNs = 120e9;  // before a rank counts as hanging
constexpr std::size_t kSides = 2;      // ours and the library's

// Runs this rank's part.
class ComparisonRunner {
 public:
  ComparisonRunner(const control::MpiJob& job, const ComparisonSchedule& schedule,
                   const decltype(sampler::CollectivesOptions::run)& run_one)
      : job_(job), schedule_(schedule), run_one_(run_one) {
    std::vector<int> all(static_cast<std::size_t>(job.size()));
    std::iota(all.begin(), all.end(), 0);
    world_ = job.mpi().group(all.data(), job.size());
    std::uint64_t most_bytes = 0;
    for (const auto& [ours, size_bytes] : schedule.comparisons) {
      most_bytes = std::max(most_bytes, size_bytes * blocks_of(ours.operation, job.size()));
    }
    from_.resize(most_bytes);
    to_.resize(most_bytes);
  }

  // Returns this rank's time, in nanoseconds.
  double take_turn(std::size_t comparison, std::size_t side) {
    const CollectiveComparison& each = schedule_.comparisons[comparison];
    const sampler::CollectiveWay library{each.ours.operation, "library", 0};
    const control::HangAlarm alarm(kPatienceNs, job_.mpi().abort);
    job_.mpi().barrier(world_);
    const auto start = std::chrono::steady_clock::now();
    run_one_(side == 0 ? each.ours : library, each.size_bytes, from_.data(), to_.data());
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
  }

 private:
  const control::MpiJob& job_;
  const ComparisonSchedule& schedule_;
  const decltype(sampler::CollectivesOptions::run)& run_one_;
  int world_ = 0;
  std::vector<std::byte> from_, to_;
};

// The times of the slowest rank, on rank 0.
std::vector<double> slowest(const control::MpiJob& job, const std::vector<double>& own_ns) {
  const std::size_t count = own_ns.size();
  std::vector<double> all_ns(job.leads() ? count * static_cast<std::size_t>(job.size()) : 0);
  job.mpi().gather(own_ns.data(), all_ns.data(), count * sizeof(double));
  std::vector<double> most_ns(own_ns);
  for (std::size_t i = 0; i < all_ns.size(); ++i) {
    most_ns[i % count] = std::max(most_ns[i % count], all_ns[i]);
  }
  return most_ns;
}

}  // namespace

std::uint64_t blocks_of(std::string_view operation, int ranks) {
  return has_blocks(operation) ? static_cast<std::uint64_t>(ranks) : 1;
}

std::string to_text(const ComparisonSchedule& schedule) {
  std::string text = fmt::format("{} {}\n", schedule.rounds, schedule.seed);
  for (const auto& [ours, size_bytes] : schedule.comparisons) {
    text += fmt::format("{} {} {} {} {}\n", ours.operation, ours.algorithm, ours.segment_bytes,
                        ours.leaders, size_bytes);
  }
  return text;
}

ComparisonSchedule schedule_from(const std::string& text) {
  ComparisonSchedule schedule;
  std::istringstream words(text);
  words >> schedule.rounds >> schedule.seed;
  for (CollectiveComparison each; words >> each.ours.operation >> each.ours.algorithm >>
                                  each.ours.segment_bytes >> each.ours.leaders >>
                                  each.size_bytes;) {
    schedule.comparisons.push_back(each);
  }
  return schedule;
}

std::vector<ComparisonTimes> run_comparisons(
    const control::MpiJob& job, const ComparisonSchedule& schedule,
    const decltype(sampler::CollectivesOptions::run)& run_one) {
  ComparisonRunner runner(job, schedule, run_one);
  const std::size_t order_of_turns = kSides * schedule.comparisons.size();
  for (std::size_t turn = 0; turn < kWarmUps * order_of_turns; ++turn) {
    runner.take_turn(turn % order_of_turns / kSides, turn % kSides);
  }
  std::vector<std::size_t> order(order_of_turns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(schedule.seed);
  std::vector<double> own_ns(schedule.rounds * order_of_turns);
  for (std::uint32_t round = 0; round < schedule.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t turn : order) {
      own_ns[round * order_of_turns + turn] = runner.take_turn(turn / kSides, turn % kSides);
    }
  }
  const std::vector<double> all_ns = slowest(job, own_ns);
  std::vector<ComparisonTimes> times(schedule.comparisons.size());
  for (std::size_t i = 0; i < all_ns.size(); ++i) {
    ComparisonTimes& to = times[i % order_of_turns / kSides];
    (i % kSides == 0 ? to.ours_ns : to.library_ns).push_back(all_ns[i]);
  }
  return times;
}

}  // namespace nmt::tools::bench
