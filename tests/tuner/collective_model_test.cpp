// SPDX-License-Identifier: BSD-3-Clause
//
// The model against clusters whose durations are closed forms.
#include "tuner/collective_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/tuner/cluster_of_formulas.h"
#include "tuner/predicted_segments.h"

namespace nmt::tuner {
namespace {

struct Regrets {
  double mean = 0;
  double worst = 0;
  double worst_to_library = 0;
  int replaced = 0;
  int cells = 0;
};

// Of following predicted rules, and the library's own where there is none.
Regrets regrets_on(const Cluster& cluster, const std::vector<CollectiveShape>& shapes) {
  const std::vector<SegmentRule> rules = predict_segments(measured(cluster, kSampled));
  Cluster exact = cluster;
  exact.noise = 0;
  Regrets regrets;
  for (const CollectiveCell& cell : measured(exact, shapes)) {
    SegmentRule chosen{.algorithm = "library"};
    for (const SegmentRule& rule : rules) {
      if (rule.applies_to(cell.nodes, cell.ranks_per_node) && rule.covers(cell.size_bytes)) {
        chosen = rule;
      }
    }
    const double regret = duration_of(cell, chosen) / cell.times.front().median_ns - 1;
    regrets.mean += regret;
    regrets.worst = std::max(regrets.worst, regret);
    regrets.worst_to_library =
        std::max(regrets.worst_to_library,
                 duration_of(cell, chosen) / duration_of(cell, {.algorithm = "library"}) - 1);
    regrets.replaced += chosen.algorithm == "library" ? 0 : 1;
    ++regrets.cells;
  }
  regrets.mean /= regrets.cells;
  return regrets;
}

TEST(CollectiveModel, PredictsShapesThatWereNotSampled) {
  const Cluster cluster;
  const CollectiveModel model(measured(cluster, kSampled));
  for (const CollectiveShape& shape : {CollectiveShape{8, 4}, {4, 2}, {2, 2}, {16, 4}}) {
    const std::vector<CollectiveCell> predicted = model.predict(shape);
    ASSERT_EQ(predicted.size(), std::size(kSizes));
    for (const CollectiveCell& cell : predicted) {
      for (const CollectiveTime& time : cell.times) {
        const double ns = cluster.bcast_ns({time.algorithm, time.segment_bytes, 1},
                                           static_cast<double>(cell.size_bytes), shape);
        EXPECT_NEAR(std::log(time.median_ns / ns), 0, 0.05)
            << shape.nodes << " x " << shape.ranks_per_node << ", " << cell.size_bytes << " B, "
            << time.algorithm << " by " << time.segment_bytes;
      }
    }
  }
}

// A tree of all ranks takes ceil(log2 n) steps. Where only powers of two were sampled, the model
// takes log2 n, so that the MPI's own is predicted too fast rather than too slow.
TEST(CollectiveModel, TakesTheMpisOwnForFasterRatherThanSlowerBetweenSampledNodes) {
  const Cluster cluster;
  for (const CollectiveCell& cell : CollectiveModel(measured(cluster, kSampled)).predict({3, 4})) {
    for (const CollectiveTime& time : cell.times) {
      if (time.algorithm != "library") continue;
      const double ns =
          cluster.bcast_ns({"library", 0, 1}, static_cast<double>(cell.size_bytes), {3, 4});
      EXPECT_LT(time.median_ns, 1.02 * ns);
    }
  }
}

// What is said of the error must be true of shapes that nobody has seen: 95 of 100 gains lie
// within.
TEST(CollectiveModel, ItsErrorsCoverWhatItIsWrongBy) {
  int within = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Cluster cluster;
    cluster.noise = 0.03;
    cluster.seed = seed;
    const CollectiveModel model(measured(cluster, kSampled));
    for (const CollectiveShape& shape : {CollectiveShape{2, 2}, {4, 2}, {8, 4}, {16, 2}, {16, 8}}) {
      for (const CollectiveCell& cell : model.predict(shape)) {
        const CollectiveTime* library = nullptr;
        const CollectiveTime* ours = nullptr;
        for (const CollectiveTime& time : cell.times) {
          const CollectiveTime*& known = time.algorithm == "library" ? library : ours;
          if (known == nullptr) known = &time;
        }
        const auto exact = [&](const CollectiveTime& time) {
          return cluster.bcast_ns({time.algorithm, time.segment_bytes, 1},
                                  static_cast<double>(cell.size_bytes), shape);
        };
        const double gain = std::log(library->median_ns / ours->median_ns);
        const double true_gain = std::log(exact(*library) / exact(*ours));
        within += std::abs(gain - true_gain) <= *cell.gain_error ? 1 : 0;
        ++all;
      }
    }
  }
  EXPECT_GE(within, all * 95 / 100) << all;
}

TEST(CollectiveModel, ItsErrorGrowsWithTheDistanceUntilNothingIsReplaced) {
  Cluster cluster;
  cluster.noise = 0.03;
  const CollectiveModel model(measured(cluster, kSampled));
  double before = 0;
  for (const std::int64_t nodes : {4, 16, 64, 256, 1024}) {
    const std::vector<CollectiveCell> cells = model.predict({nodes, 2});
    ASSERT_FALSE(cells.empty());
    EXPECT_GT(*cells.front().gain_error, before);
    before = *cells.front().gain_error;
  }
  for (const SegmentRule& rule : derive_segments(model.predict({1 << 20, 2}))) {
    EXPECT_EQ(rule.algorithm, "library");
  }
}

// A library that scatters and gathers hardly slows down with the nodes, which no sum of the model's
// costs follows: its error must say so, so that following it costs nothing against the library.
TEST(CollectiveModel, IsNotFollowedWhereItsFormIsWrong) {
  Cluster cluster;
  cluster.scatters = true;
  const Regrets regrets = regrets_on(cluster, {{16, 4}, {32, 2}, {32, 8}, {64, 1}});
  EXPECT_LT(regrets.worst_to_library, 0.02);
  // The interval of the library's own time says so too; ours has the right form.
  const CollectiveCell largest =
      CollectiveModel(measured(cluster, kSampled)).predict({16, 4}).back();
  const CollectiveTime* library = nullptr;
  const CollectiveTime* ours = nullptr;
  for (const CollectiveTime& time : largest.times) {
    (time.algorithm == "library" ? library : ours) = &time;
  }
  ASSERT_TRUE(library != nullptr && ours != nullptr);
  EXPECT_GT(library->above, ours->above);
  EXPECT_GT(library->below, ours->below);
}

TEST(CollectiveModel, SaysNothingWithoutShapesToTell) {
  const Cluster cluster;
  const auto predicted = [&](const std::vector<CollectiveShape>& sampled,
                             const CollectiveShape& shape) {
    return CollectiveModel(measured(cluster, sampled)).predict(shape);
  };
  EXPECT_TRUE(predicted({{2, 4}, {4, 4}}, {3, 4}).empty());          // two shapes
  EXPECT_TRUE(predicted({{2, 4}, {4, 4}, {8, 4}}, {4, 2}).empty());  // ranks never differed
  EXPECT_FALSE(predicted({{2, 4}, {4, 4}, {8, 4}}, {16, 4}).empty());
  EXPECT_TRUE(predicted(kSampled, {1, 4}).empty());  // one node is another matter
  EXPECT_FALSE(predicted({{1, 2}, {1, 4}, {1, 8}}, {1, 16}).empty());
}

TEST(CollectiveModel, ItsRulesLoseLittleToTheBestThatCouldBeMeasured) {
  for (const double noise : {0.0, 0.03}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Cluster cluster;
      cluster.noise = noise;
      cluster.seed = seed;
      const Regrets regrets = regrets_on(cluster, {{2, 2}, {3, 4}, {6, 2}, {8, 4}, {5, 3}});
      EXPECT_LT(regrets.mean, 0.05) << noise << ", " << seed;
      EXPECT_LT(regrets.worst_to_library, 0.02) << noise << ", " << seed;
      EXPECT_GT(regrets.replaced, regrets.cells / 3);
    }
  }
}

// Each operation by closed forms of its own, on shapes between and beyond the sampled ones.
TEST(CollectiveModel, PredictsReductionsAndGathersToo) {
  const Cluster cluster;
  const auto allreduce_ns = [&](const CollectiveChoice& choice, double bytes,
                                const CollectiveShape& shape) {
    const double n = static_cast<double>(shape.nodes), p = double(shape.ranks_per_node);
    if (choice.algorithm == "ring") {
      return 2 * (n - 1) * (cluster.alpha_ns + cluster.beta_ns * bytes / n) +
             cluster.node_ns(bytes, p);
    }
    if (choice.algorithm == "recursive_doubling") {
      return std::log2(n) * (cluster.alpha_ns + cluster.beta_ns * bytes) +
             cluster.node_ns(bytes, p);
    }
    return 2 * std::log2(n) * (cluster.alpha_ns + cluster.beta_ns * bytes) +
           std::log2(p) * (cluster.handover_ns + 2 * cluster.copy_ns * bytes);
  };
  const auto allgather_ns = [&](const CollectiveChoice& choice, double bytes,
                                const CollectiveShape& shape) {
    const double n = static_cast<double>(shape.nodes), p = double(shape.ranks_per_node);
    const double copies_ns = cluster.shared_copy_ns * n * p * bytes;
    if (choice.algorithm == "leaders") {
      return (n - 1) * (cluster.alpha_ns + cluster.beta_ns * bytes * p) + copies_ns;
    }
    return (n * p - 1) * (cluster.alpha_ns + 1.5 * cluster.beta_ns * bytes) + copies_ns;
  };
  const std::uint64_t whole[] = {0};
  const auto expect_near = [&](const std::string& operation,
                               const std::vector<std::string>& algorithms,
                               const Duration& duration_ns) {
    const CollectiveModel model(cells_of(operation, algorithms, whole, kSampled, duration_ns));
    for (const CollectiveShape& shape : {CollectiveShape{8, 4}, {4, 2}, {2, 2}, {16, 4}}) {
      const std::vector<CollectiveCell> predicted = model.predict(shape);
      ASSERT_EQ(predicted.size(), std::size(kSizes)) << operation;
      for (const CollectiveCell& cell : predicted) {
        EXPECT_EQ(cell.times.size(), algorithms.size());
        for (const CollectiveTime& time : cell.times) {
          const double ns =
              duration_ns({time.algorithm, 0, 1}, static_cast<double>(cell.size_bytes), shape);
          EXPECT_NEAR(std::log(time.median_ns / ns), 0, 0.05)
              << operation << " by " << time.algorithm << ", " << shape.nodes << " x "
              << shape.ranks_per_node << ", " << cell.size_bytes << " B";
        }
      }
    }
  };
  expect_near("allreduce", {"library", "ring", "recursive_doubling"}, allreduce_ns);
  expect_near("allgather", {"library", "leaders"}, allgather_ns);
}

// An algorithm for two ranks is fast on the only shape that has two, which says nothing of others.
TEST(CollectiveModel, SaysNothingOfAnAlgorithmThatFewShapesHave) {
  const Cluster cluster;
  std::vector<CollectiveCell> cells = measured(cluster, kSampled);
  const auto add_to = [&](const std::vector<CollectiveShape>& shapes) {
    for (CollectiveCell& cell : cells) {
      const CollectiveShape shape{cell.nodes, cell.ranks_per_node};
      if (std::ranges::find(shapes, shape) == shapes.end()) continue;
      cell.times.insert(cell.times.begin(), {.algorithm = "library:two_proc",
                                             .leaders = 1,
                                             .median_ns = cell.times.front().median_ns / 10});
    }
  };
  const auto is_predicted = [&](const CollectiveShape& shape) {
    for (const CollectiveCell& cell : CollectiveModel(cells).predict(shape)) {
      for (const CollectiveTime& time : cell.times) {
        if (time.algorithm == "library:two_proc") return true;
      }
    }
    return false;
  };
  add_to({{2, 1}});
  EXPECT_FALSE(is_predicted({8, 4}));
  EXPECT_FALSE(is_predicted({3, 1}));
  for (const SegmentRule& rule : predict_segments(cells)) {
    EXPECT_NE(rule.algorithm, "library:two_proc");
  }
  add_to({{4, 1}});
  EXPECT_FALSE(is_predicted({3, 1}));
  add_to({{8, 2}});
  EXPECT_TRUE(is_predicted({3, 1}));
}

// Large blocks were sampled on three shapes of up to 4 ranks only, small ones on all.
TEST(CollectiveModel, ASizeIsAsFarAsTheShapesOnWhichItWasSampled) {
  std::vector<CollectiveCell> cells = measured(Cluster(), {{2, 1}, {4, 1}, {2, 2}, {8, 4}, {4, 8}});
  std::erase_if(cells, [](const CollectiveCell& cell) {
    return cell.size_bytes > 64 << 10 && cell.nodes * cell.ranks_per_node > 4;
  });
  std::map<std::uint64_t, double> error;
  for (const CollectiveCell& cell : CollectiveModel(cells).predict({8, 8})) {
    error[cell.size_bytes] = *cell.gain_error;
  }
  ASSERT_TRUE(error.contains(16 << 10));
  ASSERT_TRUE(error.contains(4 << 20));
  EXPECT_GT(error[4 << 20], 2 * error[16 << 10]);
}

// Of a node with fewer ranks than leaders, fewer lead.
TEST(CollectiveModel, PredictsNoMoreLeadersThanThereAreRanks) {
  std::vector<CollectiveCell> cells = measured(Cluster(), {{2, 2}, {2, 4}, {4, 2}, {4, 4}, {8, 2}});
  for (CollectiveCell& cell : cells) {
    cell.times.insert(
        cell.times.begin(),
        {.algorithm = "chain", .leaders = 2, .median_ns = cell.times.front().median_ns / 2});
  }
  const auto has_two = [&](const CollectiveShape& shape) {
    for (const CollectiveCell& cell : CollectiveModel(cells).predict(shape)) {
      for (const CollectiveTime& time : cell.times) {
        if (time.leaders == 2) return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(has_two({8, 4}));
  EXPECT_TRUE(has_two({6, 2}));
  EXPECT_FALSE(has_two({6, 1}));
}

TEST(CollectiveModel, EachWayHasAnErrorOfItsOwn) {
  Cluster cluster;
  cluster.noise = 0.05;
  std::vector<CollectiveCell> cells = measured(cluster, kSampled);
  for (CollectiveCell& cell : cells) {  // sampled on fewer nodes
    if (cell.nodes < 8) continue;
    std::erase_if(cell.times, [](const CollectiveTime& time) { return time.algorithm == "chain"; });
  }
  int compared = 0;
  for (const CollectiveCell& cell : CollectiveModel(cells).predict({16, 4})) {
    double of_chain = 0, of_binomial = 0;
    for (const CollectiveTime& time : cell.times) {
      if (!time.gain_error || !std::isfinite(*time.gain_error)) continue;
      double& of_it = time.algorithm == "chain" ? of_chain : of_binomial;
      if (of_it == 0 || *time.gain_error < of_it) of_it = *time.gain_error;
    }
    if (of_chain == 0 || of_binomial == 0) continue;
    EXPECT_GT(of_chain, of_binomial) << cell.size_bytes;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST(CollectiveModel, PredictsABarrierWhichHasNoSize) {
  std::vector<CollectiveCell> cells;
  for (const CollectiveShape& shape : {CollectiveShape{2, 4}, {4, 1}, {4, 4}, {8, 2}}) {
    const double ns =
        20e3 * std::log2(shape.nodes) + 3e3 * static_cast<double>(shape.ranks_per_node);
    cells.push_back({.mpi = "",
                     .operation = "barrier",
                     .nodes = shape.nodes,
                     .ranks_per_node = shape.ranks_per_node,
                     .size_bytes = 0,
                     .times = {{.algorithm = "dissemination", .median_ns = ns},
                               {.algorithm = "library", .median_ns = 2 * ns}}});
  }
  const std::vector<CollectiveCell> predicted = CollectiveModel(cells).predict({8, 4});
  ASSERT_EQ(predicted.size(), 1u);
  ASSERT_TRUE(predicted[0].gain_error);
  EXPECT_TRUE(std::isfinite(*predicted[0].gain_error));
  EXPECT_EQ(predicted[0].times.front().algorithm, "dissemination");
  EXPECT_NEAR(predicted[0].times.front().median_ns, 72e3, 1e3);
}

}  // namespace
}  // namespace nmt::tuner
