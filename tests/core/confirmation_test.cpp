// SPDX-License-Identifier: BSD-3-Clause
#include "core/confirmation.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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
                             .changed = true,
                             .rails = {"shm", "tcp:lo"},
                             .rails_between_nodes = {"tcp:r0"},
                             .alarms_utc = {"2026-11-24T07:00:00Z", "2026-11-24T08:00:00Z"}};
};

TEST_F(ConfirmationFile, IsReadAsItWasWritten) {
  EXPECT_FALSE(read_confirmation(profile()));
  write_confirmation(profile(), confirmation_);
  EXPECT_EQ(read_confirmation(profile()), confirmation_);
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

TEST_F(ConfirmationFile, KeepsTheLastAlarmsOnly) {
  confirmation_.alarms_utc.assign(100, "2026-11-24T07:00:00Z");
  write_confirmation(profile(), confirmation_);
  EXPECT_EQ(read_confirmation(profile())->alarms_utc.size(), 8u);
}

}  // namespace
}  // namespace nmt
