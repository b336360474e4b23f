// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nmt::sampler {
namespace {

// Operation, algorithm, bytes of a segment and of the message.
using Played = std::tuple<std::string, std::string, std::uint64_t, std::uint64_t>;

// Rank 0 of two, on a node each; the other one does nothing, at once.
const nmt_mpi_table& job_of_two() {
  static const nmt_mpi_table table = {
      .struct_bytes = sizeof(nmt_mpi_table),
      .abort = [](int) {},
      .library = [] { return "Some MPI v1"; },
      .rank = [] { return 0; },
      .size = [] { return 2; },
      .nodes = [](int* of_ranks) { of_ranks[0] = 0, of_ranks[1] = 1; },
      .barrier = [](int) {},
      .broadcast = [](void*, uint64_t) {},
      .least_and_most = [](int, double*, double*) {},
      .send = [](const void*, uint64_t, int) {},
      .receive = [](void*, uint64_t, int) {},
      .arrived = [](int) -> int64_t { return -1; },
  };
  return table;
}

// Counts how often each cell was measured; a cell that is measured as two would begin again.
class Cells : public Observer {
 public:
  void measured(const Rail&, std::span<const Sample> cells) override {
    for (const Sample& each : cells) {
      const Condition& c = each.condition;
      std::size_t& known =
          repetitions_[{c.operation, c.algorithm, c.segment_bytes, each.size_bytes}];
      EXPECT_GT(each.repetitions.size(), known)
          << c.operation << ' ' << c.algorithm << ' ' << c.segment_bytes << ' ' << each.size_bytes;
      known = each.repetitions.size();
    }
  }
  void progress(const Progress&) override {}
  bool interrupted() override { return false; }

 private:
  std::map<std::tuple<std::string, std::string, std::int64_t, std::uint64_t>, std::size_t>
      repetitions_;
};

void spin(std::chrono::nanoseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// What a campaign plays, in the order of the first time, if `chain` is the fastest of ours.
std::vector<Played> played_by_a_campaign() {
  std::vector<Played> order;
  std::set<Played> known;
  CollectivesOptions options{
      .budget_ns = 4e9,
      .size_bytes_max = 128 << 10,
      .run =
          [&](const CollectiveWay& way, std::uint64_t size_bytes, const std::byte*, std::byte*) {
            spin(std::chrono::microseconds(way.algorithm == "chain" ? 30 : 100));
            const Played now(way.operation, way.algorithm, way.segment_bytes, size_bytes);
            if (known.insert(now).second) order.push_back(now);
          },
      .operations = {"bcast", "gather"},
      .library_algorithms = {{"bcast", {"library:binomial", "library:chain"}},
                             {"gather", {"library:binomial"}}}};
  Cells cells;
  run_collectives(control::MpiJob(job_of_two()), "openmpi", options, &cells);
  return order;
}

TEST(CollectivesCampaign, TriesAllAlgorithmsBeforeOtherSegments) {
  const std::vector<Played> order = played_by_a_campaign();
  const auto place = [&](const Played& wanted) { return std::ranges::find(order, wanted); };
  const auto was_played = [&](const Played& wanted) { return place(wanted) != order.end(); };
  const std::uint64_t size_bytes = 64 << 10;
  const auto other_segment = place(Played("bcast", "chain", 8 << 10, size_bytes));
  ASSERT_NE(other_segment, order.end());
  for (const std::string algorithm : {"library", "chain", "binary", "binomial"}) {
    EXPECT_LT(place(Played("bcast", algorithm, 0, size_bytes)), other_segment) << algorithm;
    if (algorithm == "library") continue;
    EXPECT_LT(place(Played("bcast", algorithm, 32 << 10, size_bytes)), other_segment) << algorithm;
  }
  EXPECT_LT(place(Played("bcast", "inline", 0, 4 << 10)), other_segment);
  EXPECT_FALSE(was_played(Played("bcast", "inline", 0, size_bytes)));
  EXPECT_TRUE(was_played(Played("bcast", "chain", 16 << 10, size_bytes)));
  EXPECT_FALSE(was_played(Played("bcast", "binary", 8 << 10, size_bytes)));
  EXPECT_FALSE(was_played(Played("bcast", "binomial", 16 << 10, size_bytes)));
}

TEST(CollectivesCampaign, TriesTheOtherAlgorithmsOfTheMpiAtAllSizes) {
  const std::vector<Played> order = played_by_a_campaign();
  for (const std::uint64_t size_bytes : {8, 4 << 10, 64 << 10, 128 << 10}) {
    for (const auto& [operation, algorithm] :
         {std::pair{"bcast", "library:binomial"}, std::pair{"bcast", "library:chain"},
          std::pair{"gather", "library:binomial"}}) {
      EXPECT_NE(std::ranges::find(order, Played(operation, algorithm, 0, size_bytes)), order.end())
          << operation << ' ' << algorithm << ' ' << size_bytes;
    }
  }
}

// TCP takes a little more than 200 ms to notice that a packet was lost.
TEST(CollectivesCampaign, DropsNothingForOnePacketThatIsLostWhileItWarmsUp) {
  int runs = 0;
  CollectivesOptions options{
      .budget_ns = 50e6,  // so little that what is clearly slower is left out at once
      .size_bytes_max = 4 << 10,
      .run =
          [&](const CollectiveWay& way, std::uint64_t size_bytes, const std::byte*, std::byte*) {
            const bool is_it = way.algorithm == "binary" && size_bytes == 4 << 10;
            if (is_it) ++runs;
            spin(std::chrono::microseconds(is_it && runs == 1 ? 201'000 : 30));
          },
      .operations = {"bcast"}};
  Cells cells;
  run_collectives(control::MpiJob(job_of_two()), "openmpi", options, &cells);
  EXPECT_GT(runs, 1);
}

// Paper hierknem-collectives, table 1: the best segments that it names.
TEST(CollectiveSegments, IncludeThoseOfThePaper) {
  for (const auto& [operation, segments_bytes] :
       {std::pair{"bcast", std::vector<std::uint64_t>{8 << 10, 16 << 10, 32 << 10, 64 << 10}},
        std::pair{"reduce", std::vector<std::uint64_t>{64 << 10, 1 << 20}}}) {
    for (const std::uint64_t segment_bytes : segments_bytes) {
      EXPECT_EQ(std::ranges::count(segments_bytes_of(operation), segment_bytes), 1)
          << operation << ' ' << segment_bytes;
    }
  }
}

}  // namespace
}  // namespace nmt::sampler
