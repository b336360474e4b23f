// SPDX-License-Identifier: BSD-3-Clause
#include "node/cross_memory_attach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <numeric>

#include "core/error.h"
#include "tests/node/child.h"

namespace nmt::node {
namespace {

using testing::HasSubstr;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// What a probe in a child says with this system call filtered.
std::string probed_with(int error) {
  return in_child([&] {
    filter_system_call(SYS_process_vm_readv, error);
    const std::optional<Refusal> refusal = probe_cross_memory_attach("shm rendezvous");
    return refusal ? refusal->rail + ": " + refusal->reason + "; " + refusal->remedy : "works";
  });
}

TEST(Probe, NamesASeccompFilterThatForbids) {
  const std::string refusal = probed_with(EPERM);
  EXPECT_THAT(refusal, HasSubstr("shm rendezvous: process_vm_readv is forbidden by a seccomp"));
  EXPECT_THAT(refusal, HasSubstr("SYS_PTRACE"));
}

TEST(Probe, NamesASeccompFilterThatHidesTheCall) {
  const std::string refusal = probed_with(ENOSYS);
  EXPECT_THAT(refusal, HasSubstr("Function not implemented"));
  EXPECT_THAT(refusal, HasSubstr("seccomp profile"));
}

TEST(Probe, SurvivesAFilterThatKills) {
  EXPECT_THAT(probed_with(0), HasSubstr("ends the process"));
}

// This process's own view of /proc/sys/kernel, with yama set as given.
bool pretend_yama(const std::string& scope) {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", "/proc/sys/kernel", "tmpfs", 0, nullptr) != 0 ||
      ::mkdir("/proc/sys/kernel/yama", 0755) != 0) {
    return false;
  }
  std::ofstream("/proc/sys/kernel/yama/ptrace_scope") << scope << "\n";
  return true;
}

TEST(Probe, NamesYamaAndHowToLowerIt) {
  for (const auto& [scope, remedy] :
       {std::pair{"2", "sysctl kernel.yama.ptrace_scope=1"}, std::pair{"3", "boot with"}}) {
    const std::string refusal = in_child([pretended = scope]() -> std::string {
      if (!pretend_yama(pretended)) return "no namespace";
      filter_system_call(SYS_process_vm_readv, EPERM);
      const std::optional<Refusal> refused = probe_cross_memory_attach("shm rendezvous");
      return refused ? refused->reason + "; " + refused->remedy : "works";
    });
    if (refusal == "no namespace") GTEST_SKIP() << "mount namespaces are not permitted here";
    EXPECT_THAT(refusal, HasSubstr(std::string("kernel.yama.ptrace_scope ") + scope));
    EXPECT_THAT(refusal, HasSubstr(remedy));
  }
}

TEST(Probe, LeavesNoChildBehind) {
  probe_cross_memory_attach("shm rendezvous");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

class ReadFromProcess : public testing::Test {
 protected:
  void SetUp() override {
    const std::optional<Refusal> refusal = probe_cross_memory_attach("shm rendezvous");
    if (refusal) GTEST_SKIP() << refusal->reason;
  }

  // The fault of reading `size_bytes` at `address` of `process`; "none" where it works.
  static std::string fault_of_reading(pid_t process, std::uint64_t address,
                                      std::size_t size_bytes) {
    std::vector<std::byte> to(size_bytes);
    try {
      read_from_process(process, address, to);
    } catch (const Error& error) {
      return error.fault() == Fault::kPeer ? "peer" : "failed";
    }
    return "none";
  }
};

TEST_F(ReadFromProcess, BringsWhatLiesInTheOther) {
  std::vector<std::uint8_t> content(100000);
  std::iota(content.begin(), content.end(), std::uint8_t{1});
  const pid_t parent = ::getpid();
  EXPECT_EQ(in_child([&] {
              const std::vector<std::uint8_t> expected = content;
              std::vector<std::uint8_t> seen(content.size());
              content.assign(content.size(), 0);  // the child's own copy
              read_from_process(parent, address_of(content.data()),
                                std::as_writable_bytes(std::span(seen)));
              return seen == expected ? "same" : "other";
            }),
            "same");
}

// The kernel brings the part that can be read, and no error.
TEST_F(ReadFromProcess, TakesAShortCountForALostPeer) {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* two = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(two, MAP_FAILED);
  ASSERT_EQ(::mprotect(static_cast<std::byte*>(two) + page, page, PROT_NONE), 0);
  EXPECT_EQ(fault_of_reading(::getpid(), address_of(two), page), "none");
  EXPECT_EQ(fault_of_reading(::getpid(), address_of(two), page + 1), "peer");
  EXPECT_EQ(fault_of_reading(::getpid(), address_of(two) + page, 1), "peer");
  ::munmap(two, 2 * page);
}

TEST_F(ReadFromProcess, TellsADeadProcess) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(fault_of_reading(child, address_of(&child), 4), "peer");
}

TEST_F(ReadFromProcess, TellsWhatIsForbiddenFromWhatIsLost) {
  EXPECT_EQ(in_child([] {
              filter_system_call(SYS_process_vm_readv, EPERM);
              return fault_of_reading(::getpid(), address_of(&errno), 4);
            }),
            "failed");
}

TEST_F(ReadFromProcess, IsForbiddenBetweenSiblingUserNamespaces) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t sibling = ::fork();
  if (sibling == 0) {
    const char outcome = ::unshare(CLONE_NEWUSER) == 0 ? 'y' : 'n';
    if (::write(ready[1], &outcome, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char outcome = 'n';
  ASSERT_EQ(::read(ready[0], &outcome, 1), 1);
  std::string seen = "no namespace";
  if (outcome == 'y') {
    seen = in_child([&]() -> std::string {
      if (::unshare(CLONE_NEWUSER) != 0) return "no namespace";
      return fault_of_reading(sibling, address_of(&ready), sizeof ready);
    });
  }
  ::kill(sibling, SIGKILL);
  ::waitpid(sibling, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  if (seen == "no namespace") GTEST_SKIP() << "user namespaces are not permitted here";
  EXPECT_EQ(seen, "failed");
}

}  // namespace
}  // namespace nmt::node
