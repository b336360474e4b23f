// SPDX-License-Identifier: BSD-3-Clause
//
// What opening and deciding may not do: decisions neither allocate nor enter the kernel, and
// opening survives every allocation that fails.
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiledb/profiledb.h"
#include "tests/runtime/ask_everything.h"
#include "tests/runtime/malloc_hooks.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

// What is printed is printed at opening.
class WithLog {
 public:
  WithLog() { ::setenv("NMADTUNE_LOG", "decisions", 1); }
  ~WithLog() { ::unsetenv("NMADTUNE_LOG"); }
};

Plan plan() {
  std::mt19937_64 random(1);
  return planted::full_plan(random, {"a", "b", "c", "d"});
}

void track_rails(nmt_rails* rails) {
  nmt_transfer transfer{};
  transfer.struct_bytes = sizeof transfer;
  nmt_rails_posted(rails, 0, 1000, 500, &transfer);
  nmt_rails_release_ns(rails, 0, 1100);
  nmt_rails_completed(rails, 1600, &transfer);
}

TEST(Decisions, NeverAllocate) {
  const WithLog log;
  const planted::Profile profile(plan());
  nmt_rails* rails = nullptr;
  ASSERT_EQ(nmt_rails_new(2, &rails), NMT_OK);
  const std::uint64_t before = planted::allocations();
  planted::ask_everything(*profile.get());
  track_rails(rails);
  EXPECT_EQ(planted::allocations(), before);
  nmt_rails_free(rails);
  EXPECT_GT(before, 0u);
}

// The kernel kills a child in strict mode at any system call but exit, read and write.
TEST(Decisions, NeverEnterTheKernel) {
  const WithLog log;
  const planted::Profile profile(plan());
  nmt_rails* rails = nullptr;
  nmt_current* current = nullptr;
  ASSERT_EQ(nmt_rails_new(2, &rails), NMT_OK);
  ASSERT_EQ(nmt_current_new(profile.get(), &current), NMT_OK);
  for (const bool misbehave : {false, true}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) ::syscall(SYS_exit, 77);
      planted::ask_everything(*nmt_current_profile(current));
      track_rails(rails);
      nmt_current_replace(current, profile.get());
      if (misbehave) ::syscall(SYS_getpid);
      ::syscall(SYS_exit, 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
      GTEST_SKIP() << "this kernel has no strict seccomp mode";
    }
    if (misbehave) {
      EXPECT_TRUE(WIFSIGNALED(status)) << "the filter does not work";
    } else {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
  }
  nmt_current_free(current);
  nmt_rails_free(rails);
}

// Every allocation of opening fails once, first, second ...: always a status, and nothing stays.
void survive_every_failure(const std::string& file) {
  const nmt_open_options options = planted::open_options(file);
  const auto open_and_close = [&](std::uint64_t failing) {
    nmt_profile* profile = nullptr;
    planted::fail_allocation(failing);
    const int status = nmt_open(&options, &profile);
    planted::fail_allocation(0);
    EXPECT_EQ(profile == nullptr, status != NMT_OK);
    nmt_close(profile);
    return status;
  };
  for (int i = 0; i < 3; ++i) ASSERT_EQ(open_and_close(0), NMT_OK);  // what is made only once
  const std::uint64_t before = planted::allocations();
  ASSERT_EQ(open_and_close(0), NMT_OK);
  const std::uint64_t needed = planted::allocations() - before;
  ASSERT_GT(needed, 5u);
  const std::uint64_t step = std::max<std::uint64_t>(1, needed / 3000);
  for (std::uint64_t n = 1; n <= needed; n += n < 500 ? 1 : step) {
    const std::int64_t live = planted::live_blocks();
    const int status = open_and_close(n);
    EXPECT_TRUE(status == NMT_NO_MEMORY || status == NMT_UNUSABLE || status == NMT_OK)
        << n << ": " << status;
    EXPECT_EQ(planted::live_blocks(), live) << "allocation " << n << " of " << needed;
  }
}

TEST(Open, SurvivesEveryFailingAllocationOfASnapshot) {
  const planted::Folder folder;
  planted::write_file(folder.file("p.nmt"), compile(planted::provenance(), plan()).bytes());
  survive_every_failure(folder.file("p.nmt"));
}

TEST(Open, SurvivesEveryFailingAllocationOfADatabase) {
  const planted::Folder folder;
  {
    profiledb::ProfileDb database(folder.file("p.db"),
                                  {.mode = profiledb::ProfileDb::Mode::kWrite});
    Plan stored = plan();
    stored.platform =
        database.ensure_platform({.id = Id::random(), .name = "p", .fingerprint = {{"cores", "1"}}})
            .id;
    database.store_plan(stored);
  }
  survive_every_failure(folder.file("p.db"));
}

TEST(Rails, SurviveAFailingAllocation) {
  for (const std::uint64_t n : {1, 2}) {
    nmt_rails* rails = nullptr;
    planted::fail_allocation(n);
    EXPECT_EQ(nmt_rails_new(2, &rails), NMT_NO_MEMORY);
    planted::fail_allocation(0);
    EXPECT_EQ(rails, nullptr);
  }
  nmt_current* current = nullptr;
  planted::fail_allocation(1);
  EXPECT_EQ(nmt_current_new(reinterpret_cast<nmt_profile*>(&current), &current), NMT_NO_MEMORY);
  planted::fail_allocation(0);
}

}  // namespace
}  // namespace nmt::runtime
