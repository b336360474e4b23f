// SPDX-License-Identifier: BSD-3-Clause
#include "node/unmap_watch.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/error.h"

namespace nmt::node {
namespace {

// User mode only: this needs no privilege, and no fault is ever handled.
Descriptor open_faults(std::string* reason) {
  const auto refuse = [reason](const char* call) {
    if (reason != nullptr) *reason = system_error(Fault::kFailed, call, errno).what();
    return Descriptor();
  };
  Descriptor faults(
      static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY)));
  if (!faults) return refuse("userfaultfd()");
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE |
                 UFFD_FEATURE_PAGEFAULT_FLAG_WP;
  if (::ioctl(faults.get(), UFFDIO_API, &api) != 0) return refuse("ioctl(UFFDIO_API)");
  return faults;
}

}  // namespace

std::shared_ptr<UnmapWatch> UnmapWatch::of_this_process(std::string* reason) {
  static std::mutex making;
  static std::weak_ptr<UnmapWatch> made;
  const std::lock_guard lock(making);
  if (auto watch = made.lock()) return watch;
  Descriptor faults = open_faults(reason);
  Descriptor stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!faults || !stop) return nullptr;
  std::shared_ptr<UnmapWatch> watch(new UnmapWatch(std::move(faults), std::move(stop)));
  made = watch;
  return watch;
}

UnmapWatch::UnmapWatch(Descriptor faults, Descriptor stop)
    : faults_(std::move(faults)), stop_(std::move(stop)), thread_([this] { watch(); }) {}

UnmapWatch::~UnmapWatch() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

bool UnmapWatch::add(std::uintptr_t begin, std::uintptr_t end) {
  uffdio_register range{};
  range.range = {begin, end - begin};
  range.mode = UFFDIO_REGISTER_MODE_WP;
  return ::ioctl(faults_.get(), UFFDIO_REGISTER, &range) == 0;
}

void UnmapWatch::subscribe(Listener& listener) {
  const std::lock_guard lock(mutex_);
  listeners_.push_back(&listener);
}

void UnmapWatch::unsubscribe(Listener& listener) {
  const std::lock_guard lock(mutex_);
  std::erase(listeners_, &listener);
}

// The kernel releases the unmapping thread after watch() reads the event and before it notifies the
// listeners; so this waits until no notification is in progress.
std::unique_lock<std::mutex> UnmapWatch::settled() {
  for (;;) {
    while (notifying_.load(std::memory_order_acquire) != 0) ::sched_yield();
    std::unique_lock lock(mutex_);
    if (notifying_.load(std::memory_order_acquire) == 0) return lock;
  }
}

void UnmapWatch::watch() {
  pollfd watched[] = {{faults_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
  for (;;) {
    if (::poll(watched, 2, -1) < 0 && errno != EINTR) return;
    if (watched[1].revents != 0) return;
    notifying_.fetch_add(1, std::memory_order_acq_rel);
    uffd_msg message;
    while (::read(faults_.get(), &message, sizeof message) == sizeof message) {
      std::uintptr_t begin = message.arg.remove.start, end = message.arg.remove.end;
      if (message.event == UFFD_EVENT_REMAP) {
        begin = message.arg.remap.from;
        end = begin + message.arg.remap.len;
      } else if (message.event != UFFD_EVENT_UNMAP && message.event != UFFD_EVENT_REMOVE) {
        continue;
      }
      const std::lock_guard lock(mutex_);
      for (Listener* listener : listeners_) listener->unmapped(begin, end);
    }
    notifying_.fetch_sub(1, std::memory_order_acq_rel);
  }
}

}  // namespace nmt::node
