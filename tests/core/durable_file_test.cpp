// SPDX-License-Identifier: BSD-3-Clause
//
// Files that survive a loss of power, by the calls that make them so, and file systems that lack
// some of these. The calls of the C library are replaced in this program: each notes what it does,
// and does it, or fails as told.
#include "core/durable_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> calls;
int error_of_renaming = 0;  // without replacing
int error_of_linking = 0;

std::string name_of(int descriptor) {
  std::error_code ignored;
  const std::string file =
      fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), ignored).filename();
  return file.ends_with(".tmp") ? "aside" : file;
}

int failed(int error) {
  errno = error;
  return -1;
}

}  // namespace
}  // namespace nmt

extern "C" {

int fsync(int descriptor) {
  nmt::calls.push_back("fsync " + nmt::name_of(descriptor));
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

int rename(const char* from, const char* to) noexcept {
  nmt::calls.push_back("rename");
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat2(int, const char* from, int, const char* to, unsigned flags) noexcept {
  if (nmt::error_of_renaming != 0) return nmt::failed(nmt::error_of_renaming);
  nmt::calls.push_back("renameat2");
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags));
}

int link(const char* from, const char* to) noexcept {
  if (nmt::error_of_linking != 0) return nmt::failed(nmt::error_of_linking);
  nmt::calls.push_back("link");
  return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

}  // extern "C"

namespace nmt {
namespace {

class DurableFile : public ::testing::Test {
 protected:
  DurableFile() {
    std::string name = fs::temp_directory_path() / "nmadtune-durable-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = name;
    calls.clear();
    error_of_renaming = error_of_linking = 0;
  }
  ~DurableFile() override {
    fs::remove_all(folder_);
    error_of_renaming = error_of_linking = 0;
  }

  std::string file() const { return folder_ / "file"; }
  std::string flushed_folder() const { return "fsync " + folder_.filename().string(); }
  std::string read() const {
    std::ifstream stream(file());
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_))
      all.push_back(entry.path().filename());
    return all;
  }
  std::string refusal() const {
    try {
      write_durable_file(file(), "new", false);
    } catch (const Error& error) {
      return error.what();
    }
    return "written";
  }

 private:
  fs::path folder_;
};

TEST_F(DurableFile, FlushesTheFolderAfterTheName) {
  write_durable_file(file(), "one", false);
  EXPECT_THAT(calls, ElementsAre("fsync aside", "renameat2", flushed_folder()));
  calls.clear();
  write_durable_file(file(), "two", true);
  EXPECT_THAT(calls, ElementsAre("fsync aside", "rename", flushed_folder()));
  EXPECT_EQ(read(), "two");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(DurableFile, FlushesTheFolderThatABareNameIsIn) {
  const fs::path before = fs::current_path();
  fs::current_path(fs::path(file()).parent_path());
  write_durable_file("bare", "one", false);
  fs::current_path(before);
  EXPECT_THAT(calls, ElementsAre("fsync aside", "renameat2", flushed_folder()));
}

// NFS does not take the flag, FAT and many others have no hard links, and some have neither.
TEST_F(DurableFile, GetsItsNameWhereTheFileSystemLacksLinksOrMore) {
  const std::pair<int, int> lacking[] = {{EINVAL, 0},      {0, EPERM},           {EINVAL, EPERM},
                                         {ENOSYS, ENOSYS}, {EINVAL, EOPNOTSUPP}, {EINVAL, EMLINK}};
  for (const auto& [renaming, linking] : lacking) {
    fs::remove(file());
    error_of_renaming = renaming;
    error_of_linking = linking;
    EXPECT_EQ(refusal(), "written") << renaming << ' ' << linking;
    EXPECT_EQ(read(), "new");
    EXPECT_EQ(calls.back(), flushed_folder());
    EXPECT_THAT(names(), ElementsAre("file"));
  }
}

TEST_F(DurableFile, ReplacesNothingWhereTheFileSystemLacksLinksOrMore) {
  std::ofstream(file()) << "precious";
  for (const auto& [renaming, linking] :
       {std::pair(0, 0), {EINVAL, 0}, {0, EPERM}, {EINVAL, EPERM}}) {
    error_of_renaming = renaming;
    error_of_linking = linking;
    EXPECT_THAT(refusal(), HasSubstr("--force replaces it"));
    EXPECT_EQ(read(), "precious");
    EXPECT_THAT(names(), ElementsAre("file"));
  }
}

}  // namespace
}  // namespace nmt
