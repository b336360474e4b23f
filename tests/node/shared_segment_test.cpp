// SPDX-License-Identifier: BSD-3-Clause
#include "node/shared_segment.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

#include "core/error.h"
#include "tests/node/child.h"

namespace nmt::node {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::size_t kSizeBytes = 100000;

struct SocketPair {
  LocalSocket listening;
  LocalSocket connecting;
};

SocketPair connected_pair() {
  LocalListener listener;
  const Deadline deadline(5s);
  LocalSocket connecting = LocalSocket::connect(listener.address(), ::getpid(), deadline);
  return {listener.accept(::getpid(), deadline), std::move(connecting)};
}

// Whatever is no segment of ours, as a stranger might send it.
void send_descriptors(int socket, const std::vector<int>& numbers) {
  char byte = 0;
  iovec data{&byte, 1};
  const std::size_t size_bytes = numbers.size() * sizeof(int);
  std::vector<cmsghdr> control(CMSG_SPACE(size_bytes) / sizeof(cmsghdr) + 1);
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(size_bytes);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(size_bytes);
  std::memcpy(CMSG_DATA(header), numbers.data(), size_bytes);
  ASSERT_EQ(::sendmsg(socket, &message, 0), 1);
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

std::string receiving(LocalSocket& socket, std::size_t size_bytes,
                      std::chrono::nanoseconds timeout = 2s) {
  try {
    SharedSegment::receive(socket, size_bytes, Deadline(timeout));
  } catch (const Error& error) {
    return error.fault() == Fault::kPeer ? error.what() : "another fault";
  }
  return "received";
}

TEST(SharedSegment, IsTheSameMemoryAtBothEnds) {
  SocketPair pair = connected_pair();
  SharedSegment segment = SharedSegment::create(kSizeBytes);
  EXPECT_EQ(segment.memory().size(), kSizeBytes);
  EXPECT_TRUE(std::all_of(segment.memory().begin(), segment.memory().end(),
                          [](std::byte byte) { return byte == std::byte{0}; }));
  segment.send(pair.listening);
  SharedSegment other = SharedSegment::receive(pair.connecting, kSizeBytes, Deadline(2s));
  EXPECT_NE(segment.memory().data(), other.memory().data());
  segment.memory().back() = std::byte{7};
  EXPECT_EQ(other.memory().back(), std::byte{7});
}

TEST(SharedSegment, LeavesNoName) {
  const SharedSegment segment = SharedSegment::create(kSizeBytes);
  EXPECT_NE(std::system("ls /dev/shm | grep nmadtune | grep -qv nmadtune-test"), 0);
}

TEST(SharedSegment, IsAnErrorAtCreationWhereMemoryIsLimited) {
  const std::string failure = in_child([] {
    const rlimit limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    SharedSegment::create(2 << 20);
    return std::string("created");
  });
  EXPECT_THAT(failure, HasSubstr("shared memory of 2097152 bytes"));
  EXPECT_THAT(failure, HasSubstr("ulimit -f"));
}

TEST(SharedSegment, RefusesAnotherSize) {
  SocketPair pair = connected_pair();
  SharedSegment::create(kSizeBytes).send(pair.listening);
  EXPECT_THAT(receiving(pair.connecting, kSizeBytes + 1),
              HasSubstr("did not send sealed shared memory"));
}

TEST(SharedSegment, RefusesMemoryThatCouldShrink) {
  SocketPair pair = connected_pair();
  const Descriptor unsealed(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), kSizeBytes), 0);
  send_descriptors(pair.listening.descriptor(), {unsealed.get()});
  EXPECT_THAT(receiving(pair.connecting, kSizeBytes),
              HasSubstr("did not send sealed shared memory"));
}

TEST(SharedSegment, RefusesWhatIsNoMemory) {
  SocketPair pair = connected_pair();
  send_descriptors(pair.listening.descriptor(), {STDIN_FILENO});
  EXPECT_THAT(receiving(pair.connecting, kSizeBytes),
              HasSubstr("did not send sealed shared memory"));
}

TEST(SharedSegment, KeepsNothingOfAMessageWithSeveralDescriptors) {
  const Descriptor memory(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(memory.get(), kSizeBytes), 0);
  ASSERT_EQ(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  for (const std::size_t count : {2, 3, 100}) {
    SocketPair pair = connected_pair();
    send_descriptors(pair.listening.descriptor(), std::vector<int>(count, memory.get()));
    const std::ptrdiff_t before = open_descriptors();
    EXPECT_THAT(receiving(pair.connecting, kSizeBytes),
                HasSubstr("did not send sealed shared memory"));
    EXPECT_EQ(open_descriptors(), before) << count << " sent";
  }
}

TEST(SharedSegment, RefusesAMessageWithoutADescriptor) {
  SocketPair pair = connected_pair();
  ASSERT_EQ(::send(pair.listening.descriptor(), "x", 1, 0), 1);
  EXPECT_THAT(receiving(pair.connecting, kSizeBytes),
              HasSubstr("did not send sealed shared memory"));
}

TEST(SharedSegment, DoesNotWaitForAClosedEnd) {
  SocketPair pair = connected_pair();
  pair.listening = connected_pair().listening;
  EXPECT_THAT(receiving(pair.connecting, kSizeBytes), HasSubstr("closed"));
}

TEST(SharedSegment, GivesUpAtTheDeadline) {
  SocketPair pair = connected_pair();
  EXPECT_THAT(receiving(pair.connecting, kSizeBytes, 20ms), HasSubstr("sent no shared memory"));
}

TEST(LocalSocket, NoticesTheOtherEndsDeath) {
  LocalListener listener;
  const pid_t child = ::fork();
  if (child == 0) {
    const LocalSocket socket = LocalSocket::connect(listener.address(), ::getppid(), Deadline(5s));
    for (;;) ::pause();
  }
  const LocalSocket socket = listener.accept(child, Deadline(5s));
  EXPECT_FALSE(socket.peer_gone());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(socket.peer_gone());
}

TEST(LocalSocket, DropsStrangersAndGoesOnWaiting) {
  LocalListener listener;
  // A process of this user that is not the one expected.
  const std::string stranger = in_child([&] {
    LocalSocket::connect(listener.address(), ::getppid(), Deadline(5s));
    return std::string("connected");
  });
  EXPECT_EQ(stranger, "connected");
  const LocalSocket wanted = LocalSocket::connect(listener.address(), ::getpid(), Deadline(5s));
  const LocalSocket accepted = listener.accept(::getpid(), Deadline(5s));
  EXPECT_EQ(::send(wanted.descriptor(), "x", 1, 0), 1);
  char byte = 0;
  EXPECT_EQ(::recv(accepted.descriptor(), &byte, 1, 0), 1);
  EXPECT_EQ(byte, 'x');
}

TEST(LocalSocket, DoesNotTalkToAnotherProcessThanTheOneNamed) {
  const LocalListener listener;
  EXPECT_THROW(LocalSocket::connect(listener.address(), ::getppid(), Deadline(5s)), Error);
}

TEST(LocalSocket, GivesUpAtTheDeadline) {
  LocalListener listener;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(listener.accept(::getpid(), Deadline(50ms)), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
}

TEST(LocalSocket, RefusesAddressesThatAreNone) {
  EXPECT_THROW(LocalSocket::connect(std::string(70000, 'a'), ::getpid(), Deadline(1s)), Error);
  EXPECT_THROW(LocalSocket::connect("0123", ::getpid(), Deadline(1s)), Error);
  EXPECT_NE(LocalListener().address(), LocalListener().address());
}

}  // namespace
}  // namespace nmt::node
