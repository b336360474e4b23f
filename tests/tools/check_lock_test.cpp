// SPDX-License-Identifier: BSD-3-Clause
//
// Two checks at once: one waits for the other, but not for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CheckLock : public Sandbox {
 protected:
  CheckLock() : db_(make_profile("a.db")) {}

  // Root's lock is one of the whole machine: the test has a /run of its own, so that the tests
  // beside it may check too.
  void SetUp() override {
    if (!root_) return;
    if (run({"unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/run"}).exit_code != 0) {
      GTEST_SKIP() << "root may not mount here";
    }
  }
  // $lock is the file, and $@ a check.
  Result while_locked(const std::string& script) const {
    const std::string lock = root_ ? "/run/nmadtune-check.lock" : db_;
    const std::string mount = root_ ? "mount -t tmpfs tmpfs /run && " : "";
    std::vector<std::string> command = {"sh", "-c", mount + "lock=" + lock + "\n" + script, "sh"};
    if (root_) command.insert(command.begin(), {"unshare", "--mount"});
    for (const std::string& word :
         sample_command({"--confirm", "--seed", "1", "--rails", "fake:" + path("rails.json"),
                         "--budget", "500ms", "--db", db_})) {
      command.push_back(word);
    }
    return run(command, setting());
  }

  const bool root_ = ::geteuid() == 0;
  std::string db_;
};

TEST_F(CheckLock, ThatAnotherCheckHoldsIsAnError) {
  const Result result = while_locked(R"(exec flock "$lock" "$@")");
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr(root_ ? "/run/nmadtune-check.lock: " : db_ + ": "),
                                HasSubstr("another check runs; start again when it has ended")));
}

// It lets go when the check has opened the file and sleeps, which it does only to wait for it.
TEST_F(CheckLock, ThatAnotherCheckReleasesIsTaken) {
  const Result result = while_locked(R"(
    exec 9>>"$lock"
    flock 9
    "$@" 9>&- &
    pid=$!
    until ls -l /proc/$pid/fd | grep -q "$lock" && grep -q '^State:.S' /proc/$pid/status; do
      kill -0 $pid || exit 99  # it did not wait
    done
    exec 9>&-
    wait $pid)");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("confirmed: "));
}

}  // namespace
}  // namespace nmt::testing
