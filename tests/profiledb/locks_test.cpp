// SPDX-License-Identifier: BSD-3-Clause
//
// Several processes on one profile: who waits for whom, and what is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "tests/profiledb/fixture.h"

namespace nmt::profiledb {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Another process that holds the writer's lock until it is told to go, or killed.
class Holder {
 public:
  Holder(const std::string& file, const char* begin) {
    int ready[2] = {};
    int go[2] = {};
    if (::pipe(ready) != 0 || ::pipe(go) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(go[1]);
      sqlite3* handle = nullptr;
      sqlite3_open(file.c_str(), &handle);
      const bool held = sqlite3_exec(handle, begin, nullptr, nullptr, nullptr) == SQLITE_OK;
      char byte = held ? 'y' : 'n';
      if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
      if (::read(go[0], &byte, 1) < 0) ::_exit(1);  // its end is closed when we are done
      ::_exit(0);
    }
    ::close(ready[1]);
    ::close(go[0]);
    go_ = go[1];
    char byte = 0;
    if (::read(ready[0], &byte, 1) != 1 || byte != 'y') throw std::runtime_error("no lock");
    ::close(ready[0]);
  }
  ~Holder() {
    ::kill(pid_, SIGCONT);
    release();
  }
  void release() {
    if (go_ < 0) return;
    ::close(go_);
    go_ = -1;
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int go_ = -1;
};

constexpr double kShortly_ns = 0.8e9;

class Locks : public ::testing::Test {
 protected:
  Locks() {
    ProfileDb database = open_to_write(file_);
    fill(database, 1);
  }
  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "p.db";
};

TEST_F(Locks, AWriterWaitsSaysForWhomAndGivesUpAtItsDeadline) {
  const std::string before = read_whole(file_);
  const Holder holder(file_, "BEGIN IMMEDIATE");
  std::vector<std::string> notices;
  ProfileDb database(file_, {.mode = ProfileDb::Mode::kWrite,
                             .wait_ns = kShortly_ns,
                             .notice = [&](const std::string& text) { notices.push_back(text); }});
  const std::string process = "(process " + std::to_string(holder.pid()) + ")";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(refusal([&] { fill(database, 2); }),
              AllOf(HasSubstr(file_ + ": locked by"), HasSubstr(process), HasSubstr("800 ms")));
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  EXPECT_GE(waited.count(), 0.8);
  EXPECT_LT(waited.count(), 5);
  EXPECT_THAT(notices, testing::ElementsAre(AllOf(HasSubstr("waiting for"), HasSubstr(process))));
  EXPECT_EQ(read_whole(file_), before);
}

TEST_F(Locks, AnExclusiveWriterKeepsReadersWaitingToo) {
  const Holder holder(file_, "BEGIN EXCLUSIVE");
  EXPECT_THAT(refusal([&] { ProfileDb(file_, {.wait_ns = kShortly_ns}); }),
              AllOf(HasSubstr("locked by"), HasSubstr(std::to_string(holder.pid()))));
}

TEST_F(Locks, AStoppedHolderIsCalledStopped) {
  const Holder holder(file_, "BEGIN IMMEDIATE");
  ::kill(holder.pid(), SIGSTOP);
  ::waitpid(holder.pid(), nullptr, WUNTRACED);
  ProfileDb database = open_to_write(file_, kShortly_ns);
  EXPECT_THAT(
      refusal([&] { fill(database, 2); }),
      AllOf(HasSubstr(std::to_string(holder.pid()) + ", stopped)"), HasSubstr("kill -CONT")));
}

TEST_F(Locks, AWriterGoesOnWhenTheOtherEnds) {
  Holder holder(file_, "BEGIN IMMEDIATE");
  ProfileDb database = open_to_write(file_);
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    holder.release();
  });
  fill(database, 2);
  ends.join();
  EXPECT_EQ(database.platforms().size(), 2u);
}

TEST_F(Locks, ReadersGoOnBesideAWriterThatHasNotYetWritten) {
  const Holder holder(file_, "BEGIN IMMEDIATE");
  EXPECT_EQ(ProfileDb(file_, {.wait_ns = 0}).platforms().size(), 1u);
}

TEST_F(Locks, AProcessThatIsGoneLocksNothing) {
  const Holder holder(file_, "BEGIN EXCLUSIVE");
  ::kill(holder.pid(), SIGKILL);
  ProfileDb database = open_to_write(file_, 5e9);
  fill(database, 2);
  EXPECT_EQ(database.platforms().size(), 2u);
}

TEST_F(Locks, ManyWritersAtOnceAllSucceed) {
  constexpr int kWriters = 4;
  std::vector<pid_t> children;
  for (int i = 0; i < kWriters; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        ProfileDb database = open_to_write(file_, 60e9);
        fill(database, 100 + static_cast<std::uint64_t>(i), 3);
        ::_exit(0);
      } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ::_exit(1);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const ProfileDb database = open_to_read(file_);
  EXPECT_EQ(database.platforms().size(), 1u + kWriters);
  EXPECT_THAT(database.check(), IsEmpty());
}

TEST(LocksOfANewFile, TwoProcessesMayMakeItAtOnce) {
  for (int round = 0; round < 10; ++round) {
    const TemporaryFolder folder;
    const std::string file = folder / "new.db";
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        open_to_write(file);
      } catch (const Error&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    ProfileDb database = open_to_write(file);
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_THAT(database.check(), IsEmpty());
  }
}

}  // namespace
}  // namespace nmt::profiledb
