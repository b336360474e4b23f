// SPDX-License-Identifier: BSD-3-Clause
//
// Faults of the machine while a profile is written: what was stored stays, and nothing else is
// ever read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <limits>
#include <thread>

#include "tests/profiledb/faulty_vfs.h"
#include "tests/profiledb/fixture.h"

namespace nmt::profiledb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A campaign that stores block after block, the same for everyone with this seed.
class Campaigner {
 public:
  explicit Campaigner(const std::string& file, std::uint64_t seed = 1)
      : made_up_(seed), database_(open_to_write(file)) {
    const Platform platform = database_.ensure_platform({made_up_.id(), "p", {{"seed", "x"}}});
    const Node node = database_.ensure_node({made_up_.id(), "host"}, platform.id);
    path_ =
        database_.ensure_path({made_up_.id(), node.id, node.id, {"shm", "", {}}, {"shm", "", {}}})
            .id;
    const Campaign campaign = made_up_.campaign(platform.id);
    database_.begin_campaign(campaign);
    const Session session = made_up_.session();
    database_.begin_session(session, campaign.id);
    session_ = session.id;
  }
  std::vector<Sample> next_block() { return made_up_.samples(3, 30); }
  void store(const std::vector<Sample>& block) { database_.store_samples(session_, path_, block); }

 private:
  MadeUp made_up_;
  ProfileDb database_;
  Id path_;
  Id session_;
};

// The blocks that the campaign of `seed` stores, without storing them.
std::vector<std::vector<Sample>> expected_blocks(std::size_t count, std::uint64_t seed) {
  const TemporaryFolder folder(fast_storage());
  Campaigner campaigner(folder / "p.db", seed);
  std::vector<std::vector<Sample>> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(campaigner.next_block());
  return blocks;
}

// How many of the blocks are stored: each whole or not at all, none before its predecessor.
std::size_t whole_blocks(const ProfileDb& database,
                         const std::vector<std::vector<Sample>>& blocks) {
  std::vector<Sample> stored;
  for (const Platform& platform : database.platforms()) {
    for (const Campaign& campaign : database.campaigns(platform.id)) {
      for (SampleSet& set : database.sample_sets(campaign.id)) {
        stored.insert(stored.end(), set.samples.begin(), set.samples.end());
      }
    }
  }
  std::size_t samples = 0;
  for (std::size_t count = 0; count < blocks.size(); ++count) {
    if (samples == stored.size()) return count;
    for (const Sample& sample : blocks[count]) {
      EXPECT_THAT(stored, ::testing::Contains(sample)) << "block " << count;
    }
    samples += blocks[count].size();
  }
  EXPECT_EQ(samples, stored.size());
  return blocks.size();
}

// ---- loss of power ----

// A journal that is removed and comes back with the power rolls a committed transaction back.
TEST(LossOfPower, NoRemovedJournalComesBack) {
  const TemporaryFolder folder(fast_storage());
  const FaultyVfs vfs(FaultyVfs::Kind::kAny, std::numeric_limits<int>::max(), false);
  {
    Campaigner campaigner(folder / "p.db");
    for (int block = 0; block < 3; ++block) campaigner.store(campaigner.next_block());
  }
  EXPECT_GE(vfs.removals_flushed(), 3);
  EXPECT_EQ(vfs.removals_not_flushed(), 0);
}

// ---- input and output errors ----

class FailingCalls : public ::testing::TestWithParam<std::pair<FaultyVfs::Kind, bool>> {};

TEST_P(FailingCalls, LeaveWhatWasStoredWhicheverFails) {
  const auto [kind, lasting] = GetParam();
  constexpr std::size_t kBlocks = 3;
  const auto blocks = expected_blocks(kBlocks, 1);
  bool failed = true;
  int calls = 0;
  for (; failed; ++calls) {
    const TemporaryFolder folder(fast_storage());
    const std::string file = folder / "p.db";
    std::size_t stored = 0;
    std::string message;
    {
      const FaultyVfs vfs(kind, calls, lasting);
      message = refusal([&] {
        Campaigner campaigner(file, 1);
        for (; stored < kBlocks; ++stored) campaigner.store(blocks[stored]);
      });
      failed = vfs.failed();
    }
    if (message != "accepted") {
      EXPECT_THAT(message, HasSubstr(file)) << "call " << calls;
    }
    // The error may come after the commit took effect (its journal could not be removed, say, and
    // then was removed): at most the block in flight is there beyond what was acknowledged.
    ProfileDb after = open_to_write(file);
    const std::size_t found = whole_blocks(after, blocks);
    EXPECT_GE(found, stored) << "call " << calls;
    EXPECT_LE(found, stored + 1) << "call " << calls;
    EXPECT_THAT(after.check(), IsEmpty()) << "call " << calls;
  }
  EXPECT_GT(calls, 10);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FailingCalls,
                         ::testing::Values(std::pair{FaultyVfs::Kind::kWrite, false},
                                           std::pair{FaultyVfs::Kind::kWrite, true},
                                           std::pair{FaultyVfs::Kind::kSync, false},
                                           std::pair{FaultyVfs::Kind::kSync, true},
                                           std::pair{FaultyVfs::Kind::kRead, false},
                                           std::pair{FaultyVfs::Kind::kAny, true}));

TEST(FailingLocks, AFrozenProfileIsReadWithoutThem) {
  const TemporaryFolder folder;
  const std::string file = folder / "p.db";
  {
    ProfileDb database = open_to_write(file);
    fill(database, 1);
  }
  const Answers expected = ask(open_to_read(file));
  const FaultyVfs vfs(FaultyVfs::Kind::kLock, 0, true);
  EXPECT_THAT(refusal([&] { open_to_read(file); }), HasSubstr("no locks"));
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to become a user without rights";
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  std::filesystem::permissions(file, std::filesystem::perms(0444));
  EXPECT_EQ(in_child([&] {
              if (::setuid(65534) != 0) ::_exit(2);
              ::_exit(ask(open_to_read(file)) == expected ? 0 : 1);
            }),
            0);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
}

// ---- no space ----

// Stores blocks until that fails; checks what is left and returns the message.
std::string store_until_refused(const std::string& file) {
  constexpr std::size_t kBlocksMax = 4000;
  const auto blocks = expected_blocks(kBlocksMax, 1);
  std::size_t stored = 0;
  const std::string message = refusal([&] {
    Campaigner campaigner(file, 1);
    for (; stored < kBlocksMax; ++stored) campaigner.store(blocks[stored]);
  });
  const ProfileDb after = open_to_read(file);
  EXPECT_GT(stored, 10u);
  EXPECT_EQ(whole_blocks(after, blocks), stored);
  EXPECT_THAT(after.check(), IsEmpty());
  return message;
}

TEST(NoSpace, AFullDiskIsAnErrorAndTheOldContentStays) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to mount";
  const TemporaryFolder folder;
  const std::string mount_point = folder.path();
  if (::mount("none", mount_point.c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "this container may not mount";
  }
  EXPECT_THAT(store_until_refused(mount_point + "/p.db"), HasSubstr("no space left"));
  ::umount(mount_point.c_str());
}

TEST(NoSpace, ALimitOfFileSizesIsAnErrorAndTheOldContentStays) {
  const TemporaryFolder folder;
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);  // as the commands do: else the process ends here
    const rlimit limit{400 << 10, 400 << 10};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    const std::string message = store_until_refused(folder / "p.db");
    if (message.find("ulimit -f") == std::string::npos) throw std::runtime_error(message);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  });
  EXPECT_EQ(status, 0);
}

// ---- kills ----

TEST(Kills, LoseAtMostTheBlockInFlight) {
  constexpr std::size_t kBlocks = 400;
  constexpr int kKills = 200;
  const auto blocks = expected_blocks(kBlocks, 1);
  const TemporaryFolder folder(fast_storage());
  std::mt19937 random(1);
  std::size_t killed_in_time = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    const std::string file = folder / ("k" + std::to_string(kill) + ".db");
    int acknowledged[2] = {};
    ASSERT_EQ(::pipe(acknowledged), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Campaigner campaigner(file, 1);
      for (const auto& block : blocks) {
        campaigner.store(block);
        if (::write(acknowledged[1], "b", 1) != 1) ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(acknowledged[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 100'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    killed_in_time += WIFSIGNALED(status) ? 1 : 0;
    std::size_t promised = 0;
    for (char byte; ::read(acknowledged[0], &byte, 1) == 1;) ++promised;
    ::close(acknowledged[0]);
    if (promised > 0) {  // a reader repairs what the kill left
      const std::size_t found = whole_blocks(open_to_read(file), blocks);
      EXPECT_GE(found, promised);
      EXPECT_LE(found, promised + 1);
    }
    ProfileDb after = open_to_write(file);  // and so does whoever goes on writing
    EXPECT_THAT(after.check(), IsEmpty());
    after.ensure_platform({Id::random(), "next", {{"kernel", "next"}}});
    for (const char* left : {"-journal", "-wal", "-shm"}) {
      EXPECT_FALSE(std::filesystem::exists(file + left));
    }
    std::filesystem::remove(file);
  }
  EXPECT_GT(killed_in_time, kKills / 2u);
}

}  // namespace
}  // namespace nmt::profiledb
