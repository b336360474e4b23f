// SPDX-License-Identifier: BSD-3-Clause
//
// What the profile keeps of a campaign besides its samples: what went wrong while it measured.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/method.h"
#include "profiledb/profiledb.h"
#include "tests/tools/sandbox.h"
#include "tools/sample/campaign.h"

namespace nmt::tools {
namespace {

class CampaignRemark : public testing::Sandbox {
 protected:
  // A campaign of one rail that measures one size, with this report of the rail.
  std::string stored_after(const sampler::RailReport& rail) const {
    const profiledb::Location location{.file = path("a.db"), .reason = "--db"};
    const SampleOptions options;
    const Invocation invocation{.tool = "nmad-sample", .quiet = true};
    RailChoice choice;
    choice.rails.push_back({.rail = {"verbs", "mlx5_0/1", {}}});
    {
      profiledb::ProfileDb db(location.file, {.mode = profiledb::ProfileDb::Mode::kWrite});
      ProgressLine line(true);
      const Interruption interruption;
      run_share({options, invocation, location, db, line, interruption},
                {.options = options,
                 .choice = choice,
                 .session = {.seed = 1},
                 .measure = [&](const auto&, const auto&, sampler::Observer& observer) {
                   observer.measured(choice.rails.front().rail, std::vector{sample()});
                   return sampler::CampaignReport{.rails = {rail}};
                 }});
    }
    const profiledb::ProfileDb db(location.file, {.mode = profiledb::ProfileDb::Mode::kRead});
    return db.campaigns(db.platforms().front().id).front().remark;
  }

  static Sample sample() {
    Sample sample{.size_bytes = 1024};
    sample.condition.benchmark = benchmark::kTransfer;
    sample.condition.method = "copy";
    sample.repetitions = {{.total_ns = 5000}, {.total_ns = 5100, .round = 1}};
    return sample;
  }
  static sampler::RailReport report(const std::map<std::string, std::uint64_t>& link_errors) {
    return {.rail = "verbs:mlx5_0/1",
            .complete = true,
            .repetitions = 1000,
            .link_errors = link_errors};
  }
};

TEST_F(CampaignRemark, HoldsWhatTheLinkCountedOfErrors) {
  EXPECT_EQ(stored_after(report({{"symbol_error", 12}, {"link_downed", 1}})),
            "verbs:mlx5_0/1: counted 1 link_downed, 12 symbol_error");
}

TEST_F(CampaignRemark, HoldsTheFailureOfARailBeforeWhatItsLinkCounted) {
  sampler::RailReport failed = report({{"link_downed", 2}});
  failed.complete = false;
  failed.failure = "the peer no longer answers";
  EXPECT_EQ(stored_after(failed),
            "verbs:mlx5_0/1: the peer no longer answers; verbs:mlx5_0/1: counted 2 link_downed");
}

TEST_F(CampaignRemark, IsEmptyWhereNothingHappened) {
  EXPECT_EQ(stored_after(report({})), "");
  EXPECT_EQ(stored_after(report({{"tcp_retransmits", 3}})), "") << "as any loaded TCP has";
}

}  // namespace
}  // namespace nmt::tools
