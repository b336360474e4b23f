// SPDX-License-Identifier: BSD-3-Clause
//
// Notifies listeners when memory of this process is unmapped, moved, or given back to the kernel. A
// listener that caches something about the pages (a NIC's registration of them) must drop it then:
// other content may appear at the same address.
//
// The kernel reports these events by userfaultfd, in write-protect mode with nothing protected, so
// no access to the memory ever faults. A thread that unmaps waits in the kernel until the watch's
// thread has read the event, so nothing can be mapped there before. The watch's thread must never
// wait for an unmapping itself: it neither allocates nor frees memory, and listeners only mark
// entries. There is one watch per process, because only one watch can register a page.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/descriptor.h"

namespace nmt::node {

class UnmapWatch {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // Called by the watch's thread with its lock held; must neither allocate nor free.
    virtual void unmapped(std::uintptr_t begin, std::uintptr_t end) noexcept = 0;
  };

  // One watch, shared by all callers and destroyed with the last. Null if the kernel does not
  // support it; `reason` then says why.
  static std::shared_ptr<UnmapWatch> of_this_process(std::string* reason = nullptr);

  ~UnmapWatch();
  UnmapWatch(const UnmapWatch&) = delete;

  // Watches whole pages; false if the kernel cannot (files) or if another watch has them.
  bool add(std::uintptr_t begin, std::uintptr_t end);

  void subscribe(Listener& listener);
  void unsubscribe(Listener& listener);

  // While the caller holds this lock, listeners know of every unmapping that happened before the
  // call.
  std::unique_lock<std::mutex> settled();

 private:
  UnmapWatch(Descriptor faults, Descriptor stop);
  void watch();

  Descriptor faults_;
  Descriptor stop_;
  std::atomic<unsigned> notifying_{0};  // > 0: events are read, or listeners are being notified
  std::mutex mutex_;                    // guards the listeners and what they cache
  std::vector<Listener*> listeners_;
  std::thread thread_;
};

}  // namespace nmt::node
