// SPDX-License-Identifier: BSD-3-Clause
//
// The commands where the profile cannot be read or written as usual: exit 6, a message that names
// the file and the way out, the old content intact, and what was measured kept.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StoreFaults : public Sandbox {
 protected:
  Result sample_into(const std::string& db, const Setting& setting = {}) const {
    return sample({"--rails", "fake:" + path("rails.json"), "--budget", "4s", "--max-size", "64K",
                   "--db", db, "--seed", "2", "--json"},
                  setting);
  }

  // Runs SQL in a file, as another program would.
  void sql(const std::string& file, const std::string& text) const {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection);
    sqlite3_close(connection);
  }
};

TEST_F(StoreFaults, TwoAtOnceOnOneProfileBothSucceed) {
  const auto command = [&](const std::string& seed) {
    return sample_command({"--rails", "fake:" + path("rails.json"), "--budget", "4s", "--max-size",
                           "64K", "--db", path("a.db"), "--seed", seed});
  };
  Process first(command("1"), setting());
  Process second(command("2"), setting());
  const Result one = first.wait();
  const Result two = second.wait();
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(two.exit_code, 0) << two.err;
  const json::Value shown = document(tune({"show", "--json", "--db", path("a.db")}));
  EXPECT_EQ(at(shown, "platforms.0.campaigns.0.complete"), json::Value(true));
  EXPECT_EQ(at(shown, "platforms.0.campaigns.1.complete"), json::Value(true));
  EXPECT_EQ(tune({"db", "check", "--db", path("a.db")}).exit_code, 0);
}

TEST_F(StoreFaults, WhatIsNoProfileIsRefusedAndLeftAsItWas) {
  write("text.db", "this is no database, only a text that is long enough to look like one\n");
  std::filesystem::create_directory(path("folder.db"));
  ::mkfifo(path("fifo.db").c_str(), 0600);
  sql(path("foreign.db"), "CREATE TABLE t (x); PRAGMA application_id = 42");
  std::filesystem::copy_file(make_profile("newer.db"), path("truncated.db"));
  sql(path("newer.db"), "PRAGMA user_version = 999");
  std::filesystem::resize_file(path("truncated.db"), 9000);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"text.db", "text.db"},       {"folder.db", "directory"}, {"fifo.db", "FIFO"},
      {"foreign.db", "foreign.db"}, {"newer.db", "999"},        {"truncated.db", "truncated.db"},
  };
  for (const auto& [name, cause] : cases) {
    const bool regular = std::filesystem::is_regular_file(path(name));
    const std::string before = regular ? read(name) : "";
    for (const Result& result : {sample_into(path(name)), tune({"--db", path(name), "--json"})}) {
      EXPECT_EQ(result.exit_code, 6) << name << ": " << result.err;
      EXPECT_THAT(result.err, AllOf(HasSubstr(name), HasSubstr(cause)));
      EXPECT_EQ(at(document(result), "error.code"), json::Value(6));
    }
    if (regular) {
      EXPECT_EQ(read(name), before) << name;
    }
  }
}

TEST_F(StoreFaults, AMissingOrEmptyProfileNamesTheCommandThatMakesOne) {
  write("empty.db", "");
  for (const char* name : {"absent.db", "empty.db"}) {
    const Result result = tune({"--db", path(name)});
    EXPECT_EQ(result.exit_code, 6);
    EXPECT_THAT(result.err, AllOf(HasSubstr(name), HasSubstr("nmad-sample")));
  }
  EXPECT_THAT(files(), Not(Contains("absent.db")));
  EXPECT_EQ(sample_into(path("empty.db")).exit_code, 0);
}

TEST_F(StoreFaults, AFolderThatCannotBeMadeIsNamed) {
  write("file", "");
  const Result result = sample_into(path("file/below/a.db"));
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_THAT(result.err, HasSubstr(path("file")));
}

TEST_F(StoreFaults, APublishedProfileIsReadWhereNothingCanBeWritten) {
  std::filesystem::create_directory(path("published"));
  make_profile("published/a.db");
  std::filesystem::permissions(path("published/a.db"), std::filesystem::perms(0444));
  std::filesystem::permissions(path("published"), std::filesystem::perms(0555));
  std::filesystem::permissions(path(""), std::filesystem::perms(0755));
  Setting setting{.in_child = [] {
    constexpr uid_t kNobody = 65534;
    if (::getuid() == 0 && ::setuid(kNobody) != 0) ::_exit(126);
  }};
  const Result read = tune({"--db", path("published/a.db")}, setting);
  if (read.exit_code == 127) GTEST_SKIP() << "another user cannot run the commands from here";
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_THAT(read.out, HasSubstr("fake:myri"));
  const Result written = sample_into(path("published/a.db"), setting);
  EXPECT_EQ(written.exit_code, 6);
  EXPECT_THAT(written.err, HasSubstr("published/a.db"));
  std::filesystem::permissions(path("published"), std::filesystem::perms(0755));
}

// Checks that `result` lost nothing: the profile holds what it held, and what was measured comes
// back from the file that the message names.
void expect_saved_elsewhere(const Result& result, const std::string& db, const std::string& file,
                            const std::function<Result(std::vector<std::string>)>& tune) {
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr(file), HasSubstr("nmad-tune db import")));
  const json::Value printed = document(result);
  EXPECT_EQ(at(printed, "error.code"), json::Value(6));
  EXPECT_FALSE(at(printed, "rails.0.thresholds.0").is_null());
  EXPECT_EQ(tune({"db", "check", "--db", db}).exit_code, 0);
  const Result import = tune({"db", "import", file, "--db", db});
  EXPECT_EQ(import.exit_code, 0) << import.err;
  const json::Value shown = document(tune({"show", "--json", "--db", db}));
  const json::Value campaign = at(printed, "campaign.id");
  EXPECT_THAT(shown.dump(), HasSubstr(*campaign.get_if<std::string>()));
}

std::string unsaved_file(const std::vector<std::string>& names) {
  const auto found = std::ranges::find_if(
      names, [](const std::string& name) { return name.find(".unsaved-") != std::string::npos; });
  return found == names.end() ? "" : *found;
}

TEST_F(StoreFaults, AFullDiskKeepsTheOldContentAndTheNewElsewhere) {
  std::filesystem::create_directory(path("small"));
  if (::mount("nmadtune", path("small").c_str(), "tmpfs", 0, "size=300k") != 0) {
    GTEST_SKIP() << "mounting a small file system needs root";
  }
  const Result first = sample({"--rails", "fake:" + path("rails.json"), "--budget", "1s",
                               "--max-size", "1K", "--db", path("small/a.db"), "--seed", "1"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const Result result =
      sample({"--rails", "fake:" + path("rails.json"), "--budget", "60s", "--precision", "0.1%",
              "--max-size", "16M", "--db", path("small/a.db"), "--seed", "2", "--json"},
             {.environment = {{"TMPDIR", path("")}}});
  // Room again, as the user would make it.
  EXPECT_EQ(::mount("nmadtune", path("small").c_str(), "tmpfs", MS_REMOUNT, "size=100m"), 0);
  expect_saved_elsewhere(result, path("small/a.db"), path(unsaved_file(files())),
                         [&](std::vector<std::string> arguments) { return tune(arguments); });
  ::umount(path("small").c_str());
}

TEST_F(StoreFaults, ALimitOnFileSizesIsNoSignalAndLosesNothingOld) {
  make_profile("a.db");
  const Result result = sample({"--rails", "fake:" + path("rails.json"), "--budget", "60s",
                                "--precision", "0.1%", "--db", path("a.db"), "--seed", "2"},
                               {.environment = {{"TMPDIR", path("")}}, .in_child = [] {
                                  const rlimit limit = {400 << 10, 400 << 10};
                                  ::setrlimit(RLIMIT_FSIZE, &limit);
                                }});
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_THAT(result.err, HasSubstr("a.db"));
  EXPECT_EQ(tune({"db", "check", "--db", path("a.db")}).exit_code, 0);
  EXPECT_EQ(tune({"--db", path("a.db")}).exit_code, 0);
}

// Until it holds half as much as the session before: enough to derive thresholds from.
void wait_for_samples_of_another_session(sqlite3* db) {
  const auto seen = [](void* found, int, char**, char**) {
    *static_cast<bool*>(found) = true;
    return 0;
  };
  bool found = false;
  for (int turn = 0; turn < 1000 && !found; ++turn) {
    ::usleep(20'000);
    sqlite3_exec(db,
                 "SELECT 1 FROM (SELECT count(*) AS n FROM sample GROUP BY session) GROUP BY 1 "
                 "HAVING count(*) > 1 AND 2 * min(n) >= max(n)",
                 seen, &found, nullptr);
  }
  EXPECT_TRUE(found) << "nothing was measured";
}

TEST_F(StoreFaults, AWriterThatNeverEndsIsWaitedForAndThenTheResultsAreKeptBeside) {
  make_profile("a.db");
  Process process(
      sample_command({"--rails", "fake:" + path("rails.json"), "--budget", "600s", "--precision",
                      "0.1%", "--max-size", "64K", "--db", path("a.db"), "--seed", "2", "--json"}),
      setting());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path("a.db").c_str(), &other), SQLITE_OK);
  sqlite3_busy_timeout(other, 10'000);
  wait_for_samples_of_another_session(other);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const Result result = process.wait(120);
  sqlite3_close(other);
  EXPECT_THAT(result.err, HasSubstr("waiting"));
  expect_saved_elsewhere(result, path("a.db"), path(unsaved_file(files())),
                         [&](std::vector<std::string> arguments) { return tune(arguments); });
}

}  // namespace
}  // namespace nmt::testing
