// SPDX-License-Identifier: BSD-3-Clause
//
// Which shapes of a job are known already, and which are sampled next.
#include "tools/sample/job_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/collective_sample.h"

namespace nmt::tools {
namespace {

using sampler::SubShape;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class KnownShapes : public ::testing::Test {
 protected:
  // A campaign of these operations on a shape; each has a time of the MPI's own.
  void store(const Platform& platform, const SubShape& shape,
             const std::vector<std::string>& operations, const std::string& mpi = "Some MPI v1",
             bool complete = true) {
    Campaign campaign{.id = Id::random(), .platform = platform.id};
    campaign.started_utc = "2026-01-01T00:00:00Z";
    db_.begin_campaign(campaign);
    Session session;
    session.id = Id::random();
    db_.begin_session(session, campaign.id);
    const Node node = db_.ensure_node({Id::random(), "here"}, platform.id);
    Path path{.id = Id::random(), .from_node = node.id, .to_node = node.id};
    path.from.driver = path.to.driver = "mpi";
    path.from.name = path.to.name = "world";
    std::vector<Sample> samples;
    for (const std::string& operation : operations) {
      Sample& sample = samples.emplace_back(Sample{.size_bytes = 4096});
      sample.condition.benchmark = choice_benchmark(operation);
      sample.condition.mpi = mpi;
      sample.condition.operation = operation;
      sample.condition.algorithm = "library";
      sample.condition.leaders = 1;
      sample.condition.nodes = shape.nodes;
      sample.condition.ranks_per_node = shape.ranks_per_node;
      sample.repetitions = {{.total_ns = 5000}, {.total_ns = 5100, .round = 1}};
    }
    db_.store_samples(session.id, db_.ensure_path(path).id, samples);
    campaign.complete = complete;
    db_.finish_campaign(campaign);
  }

  std::vector<SubShape> known(const std::vector<std::string>& operations) const {
    return known_shapes(db_, here_.id, "Some MPI v1", operations);
  }

  Platform platform_of(const std::string& cores) {
    return db_.ensure_platform(
        {.id = Id::random(), .name = "cluster of " + cores, .fingerprint = {{"cores", cores}}});
  }

  profiledb::ProfileDb db_ = profiledb::ProfileDb::in_memory();
  const Platform here_ = platform_of("8");
};

TEST_F(KnownShapes, AreThoseOfThisPlatformUnderThisMpiOnly) {
  store(here_, {2, 2}, {"bcast", "alltoall"});
  store(here_, {2, 4}, {"bcast", "alltoall"}, "Some MPI v2");
  store(here_, {4, 2}, {"bcast", "alltoall"}, "Some MPI v1", false);
  store(platform_of("64"), {4, 4}, {"bcast", "alltoall"});
  EXPECT_THAT(known({"bcast", "alltoall"}), ElementsAre(SubShape{2, 2}));
}

TEST_F(KnownShapes, HaveAllOperationsThatAreAsked) {
  store(here_, {2, 2}, {"bcast"});
  EXPECT_THAT(known({"bcast"}), ElementsAre(SubShape{2, 2}));
  EXPECT_THAT(known({"bcast", "reduce"}), IsEmpty());
  store(here_, {2, 2}, {"reduce"});  // by another campaign
  EXPECT_THAT(known({"bcast", "reduce"}), ElementsAre(SubShape{2, 2}));
}

TEST(ShapeQueue, SamplesKnownShapesLastOrNotAtAll) {
  const std::vector<SubShape> shapes = {{2, 2}, {2, 1}, {1, 2}};
  const std::vector<SubShape> known = {{2, 2}};
  SubShape shape;
  double budget_ns = 0;
  ShapeQueue again(shapes, known, false, 90e9);
  for (const SubShape& expected : {SubShape{2, 1}, SubShape{1, 2}, SubShape{2, 2}}) {
    ASSERT_TRUE(again.next(90e9, &shape, &budget_ns));
    EXPECT_EQ(shape, expected);
  }
  ShapeQueue rest(shapes, known, true, 90e9);
  EXPECT_THAT(rest.forecast(), HasSubstr("for 2x1, 1x2 (nodes x ranks per node); "
                                         "sampled before: 2x2"));
  ASSERT_TRUE(rest.next(90e9, &shape, &budget_ns));
  EXPECT_DOUBLE_EQ(budget_ns, 45e9);
  ASSERT_TRUE(rest.next(45e9, &shape, &budget_ns));
  EXPECT_FALSE(rest.next(45e9, &shape, &budget_ns));
}

}  // namespace
}  // namespace nmt::tools
