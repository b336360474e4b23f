// SPDX-License-Identifier: BSD-3-Clause
#include "core/confirmation.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/id.h"

namespace nmt {
namespace {

class ConfirmationFile : public ::testing::Test {
 protected:
  ConfirmationFile()
      : folder_(std::filesystem::temp_directory_path() / ("nmadtune-test-" + Id::random().hex())) {
    std::filesystem::create_directories(folder_);
    std::ofstream(profile()) << "a profile";
  }
  ~ConfirmationFile() override { std::filesystem::remove_all(folder_); }

  std::string profile() const { return folder_ / "p.db"; }

  std::filesystem::path folder_;
  Confirmation confirmation_{.platform = "abc",
                             .fingerprint = {{"kernel", "6.1.2"}},
                             .checked_utc = "2026-11-24T08:00:00Z",
                             .rails = {{"shm", false, false, {}},
                                       {"tcp:r0", false, false, {{"mtu", "1500"}}},
                                       {"tcp:r0", true, true, {{"mtu", "1500"}}}},
                             .alarms_utc = {"2026-11-24T07:00:00Z", "2026-11-24T08:00:00Z"}};
};

TEST_F(ConfirmationFile, IsReadAsItWasWritten) {
  EXPECT_FALSE(read_confirmation(profile()));
  write_confirmation(profile(), confirmation_);
  EXPECT_EQ(read_confirmation(profile()), confirmation_);
}

TEST_F(ConfirmationFile, FindsARailByWhereItLeads) {
  EXPECT_FALSE(confirmation_.find("tcp:r0", false)->slower);
  EXPECT_TRUE(confirmation_.find("tcp:r0", true)->slower);
  EXPECT_EQ(confirmation_.find("shm", true), nullptr);
}

// As far as `here` says: the library knows fewer fields than nmad-sample, which wrote the file.
TEST_F(ConfirmationFile, HoldsForItsPlatformWhereNothingChangedThatMatters) {
  confirmation_.fingerprint = {{"kernel", "6.1.2"}, {"l2_cache", "1 MiB"}, {"open_mpi", "4.1.4"}};
  const Fields cheap = {{"kernel", "6.1.2"}};
  EXPECT_TRUE(confirmation_.holds_for("abc", confirmation_.fingerprint));
  EXPECT_TRUE(confirmation_.holds_for("abc", cheap));
  EXPECT_TRUE(confirmation_.holds_for("abc", {{"kernel", "6.1.2"}, {"open_mpi", "5.0"}}));
  EXPECT_FALSE(confirmation_.holds_for("another", cheap));
  EXPECT_FALSE(confirmation_.holds_for("abc", {{"kernel", "6.1.3"}}));
  EXPECT_FALSE(confirmation_.holds_for("abc", {{"kernel", "6.1.2"}, {"l2_cache", "2 MiB"}}));
  EXPECT_FALSE(confirmation_.holds_for("abc", {{"kernel", "6.1.2"}, {"hypervisor", "yes"}}));
}

TEST_F(ConfirmationFile, CountsOnlyIfNobodyElseCanWriteIt) {
  write_confirmation(profile(), confirmation_);
  ::chmod(confirmation_file(profile()).c_str(), 0664);
  EXPECT_FALSE(read_confirmation(profile()));
}

TEST_F(ConfirmationFile, IsOfTheProfileToWhichALinkLeads) {
  const std::string published = folder_ / "published.db", other = folder_ / "other.db";
  std::ofstream(other) << "another profile";
  std::filesystem::create_symlink(profile(), published);
  write_confirmation(published, confirmation_);
  EXPECT_EQ(read_confirmation(profile()), confirmation_);
  std::filesystem::remove(published);
  std::filesystem::create_symlink(other, published);
  EXPECT_FALSE(read_confirmation(published));
}

TEST_F(ConfirmationFile, IsNoLinkAndNoFifo) {
  const std::string file = confirmation_file(profile());
  write_confirmation(profile(), confirmation_);
  std::filesystem::rename(file, folder_ / "real");
  std::filesystem::create_symlink(folder_ / "real", file);
  EXPECT_FALSE(read_confirmation(profile()));
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(read_confirmation(profile()));  // and does not wait
}

TEST_F(ConfirmationFile, ThatIsNoneIsIgnored) {
  for (const std::string text : {"", "[", "{}", "{\"platform\":1}"}) {
    std::ofstream(confirmation_file(profile())) << text;
    EXPECT_FALSE(read_confirmation(profile())) << text;
  }
  std::ofstream(confirmation_file(profile())) << std::string(1 << 20, ' ');
  EXPECT_FALSE(read_confirmation(profile()));
}

// Where a check runs before each short job, the last ones alone may all be of one minute.
TEST_F(ConfirmationFile, KeepsTheFirstAlarmOfManyAndTheLastOnes) {
  confirmation_.alarms_utc.clear();
  for (int minute = 10; minute < 60; ++minute) {
    confirmation_.alarms_utc.push_back("2026-11-24T07:" + std::to_string(minute) + ":00Z");
    write_confirmation(profile(), confirmation_);
    confirmation_ = *read_confirmation(profile());
  }
  ASSERT_EQ(confirmation_.alarms_utc.size(), 8u);
  EXPECT_EQ(confirmation_.alarms_utc.front(), "2026-11-24T07:10:00Z");
  EXPECT_EQ(confirmation_.alarms_utc[1], "2026-11-24T07:53:00Z");
  EXPECT_EQ(confirmation_.alarms_utc.back(), "2026-11-24T07:59:00Z");
}

}  // namespace
}  // namespace nmt
