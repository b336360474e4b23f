// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "core/confirmation.h"
#include "node/node.h"
#include "profiledb/profiledb.h"
#include "runtime/runtime.h"
#include "tests/runtime/ask_everything.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using testing::HasSubstr;

struct Opened {
  int status = 0;
  nmt_profile* profile = nullptr;
  std::string message;

  Opened() = default;
  Opened(Opened&& other) noexcept
      : status(other.status),
        profile(std::exchange(other.profile, nullptr)),
        message(std::move(other.message)) {}
  ~Opened() { nmt_close(profile); }
  nmt_description description() const {
    nmt_description description{};
    description.struct_bytes = sizeof description;
    EXPECT_EQ(nmt_describe(profile, &description), NMT_OK);
    return description;
  }
};

Opened open(nmt_open_options options) {
  Opened opened;
  char message[500] = "";
  options.message = message;
  options.message_bytes = sizeof message;
  opened.status = nmt_open(&options, &opened.profile);
  opened.message = message;
  return opened;
}

Opened open(const std::string& file, const char* platform = nullptr) {
  nmt_open_options options = planted::open_options(file);
  options.platform = platform;
  return open(options);
}

// A database with one platform per fingerprint, measured in this order.
class Database {
 public:
  Database() : file_(folder_.file("profile.db")) {}

  Id add(const std::string& name, const Fields& fingerprint, const std::string& finished_utc,
         const std::string& rail = "a") {
    profiledb::ProfileDb database(file_, {.mode = profiledb::ProfileDb::Mode::kWrite});
    const Platform platform =
        database.ensure_platform({.id = Id::random(), .name = name, .fingerprint = fingerprint});
    Campaign campaign{.id = Id::random(),
                      .platform = platform.id,
                      .started_utc = finished_utc,
                      .finished_utc = finished_utc,
                      .tool_version = "0.1.0",
                      .command_line = "nmad-sample",
                      .complete = true,
                      .quality = 0.9};
    database.begin_campaign(campaign);
    database.finish_campaign(campaign);
    Plan plan = planted::plan({planted::plain_rail(rail, {{0, 1000}, {1000, 2000}})});
    plan.platform = platform.id;
    plan.campaigns = {campaign.id};
    database.store_plan(plan);
    return platform.id;
  }
  const std::string& file() const { return file_; }
  const planted::Folder& folder() const { return folder_; }

 private:
  planted::Folder folder_;
  std::string file_;
};

// A machine that shows what it says.
class Machine {
 public:
  Machine(const std::string& cores, const std::string& kernel) {
    put("sys/devices/system/cpu/online", cores);
    put("proc/sys/kernel/osrelease", kernel);
  }
  std::string root() const { return folder_.file(""); }
  Fields fingerprint() const { return node::cheap_fingerprint(root()); }

 private:
  void put(const std::string& name, const std::string& line) {
    const std::filesystem::path file = folder_.file(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << line << '\n';
  }
  planted::Folder folder_;
};

TEST(Open, TakesThisMachinesPlatformAndNotTheNewest) {
  const Machine machine("0-3", "6.1"), other("0-7", "6.1");
  Database database;
  database.add("mine", machine.fingerprint(), "2026-01-01T00:00:00Z");
  database.add("other", other.fingerprint(), "2026-02-01T00:00:00Z");
  nmt_open_options options = planted::open_options(database.file());
  const std::string root = machine.root();
  options.machine_root = root.c_str();
  const Opened opened = open(options);
  ASSERT_EQ(opened.status, NMT_OK) << opened.message;
  EXPECT_STREQ(opened.description().platform, "mine");
  EXPECT_EQ(opened.description().foreign, 0u);
  EXPECT_STREQ(opened.description().measured_utc, "2026-01-01T00:00:00Z");
  EXPECT_EQ(opened.description().quality, 0.9);
}

// A profile that was measured on one machine, and how to open it on another.
struct Moved {
  Moved(const Machine& here, const Machine& there) : root(here.root()) {
    database.add("other", there.fingerprint(), "2026-02-01T00:00:00Z");
    options = planted::open_options(database.file());
    options.machine_root = root.c_str();
  }
  Moved(const Moved&) = delete;  // the options lead to its texts

  Database database;
  std::string root;
  nmt_open_options options;
};

TEST(Open, GivesForeignAdviceAndSaysWhatDiffers) {
  const Machine machine("0-3", "6.1"), other("0-7", "6.1");
  const Moved profile(machine, other);
  nmt_open_options options = profile.options;
  const Opened opened = open(options);
  ASSERT_EQ(opened.status, NMT_OK) << opened.message;
  EXPECT_EQ(opened.description().foreign, 1u);
  ASSERT_EQ(opened.description().differences, 1u);
  nmt_difference difference{};
  difference.struct_bytes = sizeof difference;
  ASSERT_EQ(nmt_describe_difference(opened.profile, 0, &difference), NMT_OK);
  EXPECT_STREQ(difference.field, "cores");
  EXPECT_STREQ(difference.measured, "8");
  EXPECT_STREQ(difference.here, "4");
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  ASSERT_EQ(nmt_predict(opened.profile, 0, NMT_ANY_METHOD, 10, &prediction), NMT_OK);
  EXPECT_TRUE(prediction.flags & NMT_ADVICE_FOREIGN);
  nmt_share share{};
  share.struct_bytes = sizeof share;
  nmt_split_result result{};
  result.struct_bytes = sizeof result;
  ASSERT_EQ(nmt_split(opened.profile, 100, &share, 1, &result), NMT_OK);
  EXPECT_TRUE(result.flags & NMT_ADVICE_FOREIGN);
}

TEST(Open, RefusesForeignProfilesWhereAskedTo) {
  const Machine machine("0-3", "6.1"), other("0-3", "6.9");
  const Moved profile(machine, other);
  nmt_open_options options = profile.options;
  options.refuse_foreign = 1;
  const Opened opened = open(options);
  EXPECT_EQ(opened.status, NMT_FOREIGN);
  EXPECT_THAT(opened.message, HasSubstr("kernel was 6.9, here it is 6.1"));
}

TEST(Open, RefusesEveryProfileWhereTheSiteHasTurnedAdviceOff) {
  const Machine machine("0-3", "6.1");
  Database database;
  database.add("mine", machine.fingerprint(), "2026-02-01T00:00:00Z");
  nmt_open_options options = planted::open_options(database.file());
  const std::string root = machine.root();
  options.machine_root = root.c_str();
  ASSERT_EQ(open(options).status, NMT_OK);
  std::filesystem::create_directories(root + "/etc/nmadtune");
  std::ofstream(root + "/etc/nmadtune/off");
  const Opened opened = open(options);
  EXPECT_EQ(opened.status, NMT_NOT_FOUND);
  EXPECT_THAT(opened.message, HasSubstr("the site has turned advice off"));
}

TEST(Open, MarksAdviceAsUnconfirmedUnderAnotherPatchRelease) {
  const Machine machine("0-3", "6.1.0-22-amd64"), other("0-3", "6.1.0-21-amd64");
  const Moved profile(machine, other);
  nmt_open_options options = profile.options;
  options.refuse_foreign = 1;  // it is not foreign
  const Opened opened = open(options);
  ASSERT_EQ(opened.status, NMT_OK) << opened.message;
  EXPECT_EQ(opened.description().foreign, 0u);
  EXPECT_EQ(opened.description().unconfirmed, 1u);
  EXPECT_EQ(opened.description().differences, 1u);
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  ASSERT_EQ(nmt_predict(opened.profile, 0, NMT_ANY_METHOD, 10, &prediction), NMT_OK);
  EXPECT_TRUE(prediction.flags & NMT_ADVICE_UNCONFIRMED);
  EXPECT_FALSE(prediction.flags & NMT_ADVICE_FOREIGN);
}

TEST(Open, AdviceIsConfirmedByACheckOfThisPlatformHereAlone) {
  const Machine machine("0-3", "6.1.2"), other("0-3", "6.1.1"), third("0-3", "6.1.3");
  const Moved profile(machine, other);
  nmt_open_options options = profile.options;
  const auto unconfirmed = [&] { return open(options).description().unconfirmed; };
  const std::string platform = open(options).description().platform_id;
  Confirmation checked{.platform = platform,
                       .fingerprint = machine.fingerprint(),
                       .checked_utc = "2026-02-02T00:00:00Z",
                       .rails = {{.name = "a", .fingerprint = {}}},
                       .alarms_utc = {}};
  EXPECT_EQ(unconfirmed(), 1u);
  write_confirmation(profile.database.file(), checked);
  EXPECT_EQ(unconfirmed(), 0u);
  checked.rails = {{.name = "b", .fingerprint = {}},  // which the profile does not have
                   {.name = "a", .between_nodes = true, .fingerprint = {}}};
  write_confirmation(profile.database.file(), checked);
  EXPECT_EQ(unconfirmed(), 1u);
  checked.rails = {{.name = "a", .fingerprint = {}}};
  checked.fingerprint = third.fingerprint();
  write_confirmation(profile.database.file(), checked);
  EXPECT_EQ(unconfirmed(), 1u);
  checked.fingerprint = machine.fingerprint();
  checked.platform = "another";
  write_confirmation(profile.database.file(), checked);
  EXPECT_EQ(unconfirmed(), 1u);
}

TEST(Open, AdviceIsForeignWhereACheckFoundARailSlowerAfterAnUpdate) {
  const Machine machine("0-3", "6.1.2"), other("0-3", "6.1.1");
  const Moved profile(machine, other);
  nmt_open_options options = profile.options;
  write_confirmation(profile.database.file(),
                     {.platform = open(options).description().platform_id,
                      .fingerprint = machine.fingerprint(),
                      .checked_utc = "2026-02-02T00:00:00Z",
                      .rails = {{.name = "a", .slower = true, .fingerprint = {}}},
                      .alarms_utc = {}});
  const Opened opened = open(options);
  EXPECT_EQ(opened.description().foreign, 1u);
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  ASSERT_EQ(nmt_predict(opened.profile, 0, NMT_ANY_METHOD, 10, &prediction), NMT_OK);
  EXPECT_TRUE(prediction.flags & NMT_ADVICE_FOREIGN);
  options.refuse_foreign = 1;
  const Opened refused = open(options);
  EXPECT_EQ(refused.status, NMT_FOREIGN);
  EXPECT_THAT(refused.message, HasSubstr("--confirm found a rail slower"));
}

TEST(Open, ASnapshotIsConfirmedByTheCheckOfTheUsualProfile) {
  const Machine machine("0-3", "6.1.2"), other("0-3", "6.1.1");
  const Moved profile(machine, other);
  nmt_open_options options = profile.options;
  const Opened first = open(options);
  const std::string snapshot = profile.database.folder().file("profile.nmt");
  planted::write_file(snapshot, snapshot_bytes(*first.profile));
  write_confirmation(profile.database.file(), {.platform = first.description().platform_id,
                                               .fingerprint = machine.fingerprint(),
                                               .checked_utc = "2026-02-02T00:00:00Z",
                                               .rails = {{.name = "a", .fingerprint = {}}},
                                               .alarms_utc = {}});
  options.file = snapshot.c_str();
  ::setenv("NMADTUNE_DB", profile.database.folder().file("none.db").c_str(), 1);
  EXPECT_EQ(open(options).description().unconfirmed, 1u);
  ::setenv("NMADTUNE_DB", profile.database.file().c_str(), 1);
  EXPECT_EQ(open(options).description().unconfirmed, 0u);
  ::unsetenv("NMADTUNE_DB");
}

TEST(Open, PrefersThisMachineUnderAnotherPatchReleaseToNewerPlatforms) {
  const Machine machine("0-3", "6.1.2"), same("0-3", "6.1.1"), other("0-7", "6.1.2");
  Database database;
  database.add("mine", same.fingerprint(), "2026-01-01T00:00:00Z");
  database.add("other", other.fingerprint(), "2026-02-01T00:00:00Z");
  nmt_open_options options = planted::open_options(database.file());
  const std::string root = machine.root();
  options.machine_root = root.c_str();
  EXPECT_STREQ(open(options).description().platform, "mine");
}

TEST(Open, FindsAnyFieldThatChanged) {
  const Machine machine("0-3", "6.1");
  for (const auto& [name, value] : machine.fingerprint()) {
    for (const bool gone : {false, true}) {
      Fields fields = machine.fingerprint();
      if (gone) {
        fields.erase(name);
      } else {
        fields[name] = "something else";
      }
      Database database;
      database.add("other", fields, "2026-02-01T00:00:00Z");
      nmt_open_options options = planted::open_options(database.file());
      const std::string root = machine.root();
      options.machine_root = root.c_str();
      EXPECT_EQ(open(options).description().foreign, 1u) << name;
    }
  }
}

TEST(Open, TakesTheNewestOrTheNamedPlatform) {
  Database database;
  const Id old = database.add("old", {{"cores", "1"}}, "2026-01-01T00:00:00Z");
  database.add("new", {{"cores", "2"}}, "2026-03-01T00:00:00Z");
  database.add("middle", {{"cores", "3"}}, "2026-02-01T00:00:00Z");
  EXPECT_STREQ(open(database.file(), "newest").description().platform, "new");
  EXPECT_STREQ(open(database.file(), "middle").description().platform, "middle");
  EXPECT_STREQ(open(database.file(), old.hex().c_str()).description().platform, "old");
  const Opened unknown = open(database.file(), "newer");
  EXPECT_EQ(unknown.status, NMT_UNKNOWN);
  EXPECT_THAT(unknown.message, HasSubstr("no platform newer; it has:"));
}

TEST(Open, AnswersTheSameFromDatabaseAndSnapshot) {
  Database database;
  database.add("one", {{"cores", "1"}}, "2026-01-01T00:00:00Z", "tcp:eth0");
  const Opened first = open(database.file());
  ASSERT_EQ(first.status, NMT_OK) << first.message;
  const std::string file = database.folder().file("profile.nmt");
  planted::write_file(file, snapshot_bytes(*first.profile));
  const Opened second = open(file);
  ASSERT_EQ(second.status, NMT_OK) << second.message;
  EXPECT_STREQ(second.description().platform, "one");
  EXPECT_STREQ(second.description().measured_utc, "2026-01-01T00:00:00Z");
  const int path = nmt_find_path(second.profile, "tcp:eth0", nullptr);
  ASSERT_EQ(path, nmt_find_path(first.profile, "tcp:eth0", nullptr));
  for (std::uint64_t size = 1; size < 1 << 20; size *= 3) {
    EXPECT_EQ(nmt_duration_ns(first.profile, path, size),
              nmt_duration_ns(second.profile, path, size));
  }
  EXPECT_EQ(open(file, "two").status, NMT_UNKNOWN);
  EXPECT_EQ(open(file, "newest").status, NMT_OK);
}

TEST(Open, ReadsWhatNobodyMayWrite) {
  Database database;
  database.add("one", {{"cores", "1"}}, "2026-01-01T00:00:00Z");
  const Opened writable = open(database.file());
  const std::string snapshot = database.folder().file("profile.nmt");
  planted::write_file(snapshot, snapshot_bytes(*writable.profile));
  for (const std::string& file : {database.file(), snapshot}) ::chmod(file.c_str(), 0444);
  ::chmod(database.folder().file("").c_str(), 0555);
  EXPECT_EQ(open(database.file()).status, NMT_OK);
  EXPECT_EQ(open(snapshot).status, NMT_OK);
  ::chmod(database.folder().file("").c_str(), 0755);
}

// A snapshot with everything that one can hold, and what it answers.
class OpenSnapshot {
 public:
  OpenSnapshot() : file_(folder_.file("profile.nmt")), opened_(open(written())) {}
  const std::string& file() const { return file_; }
  const Opened& opened() const { return opened_; }
  std::vector<std::byte> bytes() const {
    const std::span<const std::byte> all = snapshot_bytes(*opened_.profile);
    return {all.begin(), all.end()};
  }

 private:
  const std::string& written() const {
    std::mt19937_64 random(1);
    const Plan plan = planted::full_plan(random, {"a", "b", "c"});
    planted::write_file(file_, compile(planted::provenance(), plan).bytes());
    return file_;
  }

  planted::Folder folder_;
  std::string file_;
  Opened opened_;
};

// In a mapping of the file, what lies beyond its new end is SIGBUS.
TEST(Open, GivesTheSameAdviceWhenTheFileIsTruncatedLater) {
  const OpenSnapshot snapshot;
  ASSERT_EQ(snapshot.opened().status, NMT_OK) << snapshot.opened().message;
  EXPECT_EXIT(
      {
        const std::vector<std::byte> before = snapshot.bytes();
        std::filesystem::resize_file(snapshot.file(), 0);
        planted::ask_everything(*snapshot.opened().profile);
        std::exit(snapshot.bytes() == before ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// In a mapping of the file, indices that nobody checked come into use.
TEST(Open, GivesTheSameAdviceWhenTheFileIsWrittenOverLater) {
  const OpenSnapshot snapshot;
  ASSERT_EQ(snapshot.opened().status, NMT_OK) << snapshot.opened().message;
  const std::vector<std::byte> before = snapshot.bytes();
  {
    std::fstream file(snapshot.file(), std::ios::binary | std::ios::in | std::ios::out);
    file << std::string(before.size(), '\xff');
  }
  ASSERT_EQ(snapshot.bytes(), before);
  planted::ask_everything(*snapshot.opened().profile);
}

TEST(Open, GoesWhereTheEnvironmentSays) {
  Database database;
  database.add("one", {{"cores", "1"}}, "2026-01-01T00:00:00Z");
  ::setenv("NMADTUNE_DB", database.file().c_str(), 1);
  nmt_profile* profile = nullptr;
  EXPECT_EQ(nmt_open(nullptr, &profile), NMT_OK);
  nmt_close(profile);
  ::unsetenv("NMADTUNE_DB");
}

TEST(Open, RefusesWhatIsNoProfile) {
  const planted::Folder folder;
  const std::string text = folder.file("text"), empty = folder.file("empty"),
                    fifo = folder.file("fifo"), magic = folder.file("magic.nmt");
  std::ofstream(text) << std::string(5000, 'x');
  std::ofstream(empty).flush();
  std::ofstream(magic, std::ios::binary).write("\x89NMT\r\n\x1a\n", 8);
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& file : {text, empty, fifo, magic, folder.file("")}) {
    const Opened opened = open(file);
    EXPECT_EQ(opened.status, NMT_UNUSABLE) << file;
    EXPECT_THAT(opened.message, HasSubstr(file)) << file;
    EXPECT_EQ(opened.profile, nullptr);
  }
  EXPECT_EQ(open(folder.file("absent")).status, NMT_NOT_FOUND);
}

TEST(Open, SaysWhereNothingWasMeasured) {
  const planted::Folder folder;
  {
    profiledb::ProfileDb database(folder.file("p.db"),
                                  {.mode = profiledb::ProfileDb::Mode::kWrite});
  }
  const Opened opened = open(folder.file("p.db"));
  EXPECT_EQ(opened.status, NMT_NOT_FOUND);
  EXPECT_THAT(opened.message, HasSubstr("run nmad-sample"));
}

}  // namespace
}  // namespace nmt::runtime
