// SPDX-License-Identifier: BSD-3-Clause
#include "contention/measured_switches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "contention/contention.h"
#include "core/error.h"
#include "tests/contention/planted.h"

namespace nmt::contention {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Alltoalls of 3 and 4 ranks, in one session on each of these lists of hosts.
AlltoallTimes measured_on(const std::vector<std::string>& jobs, const std::string& groups) {
  AlltoallTimes measured = planted::measure({},
                                            {.ranks = {3, 4},
                                             .sessions = static_cast<std::uint32_t>(jobs.size()),
                                             .repetitions = 1,
                                             .noise = planted::kQuiet},
                                            1);
  measured.groups = named_groups_from(groups);
  for (std::uint32_t session = 0; session < jobs.size(); ++session) {
    if (!jobs[session].empty()) measured.hosts[session] = expand_hosts(jobs[session]);
  }
  return measured;
}

constexpr char kTwoGroups[] = "a1,a2,a3,a4;b1,b2,b3,b4 uplink=1,1,1";

TEST(MeasuredSwitches, LeaveOutSessionsOnOtherNodesAndSayHowMany) {
  const AlltoallTimes all = measured_on({"a[1-4]", "c[1-4]", "b[1-4]"}, kTwoGroups);
  const AlltoallTimes used = with_measured_switches(all);
  EXPECT_EQ(used.times.size(), all.times.size() / 3 * 2);
  for (const AlltoallTime& time : used.times) EXPECT_NE(time.session, 1u);
  EXPECT_THAT(fit_signature(used, {}).remarks,
              Contains(HasSubstr("alltoalls of 1 of 3 sessions were left out")));
  EXPECT_THAT(with_measured_switches(measured_on({"a[1-4]", "b[1-4]"}, kTwoGroups)).remarks,
              SizeIs(0));
}

TEST(MeasuredSwitches, ThatNoSessionWasOnAreRefused) {
  try {
    with_measured_switches(measured_on({"c[1-4]"}, kTwoGroups));
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("all alltoalls were left out"));
  }
}

void expect_refused_beyond_the_nodes(const AlltoallPrediction& prediction) {
  EXPECT_EQ(prediction.verdict, Verdict::kRefused);
  EXPECT_THAT(prediction.reason, HasSubstr("uplinks beyond the nodes that were measured"));
}

// As below one leaf: nothing that was measured crossed an uplink.
TEST(MeasuredSwitches, WithoutAnyGroupSayNothingOfMoreNodes) {
  const SignatureFit fit =
      fit_signature(with_measured_switches(measured_on({"a[1-4]"}, "none")), {});
  EXPECT_THAT(fit.remarks, Contains(HasSubstr("no groups of nodes were found")));
  EXPECT_NE(predict_alltoall(fit, 4, 65536).verdict, Verdict::kRefused);
  expect_refused_beyond_the_nodes(predict_alltoall(fit, 5, 65536));
  const ExchangeSizes sizes(5, std::vector<std::uint64_t>(5, 65536));
  expect_refused_beyond_the_nodes(predict_alltoallv(fit, sizes));
}

TEST(MeasuredSwitches, OfJobsWithoutAnyGroupAreThoseOfJobsThatShareNodes) {
  const AlltoallTimes used =
      with_measured_switches(measured_on({"a[1-4]", "a[3-6]", "b[1-4]"}, "none"));
  ASSERT_THAT(used.topology->switches(), SizeIs(2));
  EXPECT_THAT(used.topology->switches()[0].nodes, ElementsAre("a1", "a2", "a3", "a4", "a5", "a6"));
  const SignatureFit fit = fit_signature(used, {});
  EXPECT_NE(predict_alltoall(fit, 6, 65536).verdict, Verdict::kRefused);
  expect_refused_beyond_the_nodes(predict_alltoall(fit, 7, 65536));
}

TEST(MeasuredSwitches, OfNodesWithoutNamesAreAsManyAsThereWereRanks) {
  const SignatureFit fit = fit_signature(with_measured_switches(measured_on({""}, "none")), {});
  EXPECT_NE(predict_alltoall(fit, 4, 65536).verdict, Verdict::kRefused);
  expect_refused_beyond_the_nodes(predict_alltoall(fit, 5, 65536));
}

TEST(MeasuredSwitches, WithoutAnyGroupTakeTheUplinkThatIsGiven) {
  AlltoallTimes measured = measured_on({"a[1-4]"}, "none");
  measured.groups->uplink = MeasuredUplink{1, {1, 1}};
  const SignatureFit fit = fit_signature(with_measured_switches(measured), {});
  const Curve& message = fit.signature.bound;
  const double transfer_ns = message.at(65536) - message.at(0);
  EXPECT_NEAR(predict_alltoall(fit, 8, 65536).lower_bound_ns,
              7 * message.at(0) + 4 * 4 * transfer_ns, 1);
}

}  // namespace
}  // namespace nmt::contention
