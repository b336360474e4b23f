// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <sstream>

namespace nmt::bench {
namespace {

constexpr int kWarmUps = 2;            // connections are made by their first use
constexpr double kPatienceNs = 120e9;  // before a rank counts as hanging
constexpr std::size_t kSides = 2;      // ours, the library's

// What this rank takes part in.
class Arena {
 public:
  Arena(const control::MpiJob& job, const Schedule& schedule,
        const decltype(CollectivesOptions::play)& play_one)
      : job_(job), schedule_(schedule), play_one_(play_one) {
    std::vector<int> all(static_cast<std::size_t>(job.size()));
    std::iota(all.begin(), all.end(), 0);
    world_ = job.mpi().group(all.data(), job.size());
    std::uint64_t most_bytes = 0, most_gathered_bytes = 0;
    for (const Contest& contest : schedule.contests) {
      const bool gathers = contest.ours.operation == "allgather";
      most_bytes = std::max(most_bytes, contest.size_bytes);
      most_gathered_bytes = std::max(most_gathered_bytes,
                                     contest.size_bytes * (gathers ? all.size() : std::size_t{1}));
    }
    from_.resize(most_bytes);
    to_.resize(most_gathered_bytes);
  }

  // Of this rank, in nanoseconds.
  double take_turn(std::size_t contest, std::size_t side) {
    const Contest& each = schedule_.contests[contest];
    const CollectiveWay library{each.ours.operation, "library", 0};
    const control::HangAlarm alarm(kPatienceNs, job_.mpi().abort);
    job_.mpi().barrier(world_);
    const auto start = std::chrono::steady_clock::now();
    play_one_(side == 0 ? each.ours : library, each.size_bytes, from_.data(), to_.data());
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
  }

 private:
  const control::MpiJob& job_;
  const Schedule& schedule_;
  const decltype(CollectivesOptions::play)& play_one_;
  int world_ = 0;
  std::vector<std::byte> from_, to_;
};

// The slowest rank's, where this one leads.
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

std::string to_text(const Schedule& schedule) {
  std::string text = fmt::format("{} {}\n", schedule.rounds, schedule.seed);
  for (const auto& [ours, size_bytes] : schedule.contests) {
    text += fmt::format("{} {} {} {} {}\n", ours.operation, ours.algorithm, ours.segment_bytes,
                        ours.leaders, size_bytes);
  }
  return text;
}

Schedule schedule_from(const std::string& text) {
  Schedule schedule;
  std::istringstream words(text);
  words >> schedule.rounds >> schedule.seed;
  for (Contest each; words >> each.ours.operation >> each.ours.algorithm >>
                     each.ours.segment_bytes >> each.ours.leaders >> each.size_bytes;) {
    schedule.contests.push_back(each);
  }
  return schedule;
}

std::vector<ContestTimes> play(const control::MpiJob& job, const Schedule& schedule,
                               const decltype(CollectivesOptions::play)& play_one) {
  Arena arena(job, schedule, play_one);
  const std::size_t turns = kSides * schedule.contests.size();
  for (std::size_t turn = 0; turn < kWarmUps * turns; ++turn) {
    arena.take_turn(turn % turns / kSides, turn % kSides);
  }
  std::vector<std::size_t> order(turns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(schedule.seed);
  std::vector<double> own_ns(schedule.rounds * turns);
  for (std::uint32_t round = 0; round < schedule.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t turn : order) {
      own_ns[round * turns + turn] = arena.take_turn(turn / kSides, turn % kSides);
    }
  }
  const std::vector<double> all_ns = slowest(job, own_ns);
  std::vector<ContestTimes> times(schedule.contests.size());
  for (std::size_t i = 0; i < all_ns.size(); ++i) {
    ContestTimes& to = times[i % turns / kSides];
    (i % kSides == 0 ? to.ours_ns : to.library_ns).push_back(all_ns[i]);
  }
  return times;
}

}  // namespace nmt::bench
