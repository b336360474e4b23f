// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/guidelines.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "core/collective_sample.h"

namespace nmt::tuner {
namespace {

// Times of an MPI's own collectives with 10 % noise.
class Library {
 public:
  Library& add(const std::string& operation, std::uint64_t size_bytes, double time_ns,
               std::int64_t nodes = 2, std::int64_t ranks_per_node = 2,
               const std::string& mpi = "Open MPI v4.1.4", int repetitions = 20) {
    Sample& sample = set_.samples.emplace_back(Sample{.size_bytes = size_bytes});
    sample.condition.benchmark = choice_benchmark(operation);
    sample.condition.mpi = mpi;
    sample.condition.operation = operation;
    sample.condition.algorithm = algorithm_;
    sample.condition.nodes = nodes;
    sample.condition.ranks_per_node = ranks_per_node;
    std::normal_distribution<double> noise(1, 0.1);
    for (int i = 0; i < repetitions; ++i) {
      sample.repetitions.push_back(
          {.total_ns = static_cast<std::uint64_t>(time_ns * noise(random_))});
    }
    return *this;
  }
  // From now on, times of this algorithm.
  Library& algorithm(const std::string& name) {
    algorithm_ = name;
    return *this;
  }
  GuidelineFindings findings() const { return check_guidelines(std::vector{set_}); }
  std::vector<BrokenGuideline> broken() const { return findings().broken; }

 private:
  SampleSet set_;
  std::string algorithm_ = "library";
  std::mt19937 random_{1};
};

TEST(Guidelines, AreKeptByALibraryThatGrowsAsItShould) {
  Library library;
  for (const std::uint64_t size_bytes : {4096, 65536}) {
    for (const std::int64_t nodes : {2, 4}) {
      const double time_ns = 1e4 * static_cast<double>(nodes) + static_cast<double>(size_bytes);
      library.add("bcast", size_bytes, time_ns, nodes).add("reduce", size_bytes, time_ns, nodes);
      library.add("allreduce", size_bytes, 1.5 * time_ns, nodes);
      library.add("allgather", size_bytes, 2 * time_ns, nodes);
    }
  }
  EXPECT_TRUE(library.broken().empty());
  EXPECT_EQ(library.findings().cells, 16u);
}

TEST(Guidelines, AreBrokenByAnAllreduceSlowerThanReduceAndBcast) {
  const auto broken = Library()
                          .add("reduce", 4096, 30e3)
                          .add("bcast", 4096, 20e3)
                          .add("allreduce", 4096, 90e3)
                          .broken();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].guideline, Guideline::kEmulation);
  EXPECT_EQ(broken[0].mpi, "Open MPI v4.1.4");
  EXPECT_EQ(broken[0].own.operations, "allreduce");
  EXPECT_EQ(broken[0].faster.operations, "reduce + bcast");
  EXPECT_EQ(broken[0].faster.size_bytes, 4096u);
  EXPECT_NEAR(broken[0].ratio(), 1.8, 0.2);
}

TEST(Guidelines, AreBrokenByAnAllgatherSlowerThanOthersOfAllRanksData) {
  const auto broken =
      Library().add("allgather", 4096, 90e3).add("allreduce", 4 * 4096, 50e3).broken();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].own.operations, "allgather");
  EXPECT_EQ(broken[0].faster.operations, "allreduce");
  EXPECT_EQ(broken[0].faster.size_bytes, 4u * 4096);
}

TEST(Guidelines, AreBrokenByAnAllgatherSlowerThanAGatherOfABlockAndABcastOfAll) {
  auto broken = Library()
                    .add("allgather", 4096, 90e3)
                    .add("gather", 4096, 30e3)
                    .add("bcast", 4 * 4096, 20e3)
                    .broken();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].faster.operations, "gather + bcast");
  EXPECT_EQ(broken[0].faster.size_bytes, 4u * 4096);
  EXPECT_NEAR(broken[0].faster.ns, 50e3, 5e3);

  // A Bcast of 16 KiB was not measured; one of 32 KiB stands for it.
  broken = Library()
               .add("allgather", 4096, 90e3)
               .add("gather", 4096, 30e3)
               .add("bcast", 4096, 5e3)
               .add("bcast", 8 * 4096, 25e3)
               .broken();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].faster.size_bytes, 8u * 4096);
  EXPECT_NEAR(broken[0].faster.ns, 55e3, 5e3);

  EXPECT_TRUE(Library()
                  .add("allgather", 4096, 90e3)
                  .add("gather", 4096, 30e3)
                  .add("bcast", 2 * 4096, 20e3)
                  .broken()
                  .empty());
}

// Its largest block has twice the mean.
TEST(Guidelines, AreBrokenByAnAllgathervSlowerThanAGatherOfLargestBlocksAndABcastOfAll) {
  const auto broken_with_gather_of = [](std::uint64_t size_bytes) {
    return Library()
        .add("allgatherv", 4096, 90e3)
        .add("gather", size_bytes, 30e3)
        .add("bcast", 4 * 4096, 20e3)
        .broken();
  };
  EXPECT_TRUE(broken_with_gather_of(4096).empty());
  const auto broken = broken_with_gather_of(2 * 4096);
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].own.operations, "allgatherv");
  EXPECT_EQ(broken[0].faster.operations, "gather + bcast");
}

TEST(Guidelines, CompareAnAllgatherWithNoLessThanAllRanksData) {
  EXPECT_TRUE(Library().add("allgather", 4096, 90e3).add("allreduce", 8192, 50e3).broken().empty());
}

TEST(Guidelines, AreBrokenByAnAllgatherSlowerThanAnAlltoallOfTheSameSize) {
  const auto broken = Library()
                          .add("allgather", 4096, 90e3)
                          .add("alltoall", 1024, 40e3)
                          .add("alltoall", 4096, 50e3)
                          .broken();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].faster.operations, "alltoall");
  EXPECT_EQ(broken[0].faster.size_bytes, 4096u);
}

TEST(Guidelines, AreBrokenByWhatIsSlowerThanAnOperationThatDoesMore) {
  for (const auto& [own, other, ranks] : {std::tuple{"gather", "allgather", 1u},
                                          {"scatter", "bcast", 4u},
                                          {"reduce_scatter", "allreduce", 4u},
                                          {"reduce_scatter_block", "allreduce", 4u}}) {
    const auto broken = Library().add(own, 4096, 90e3).add(other, ranks * 4096, 50e3).broken();
    ASSERT_EQ(broken.size(), 1u) << own;
    EXPECT_EQ(broken[0].faster.operations, other);
  }
  const auto broken = Library().add("barrier", 0, 90e3).add("allreduce", 8, 50e3).broken();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].own.operations, "barrier");
  EXPECT_EQ(broken[0].faster.size_bytes, 8u);
}

TEST(Guidelines, AreBrokenWhereALargerMessageIsFaster) {
  const auto broken = Library()
                          .add("bcast", 4096, 90e3)
                          .add("bcast", 8192, 70e3)
                          .add("bcast", 16384, 50e3)
                          .broken();
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_EQ(broken[0].guideline, Guideline::kSize);
  EXPECT_EQ(broken[0].own.size_bytes, 4096u);
  EXPECT_EQ(broken[0].faster.size_bytes, 16384u);
  EXPECT_EQ(broken[1].own.size_bytes, 8192u);
}

TEST(Guidelines, AreBrokenWhereAJobOfMoreRanksIsFaster) {
  const auto broken = Library()
                          .add("bcast", 4096, 90e3, 2, 2)
                          .add("bcast", 4096, 50e3, 4, 2)
                          .add("bcast", 4096, 40e3, 4, 1)  // not more on each
                          .broken();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].guideline, Guideline::kRanks);
  EXPECT_EQ(broken[0].faster.nodes, 4);
  EXPECT_EQ(broken[0].faster.ranks_per_node, 2);
}

TEST(Guidelines, AreNotBrokenByNoiseNorByFewTimes) {
  EXPECT_TRUE(Library().add("bcast", 4096, 51e3).add("bcast", 8192, 50e3).broken().empty());
  const GuidelineFindings few = Library()
                                    .add("bcast", 4096, 90e3, 2, 2, "Open MPI v4.1.4", 5)
                                    .add("bcast", 8192, 50e3)
                                    .findings();
  EXPECT_TRUE(few.broken.empty());
  EXPECT_EQ(few.cells, 1u);
}

TEST(Guidelines, CompareNeitherTwoMpisNorOurAlgorithms) {
  EXPECT_TRUE(Library()
                  .add("bcast", 4096, 90e3)
                  .add("bcast", 8192, 50e3, 2, 2, "MPICH 4.0.2")
                  .algorithm("chain")
                  .add("bcast", 16384, 40e3)
                  .broken()
                  .empty());
}

}  // namespace
}  // namespace nmt::tuner
