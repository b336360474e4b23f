// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune db approve, rollback, off and on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <list>
#include <thread>

#include "core/error.h"
#include "profiledb/profiledb.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;

class SitePolicy : public Sandbox {
 protected:
  Result site(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--site", path("site")});
    return tune(arguments);
  }
};

TEST_F(SitePolicy, PublishesAProfileAndBringsBackTheOneBefore) {
  const std::string first = make_profile("a.db"), second = make_profile("b.db", "2");
  const std::string published = path("site/profile.db");
  ASSERT_EQ(site({"db", "approve", "--db", first}).exit_code, 0);
  EXPECT_EQ(read("site/profile.db"), read("a.db"));
  EXPECT_EQ(tune({"thresholds", "--db", published}).exit_code, 0);
  EXPECT_EQ(site({"db", "rollback"}).exit_code, 2);  // there is none before
  ASSERT_EQ(site({"db", "approve", "--db", second}).exit_code, 0);
  EXPECT_EQ(read("site/profile.db"), read("b.db"));
  const profiledb::ProfileDb job(published,
                                 {.mode = profiledb::ProfileDb::Mode::kRead});  // one that reads
  ASSERT_EQ(site({"db", "rollback"}).exit_code, 0);
  EXPECT_EQ(read("site/profile.db"), read("a.db"));
  EXPECT_FALSE(job.platforms().empty());
  ASSERT_EQ(site({"db", "rollback"}).exit_code, 0);
  EXPECT_EQ(read("site/profile.db"), read("b.db"));
}

TEST_F(SitePolicy, NeverLeavesAJobWithoutAWholeProfileWhileItGoesBack) {
  for (const char* seed : {"1", "2"}) {
    const std::string db = make_profile(std::string(seed) + ".db", seed);
    ASSERT_EQ(site({"db", "approve", "--db", db}).exit_code, 0);
  }
  std::atomic<bool> ends = false;
  std::size_t opened = 0, whole = 0;
  std::thread jobs([&] {
    for (; !ends; ++opened) {
      try {
        const profiledb::ProfileDb job(path("site/profile.db"),
                                       {.mode = profiledb::ProfileDb::Mode::kRead});
        whole += job.plan(job.platforms().front().id).has_value();
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(site({"db", "rollback"}).exit_code, 0);
  ends = true;
  jobs.join();
  EXPECT_GT(opened, 0u);
  EXPECT_EQ(whole, opened);
}

// Profiles are named by the second.
TEST_F(SitePolicy, PublishesEachOfSeveralProfilesThatAreApprovedAtOnce) {
  const std::string db = make_profile("a.db");
  std::list<Process> approvals;
  for (int i = 0; i < 8; ++i) {
    approvals.emplace_back(tune_command({"db", "approve", "--db", db, "--site", path("site")}),
                           setting());
  }
  for (Process& each : approvals) {
    const Result result = each.wait();
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  std::size_t profiles = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("site/profiles"))) {
    EXPECT_EQ(read("site/profiles/" + entry.path().filename().string()), read("a.db"));
    ++profiles;
  }
  EXPECT_EQ(profiles, 8u);
  EXPECT_EQ(read("site/profile.db"), read("a.db"));
}

TEST_F(SitePolicy, KeepsAPlainFileThatWasPublishedByHand) {
  std::filesystem::create_directories(path("site"));
  const std::string first = make_profile("a.db"), second = make_profile("b.db", "2");
  std::filesystem::copy_file(first, path("site/profile.db"));
  ASSERT_EQ(site({"db", "approve", "--db", second}).exit_code, 0);
  ASSERT_EQ(site({"db", "rollback"}).exit_code, 0);
  EXPECT_EQ(read("site/profile.db"), read("a.db"));
}

TEST_F(SitePolicy, NamesTheFolderThatItMayNotWriteTo) {
  write("file", "");
  const Result result =
      tune({"db", "approve", "--db", make_profile("a.db"), "--site", path("file/site")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("file/site/profiles"));
}

TEST_F(SitePolicy, DoesNotPublishWhatIsNoProfile) {
  write("a.db", "no profile");
  EXPECT_EQ(site({"db", "approve", "--db", path("a.db")}).exit_code, 6);
  EXPECT_FALSE(std::filesystem::exists(path("site/profile.db")));
}

TEST_F(SitePolicy, IsOneFileThatTurnsAdviceOffAndOn) {
  ASSERT_EQ(site({"db", "off", "--reason", "new switches"}).exit_code, 0);
  EXPECT_EQ(read("site/off"), "new switches\n");
  ASSERT_EQ(site({"db", "on"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("site/off")));
  EXPECT_EQ(site({"db", "on"}).exit_code, 0);
}

}  // namespace
}  // namespace nmt::testing
