// SPDX-License-Identifier: BSD-3-Clause
#include "node/shared_segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"

namespace nmt::node {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;

// One byte that carries one descriptor, as sendmsg and recvmsg want it.
struct Carrier {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};

  Carrier() {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  Carrier(const Carrier&) = delete;
};

// This process owns all descriptors that came with a message and must close them all, also
// unexpected ones: the padding of CMSG_SPACE has space for a second one.
std::vector<Descriptor> take_descriptors(msghdr& message) {
  std::vector<Descriptor> taken;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(header) + i * sizeof number, sizeof number);
      taken.emplace_back(number);
    }
  }
  return taken;
}

// A limit on file sizes (RLIMIT_FSIZE) also counts for memfds. While this object lives, exceeding
// it is an error instead of the signal that would end the caller's program.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoFileSizeSignal() {
    constexpr timespec kNow{};
    ::sigtimedwait(&signal_, nullptr, &kNow);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

}  // namespace

SharedSegment::SharedSegment(Descriptor descriptor, std::size_t size_bytes)
    : descriptor_(std::move(descriptor)) {
  void* start = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                       descriptor_.get(), 0);
  if (start == MAP_FAILED) {
    throw system_error(Fault::kFailed, fmt::format("mmap(shared, {} bytes)", size_bytes), errno);
  }
  memory_ = {static_cast<std::byte*>(start), size_bytes};
}

SharedSegment::SharedSegment(SharedSegment&& other) noexcept
    : descriptor_(std::move(other.descriptor_)), memory_(std::exchange(other.memory_, {})) {}

SharedSegment::~SharedSegment() {
  if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
}

SharedSegment SharedSegment::create(std::size_t size_bytes) {
  Descriptor descriptor(::memfd_create("nmadtune", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor) throw system_error(Fault::kFailed, "memfd_create", errno);
  int error = 0;
  {
    const NoFileSizeSignal guard;
    error = ::posix_fallocate(descriptor.get(), 0, static_cast<off_t>(size_bytes));
  }
  if (error != 0) {
    throw system_error(Fault::kFailed, fmt::format("shared memory of {} bytes", size_bytes), error,
                       "free memory, or raise the limits (ulimit -f, memory of the container)");
  }
  if (::fcntl(descriptor.get(), F_ADD_SEALS, kSeals | F_SEAL_SEAL) != 0) {
    throw system_error(Fault::kFailed, "fcntl(F_ADD_SEALS)", errno);
  }
  return SharedSegment(std::move(descriptor), size_bytes);
}

void SharedSegment::send(LocalSocket& socket) const {
  Carrier carrier;
  cmsghdr* header = CMSG_FIRSTHDR(&carrier.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int number = descriptor_.get();
  std::memcpy(CMSG_DATA(header), &number, sizeof number);
  if (::sendmsg(socket.descriptor(), &carrier.message, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) {
    throw system_error(Fault::kPeer, "sendmsg(shared memory)", errno);
  }
}

SharedSegment SharedSegment::receive(LocalSocket& socket, std::size_t size_bytes_expected,
                                     const Deadline& deadline) {
  pollfd waiting{socket.descriptor(), POLLIN, 0};
  while (::poll(&waiting, 1, deadline.left_ms()) <= 0) {
    if (deadline.passed()) throw Error(Fault::kPeer, "the peer sent no shared memory in time");
  }
  Carrier carrier;
  const ssize_t n = ::recvmsg(socket.descriptor(), &carrier.message, MSG_CMSG_CLOEXEC);
  if (n != 1)
    throw Error(Fault::kPeer, "the peer closed the connection before it sent shared memory");
  std::vector<Descriptor> taken = take_descriptors(carrier.message);
  Descriptor descriptor = taken.size() == 1 ? std::move(taken.front()) : Descriptor();
  struct stat status {};
  const int seals = ::fcntl(descriptor.get(), F_GET_SEALS);
  if (::fstat(descriptor.get(), &status) != 0 || seals < 0 || (seals & kSeals) != kSeals ||
      status.st_size != static_cast<off_t>(size_bytes_expected)) {
    throw Error(Fault::kPeer, fmt::format("the peer did not send sealed shared memory of {} bytes",
                                          size_bytes_expected));
  }
  return SharedSegment(std::move(descriptor), size_bytes_expected);
}

}  // namespace nmt::node
