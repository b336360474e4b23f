// SPDX-License-Identifier: BSD-3-Clause
//
// The lab itself: what it promises to the tests that run in it.
#include "tests/lab/lab.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "tests/tools/process.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using SteadyClock = std::chrono::steady_clock;

class LabTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

sockaddr_in socket_address(const std::string& address, std::uint16_t port) {
  sockaddr_in socket{};
  socket.sin_family = AF_INET;
  socket.sin_port = htons(port);
  ::inet_pton(AF_INET, address.c_str(), &socket.sin_addr);
  return socket;
}

constexpr std::uint16_t kPort = 7000;

// In a process of its own: takes one connection in host "one" and reads it to its end.
pid_t start_sink(const Lab& lab, unsigned rail) {
  int ready[2];
  if (::pipe(ready) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    lab.enter("one");
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in own = socket_address(lab.address("one", rail), kPort);
    const int on = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(listener, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) ::_exit(1);
    ::listen(listener, 1);
    if (::write(ready[1], "r", 1) != 1) ::_exit(1);
    const int connected = ::accept(listener, nullptr, nullptr);
    std::vector<char> buffer(65536);
    while (::read(connected, buffer.data(), buffer.size()) > 0) {
    }
    ::_exit(0);
  }
  ::close(ready[1]);
  char byte = 0;
  if (::read(ready[0], &byte, 1) != 1) ADD_FAILURE() << "the sink did not start";
  ::close(ready[0]);
  return child;
}

// Seconds that `size_bytes` take from host "two" to a sink in "one".
double transfer_s(const Lab& lab, unsigned rail, std::size_t size_bytes) {
  const pid_t sink = start_sink(lab, rail);
  const auto start = SteadyClock::now();
  const pid_t sender = ::fork();
  if (sender == 0) {
    lab.enter("two");
    const int connected = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in peer = socket_address(lab.address("one", rail), kPort);
    if (::connect(connected, reinterpret_cast<const sockaddr*>(&peer), sizeof peer) != 0) {
      ::_exit(1);
    }
    const std::vector<char> data(size_bytes);
    for (std::size_t sent = 0; sent < size_bytes;) {
      const ssize_t n = ::write(connected, data.data() + sent, size_bytes - sent);
      if (n <= 0) ::_exit(1);
      sent += static_cast<std::size_t>(n);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(sender, &status, 0);
  EXPECT_EQ(status, 0);
  ::waitpid(sink, &status, 0);
  EXPECT_EQ(status, 0);
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

std::string namespaces() { return run({"ip", "netns", "list"}).out; }

bool gone_within(const std::string& name, double seconds) {
  const auto end = SteadyClock::now() + std::chrono::duration<double>(seconds);
  while (SteadyClock::now() < end) {
    if (namespaces().find("nmtlab-" + name) == std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST_F(LabTest, RailsAreAsSlowAsTheirRates) {
  constexpr std::size_t kSizeBytes = 2'000'000;
  const Lab lab({200, 50});
  const double wire_s[] = {8.0 * kSizeBytes / 200e6, 8.0 * kSizeBytes / 50e6};
  for (const unsigned rail : {0u, 1u}) {
    double shortest_s = transfer_s(lab, rail, kSizeBytes);
    for (int again = 0; again < 4; ++again) {  // on a busy machine
      shortest_s = std::min(shortest_s, transfer_s(lab, rail, kSizeBytes));
    }
    EXPECT_GT(shortest_s, 0.9 * wire_s[rail]);
    EXPECT_LT(shortest_s, 3 * wire_s[rail]);
  }
}

TEST_F(LabTest, ARailThatIsGivenAnotherRateHasIt) {
  constexpr std::size_t kSizeBytes = 2'000'000;
  const Lab lab({200});
  lab.rate("r0", 20);
  EXPECT_GT(transfer_s(lab, 0, kSizeBytes), 0.9 * 8 * kSizeBytes / 20e6);
  EXPECT_THROW(lab.rate("r1", 20), Error);
  const Lab cluster(Cluster{.hosts = 2});
  cluster.rate("h1", 20);
  const std::vector<std::string> port = {"tc", "qdisc", "show", "dev", "e0"};
  EXPECT_NE(run(cluster.in("h1", port)).out.find("rate 20Mbit"), std::string::npos);
  EXPECT_EQ(run(cluster.in("h0", port)).out.find("rate 20Mbit"), std::string::npos);
}

TEST_F(LabTest, HostsReachNothingButEachOther) {
  const Lab lab({1000});
  const Result routes = run(lab.in("one", {"ip", "route", "get", "192.0.2.1"}));
  EXPECT_NE(routes.exit_code, 0);
  EXPECT_THAT(routes.err, HasSubstr("unreachable"));
  EXPECT_EQ(run(lab.in("one", {"ip", "route", "get", lab.address("two", 0)})).exit_code, 0);
  EXPECT_THAT(run(lab.in("two", {"ip", "-oneline", "address"})).out, Not(HasSubstr("inet6")));
}

TEST_F(LabTest, HostsHaveNamesAndTemporaryFoldersOfTheirOwn) {
  const Lab lab({1000});
  EXPECT_EQ(run(lab.in("one", {"hostname"})).out, "one\n");
  EXPECT_EQ(run(lab.in("two", {"hostname"})).out, "two\n");
  const std::string one = run(lab.in("one", {"sh", "-c", "echo $TMPDIR"})).out;
  EXPECT_NE(one, run(lab.in("two", {"sh", "-c", "echo $TMPDIR"})).out);
  EXPECT_EQ(run(lab.in("one", {"sh", "-c", "test -d $TMPDIR"})).exit_code, 0);
}

TEST_F(LabTest, HostsKnowEachOtherByName) {
  const Lab rails({100, 50});
  EXPECT_EQ(run(rails.in("one", {"getent", "hosts", "two"})).out.substr(0, 9), "10.77.0.2");
  const Lab cluster(Cluster{.hosts = 2});
  EXPECT_EQ(run(cluster.in("h1", {"getent", "hosts", "h0"})).out.substr(0, 9), "10.78.0.1");
}

TEST_F(LabTest, ASignalReachesTheCommandThatRunsInAHost) {
  const Lab lab({1000});
  const Process process(lab.in("one", {"sleep", "60"}));
  std::string name;
  for (int i = 0; i < 200 && name != "sleep"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ifstream("/proc/" + std::to_string(process.pid()) + "/comm") >> name;
  }
  EXPECT_EQ(name, "sleep");
}

TEST_F(LabTest, LeavesNothingBehind) {
  std::string name;
  pid_t left = 0;
  {
    const Lab lab({1000, 600});
    name = lab.name();
    EXPECT_THAT(namespaces(), HasSubstr("nmtlab-" + name));
    const Result background =
        run(lab.in("two", {"sh", "-c", "sleep 60 </dev/null >/dev/null 2>&1 & echo $!"}));
    left = std::stoi(background.out);
    EXPECT_EQ(::kill(left, 0), 0);
  }
  EXPECT_TRUE(gone_within(name, 5));
  EXPECT_FALSE(std::filesystem::exists("/run/nmadtune-lab/" + name));
  std::string state;
  for (int i = 0; i < 100 && ::kill(left, 0) == 0 && state != "Z"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::string skipped;
    std::ifstream("/proc/" + std::to_string(left) + "/stat") >> skipped >> skipped >> state;
  }
  EXPECT_TRUE(::kill(left, 0) != 0 || state == "Z");
}

TEST_F(LabTest, GoesWhenItsOwnerIsKilled) {
  int names[2];
  ASSERT_EQ(::pipe(names), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    const Lab lab({1000});
    if (::write(names[1], lab.name().data(), lab.name().size()) < 0) ::_exit(1);
    ::pause();
  }
  char name[32] = {};
  ASSERT_GT(::read(names[0], name, sizeof name - 1), 0);
  EXPECT_THAT(namespaces(), HasSubstr(name));
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_TRUE(gone_within(name, 10)) << name;
  ::close(names[0]);
  ::close(names[1]);
}

TEST_F(LabTest, IsNotMadeHalf) {
  // A tc that fails for the second rail.
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("nmadtune-tc-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path tc = folder / "tc";
  std::ofstream(tc) << "#!/bin/sh\ncase \"$*\" in *r1*) exit 1 ;; esac\n";
  std::filesystem::permissions(tc, std::filesystem::perms::owner_all);
  const Setting setting{
      .environment = {{"PATH", folder.string() + ":" + std::string(::getenv("PATH"))}}};
  const Result result =
      run({NMT_LAB_SCRIPT, "--lab", "half", "up", "rails", "100", "200"}, setting);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(gone_within("half", 5));
  EXPECT_FALSE(std::filesystem::exists("/run/nmadtune-lab/half"));
  std::filesystem::remove_all(folder);
}

TEST_F(LabTest, RefusesRatesThatNoRailCanHave) {
  for (const char* rate : {"0", "1001", "fast", "-5", "1e3"}) {
    const Result result = run({NMT_LAB_SCRIPT, "--lab", "never", "up", "rails", rate});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(rate));
  }
}

}  // namespace
}  // namespace nmt::testing
