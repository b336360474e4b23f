// SPDX-License-Identifier: BSD-3-Clause
//
// Which files are profiles, where the profile is, and how older schemas become today's.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "profiledb/schema.h"
#include "tests/profiledb/fixture.h"

namespace nmt::profiledb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// By the sqlite3 library itself, as a stranger would.
void run_sql(const std::string& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

class BadFile : public ::testing::Test {
 protected:
  BadFile() {
    ProfileDb database = open_to_write(good_);
    fill(database, 1);
  }
  // What reading and writing say; both must refuse, name the file and leave it as it was.
  void expect_refused(const std::string& file, const std::string& cause) {
    struct stat before = {}, after = {};
    ASSERT_EQ(stat(file.c_str(), &before), 0);
    const bool regular = S_ISREG(before.st_mode) && before.st_size < (1 << 24);
    const std::string content = regular ? read_whole(file) : "";
    for (const auto mode : {ProfileDb::Mode::kRead, ProfileDb::Mode::kWrite}) {
      EXPECT_THAT(refusal([&] { ProfileDb(file, {.mode = mode}); }),
                  AllOf(HasSubstr(file), HasSubstr(cause)));
    }
    ASSERT_EQ(stat(file.c_str(), &after), 0);
    EXPECT_EQ(before.st_size, after.st_size);
    if (regular) {
      EXPECT_EQ(read_whole(file), content);
    }
  }
  std::string copy(const std::string& name) {
    write_whole(folder_ / name, read_whole(good_));
    return folder_ / name;
  }

  const TemporaryFolder folder_;
  const std::string good_ = folder_ / "good.db";
};

TEST_F(BadFile, ADirectory) { expect_refused(folder_.path(), "a directory"); }

TEST_F(BadFile, AFifo) {
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  expect_refused(folder_ / "fifo", "a FIFO or device");
}

TEST_F(BadFile, ADevice) { expect_refused("/dev/null", "a FIFO or device"); }

TEST_F(BadFile, AFileTooLargeForAnyProfile) {
  write_whole(folder_ / "huge", "");
  std::filesystem::resize_file(folder_ / "huge", std::uintmax_t{17} << 30);
  expect_refused(folder_ / "huge", "too large for a profile: 17 GiB");
}

TEST_F(BadFile, ALargeFileOfZeros) {
  write_whole(folder_ / "zeros", "");
  std::filesystem::resize_file(folder_ / "zeros", std::uintmax_t{2} << 30);
  expect_refused(folder_ / "zeros", "not a profile");
}

TEST_F(BadFile, ATextFile) {
  write_whole(folder_ / "text", "to whom it may concern\n" + std::string(5000, 'x'));
  expect_refused(folder_ / "text", "not a profile: not an SQLite database");
}

TEST_F(BadFile, AFewBytes) {
  write_whole(folder_ / "bytes", "SQLite");
  expect_refused(folder_ / "bytes", "not a profile");
}

TEST_F(BadFile, ATruncatedProfile) {
  const std::string whole = read_whole(good_);
  for (const std::size_t keep : {whole.size() - 1, whole.size() / 2, std::size_t{4096}}) {
    write_whole(folder_ / "cut", whole.substr(0, keep));
    expect_refused(folder_ / "cut", "truncated");
  }
  for (const std::size_t keep : {std::size_t{1000}, std::size_t{99}, std::size_t{17}}) {
    write_whole(folder_ / "cut", whole.substr(0, keep));
    expect_refused(folder_ / "cut", "");
  }
}

TEST_F(BadFile, TheDatabaseOfAnotherProgram) {
  run_sql(folder_ / "other.db", "CREATE TABLE t (a); PRAGMA application_id = 17");
  expect_refused(folder_ / "other.db", "of another program (application id 0x11");
  run_sql(folder_ / "none.db", "CREATE TABLE t (a)");
  expect_refused(folder_ / "none.db", "of another program (application id 0x0");
}

TEST_F(BadFile, ANewerSchema) {
  const std::string file = copy("newer.db");
  run_sql(file, "PRAGMA user_version = 7");
  expect_refused(file, "has schema 7, this program knows up to 2");
}

TEST_F(BadFile, ASchemaWithWhatWeDidNotMake) {
  const std::pair<const char*, const char*> cases[] = {
      {"CREATE VIEW w AS SELECT 1", "view w"},
      {"CREATE TRIGGER t AFTER INSERT ON seal BEGIN DELETE FROM sample; END", "trigger t"},
      {"CREATE INDEX i ON node (host)", "index i"},
      {"CREATE TABLE notes (a)", "table notes"},
      {"ALTER TABLE node ADD COLUMN extra TEXT", "changed table node"},
      {"DROP TABLE derived", "missing table derived"}};
  for (const auto& [sql, object] : cases) {
    const std::string file = copy("schema.db");
    run_sql(file, sql);
    expect_refused(file, std::string("its schema is not a profile's: ") + object);
  }
}

TEST_F(BadFile, AnalyzeIsAllowed) {
  run_sql(good_, "ANALYZE");
  EXPECT_THAT(open_to_read(good_).check(), IsEmpty());
}

TEST_F(BadFile, AnAbsentOneIsMadeByWritersOnly) {
  EXPECT_THAT(refusal([&] { open_to_read(folder_ / "absent.db"); }),
              AllOf(HasSubstr("absent.db: no such profile"), HasSubstr("nmad-sample")));
  open_to_write(folder_ / "new/folders/p.db");
  EXPECT_THAT(open_to_read(folder_ / "new/folders/p.db").platforms(), IsEmpty());
}

TEST_F(BadFile, AnEmptyOneIsMadeByWritersOnly) {
  write_whole(folder_ / "empty.db", "");
  EXPECT_THAT(refusal([&] { open_to_read(folder_ / "empty.db"); }), HasSubstr("empty.db: empty"));
  open_to_write(folder_ / "empty.db");
  EXPECT_THAT(open_to_read(folder_ / "empty.db").platforms(), IsEmpty());
}

TEST_F(BadFile, ADirectoryThatCannotBe) {
  EXPECT_THAT(refusal([&] { open_to_write(good_ + "/sub/p.db"); }), HasSubstr("Not a directory"));
  EXPECT_THAT(refusal([&] { open_to_write("/proc/nmadtune/p.db"); }),
              StartsWith("mkdir(/proc/nmadtune): "));
  EXPECT_THAT(refusal([&] { open_to_write(""); }, Fault::kUsage), HasSubstr("empty"));
}

TEST_F(BadFile, NamesThatMeanSomethingToSqliteAreOnlyNames) {
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  for (const char* name : {":memory:", "file:x?mode=memory", "a%41 #?b"}) {
    {
      ProfileDb database = open_to_write(name);
      fill(database, 2);
    }
    EXPECT_TRUE(std::filesystem::exists(name));
    EXPECT_EQ(open_to_read(name).platforms().size(), 1u);
  }
  std::filesystem::current_path(here);
}

TEST_F(BadFile, AProfileTurnedIntoWalIsReadAndTurnedBack) {
  run_sql(good_, "PRAGMA journal_mode = WAL");
  EXPECT_EQ(open_to_read(good_).platforms().size(), 1u);
  open_to_write(good_);
  EXPECT_EQ(read_whole(good_)[18], 1);  // the header's word for a rollback journal
}

// ---- users who may not write ----

// As a user without rights; EXPECT_* in a child would be lost, so the child says it by its status.
void expect_as_nobody(const std::function<bool()>& holds) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to become a user without rights";
  EXPECT_EQ(
      in_child([&] {
        constexpr uid_t kNobody = 65534;
        if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) {
          ::_exit(2);
        }
        ::_exit(holds() ? 0 : 1);
      }),
      0);
}

TEST_F(BadFile, AReadOnlyDirectoryIsReadAndNotWritten) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
  std::filesystem::permissions(good_, std::filesystem::perms(0444));
  const Answers expected = ask(open_to_read(good_));
  expect_as_nobody([&] {
    return ask(open_to_read(good_)) == expected &&
           refusal([&] { open_to_write(good_); }).find("has no permission to write") !=
               std::string::npos &&
           refusal([&] { open_to_write(folder_ / "new.db"); }).find("permissions") !=
               std::string::npos;
  });
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
}

TEST_F(BadFile, AProfileThatMayNotBeRead) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(good_, std::filesystem::perms(0600));
  expect_as_nobody([&] {
    return refusal([&] { open_to_read(good_); }).find("Permission denied") != std::string::npos;
  });
}

TEST_F(BadFile, AReadOnlyFileSystemIsReadAndNotWritten) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to mount";
  const std::string mount_point = folder_ / "mount";
  std::filesystem::create_directory(mount_point);
  if (::mount("none", mount_point.c_str(), "tmpfs", 0, "size=4m") != 0) {
    GTEST_SKIP() << "this container may not mount";
  }
  const std::string file = mount_point + "/p.db";
  write_whole(file, read_whole(good_));
  ASSERT_EQ(::mount("none", mount_point.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  EXPECT_EQ(ask(open_to_read(file)), ask(open_to_read(good_)));
  EXPECT_THAT(refusal([&] { open_to_write(file); }), HasSubstr("has no permission to write"));
  ::umount(mount_point.c_str());
}

// ---- migrations ----

constexpr std::array<Migration, 2> kTwoSteps = {
    {{1, "CREATE TABLE a (x); INSERT INTO a VALUES (41)"}, {2, "UPDATE a SET x = x + 1"}}};

sqlite::Database raw_database(const std::string& file) {
  return {file, sqlite::Database::Access::kWrite, LockWait(file, 0, {})};
}

TEST(Migrations, RunInOrderAndOnlyOnce) {
  const TemporaryFolder folder;
  sqlite::Database database = raw_database(folder / "m.db");
  migrate(database, std::span(kTwoSteps).first(1));
  EXPECT_EQ(identify(database).version, 1);
  migrate(database, kTwoSteps);
  migrate(database, kTwoSteps);
  EXPECT_EQ(identify(database).version, 2);
  EXPECT_EQ(identify(database).application_id, kApplicationId);
  EXPECT_EQ(database.integer("SELECT x FROM a"), 42);
  EXPECT_EQ(foreign_in_schema(database, kTwoSteps), std::nullopt);
}

TEST(Migrations, ThatFailLeaveTheOldVersion) {
  const TemporaryFolder folder;
  sqlite::Database database = raw_database(folder / "m.db");
  migrate(database, std::span(kTwoSteps).first(1));
  const Migration broken[] = {kTwoSteps[0], {2, "CREATE TABLE b (y); UPDATE nowhere SET x = 1"}};
  refusal([&] { migrate(database, broken); });
  EXPECT_EQ(identify(database).version, 1);
  EXPECT_EQ(database.integer("SELECT x FROM a"), 41);
  EXPECT_EQ(foreign_in_schema(database, kTwoSteps), std::nullopt);
}

// ---- locations ----

class Locations : public ::testing::Test {
 protected:
  void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  void SetUp() override {
    for (const char* name : {"NMADTUNE_DB", "XDG_DATA_HOME", "HOME"}) {
      const char* value = std::getenv(name);
      if (value != nullptr) before_[name] = value;
      ::unsetenv(name);
    }
    set("HOME", folder_.path());
  }
  void TearDown() override {
    for (const char* name : {"NMADTUNE_DB", "XDG_DATA_HOME", "HOME"}) ::unsetenv(name);
    for (const auto& [name, value] : before_) set(name.c_str(), value);
  }
  const TemporaryFolder folder_;
  std::map<std::string, std::string> before_;
};

TEST_F(Locations, GoFromTheOptionToTheEnvironmentToTheHomeDirectory) {
  EXPECT_EQ(locate_for_writing("", false).file, folder_ / ".local/share/nmadtune/profile.db");
  EXPECT_EQ(locate_for_writing("", false).reason, "user's profile");
  set("XDG_DATA_HOME", "/data");
  EXPECT_EQ(locate_for_writing("", false).file, "/data/nmadtune/profile.db");
  set("NMADTUNE_DB", "/env.db");
  EXPECT_EQ(locate_for_writing("", false).file, "/env.db");
  EXPECT_EQ(locate_for_reading("").reason, "$NMADTUNE_DB");
  EXPECT_EQ(locate_for_writing("/option.db", false).file, "/option.db");
  EXPECT_EQ(locate_for_reading("/option.db").reason, "--db");
}

TEST_F(Locations, IgnoreEmptyVariablesAndARelativeDataHome) {
  set("NMADTUNE_DB", "");
  set("XDG_DATA_HOME", "relative");
  EXPECT_EQ(locate_for_writing("", false).file, folder_ / ".local/share/nmadtune/profile.db");
}

TEST_F(Locations, AskTheUserDatabaseWhereHomeIsNotSet) {
  ::unsetenv("HOME");
  try {
    EXPECT_THAT(locate_for_writing("", false).file, HasSubstr("/nmadtune/profile.db"));
  } catch (const Error& error) {  // this user has none there either
    EXPECT_THAT(error.what(), HasSubstr("no home directory"));
  }
}

TEST_F(Locations, ReadTheUsersProfileWhereThereIsOne) {
  const std::string file = folder_ / ".local/share/nmadtune/profile.db";
  open_to_write(file);
  EXPECT_EQ(locate_for_reading("").file, file);
  EXPECT_EQ(locate_for_reading("").reason, "user's profile");
}

TEST_F(Locations, TheSystemsProfileIsWrittenOnlyWhenAsked) {
  EXPECT_EQ(locate_for_writing("", true).file, "/var/lib/nmadtune/profile.db");
  EXPECT_THAT(refusal([] { locate_for_writing("/a.db", true); }, Fault::kUsage),
              HasSubstr("--system"));
}

// ---- profiles of schema 1, as the version before wrote them ----

// What was derived under MPICH, which was sampled last; the rules did not say so.
void expect_rules_of_mpich(const ProfileDb& database) {
  ASSERT_EQ(database.platforms().size(), 1u);
  const Id platform = database.platforms().front().id;
  const std::optional<Plan> plan = database.plan(platform);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->rails.size(), 2u);
  ASSERT_EQ(plan->segments.size(), 2u);
  for (const SegmentRule& rule : plan->segments) EXPECT_EQ(rule.mpi, "MPICH Version: 4.0.2");
  EXPECT_EQ(plan->segments.front().algorithm, "chain");
  EXPECT_TRUE(database.plan_is_current(platform));
}

class Schema1 : public ::testing::Test {
 protected:
  Schema1() { write_whole(file_, read_whole(NMT_SCHEMA_1 "/profile.db")); }
  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "profile.db";
};

TEST_F(Schema1, IsReadAsItIs) {
  const std::string before = read_whole(file_);
  expect_rules_of_mpich(open_to_read(file_));
  EXPECT_THAT(open_to_read(file_).check(), IsEmpty());
  EXPECT_EQ(read_whole(file_), before);
}

TEST_F(Schema1, IsMigratedByTheFirstWriter) {
  const Answers before = ask(open_to_read(file_));
  open_to_write(file_);
  EXPECT_EQ(identify(*std::make_unique<sqlite::Database>(raw_database(file_))).version, 2);
  expect_rules_of_mpich(open_to_read(file_));
  EXPECT_EQ(ask(open_to_read(file_)), before);
}

TEST_F(Schema1, IsImportedFromItsExport) {
  ProfileDb database = ProfileDb::in_memory();
  database.import_json(read_whole(NMT_SCHEMA_1 "/profile.json"), "profile.json");
  expect_rules_of_mpich(database);
}

}  // namespace
}  // namespace nmt::profiledb
