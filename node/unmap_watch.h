// SPDX-License-Identifier: BSD-3-Clause
//
// Tells when memory of this process stops being what it was: unmapped, moved, or given back to the
// kernel. Who keeps something that belongs to the pages (a NIC's registration of them) must drop it
// then, or another content at the same address would go unseen.
//
// The kernel tells by userfaultfd, in its write-protect mode with nothing protected: no access to
// the memory ever faults. Whoever unmaps waits in the kernel until a thread of the watch has read
// that it did, so that nothing can be mapped there again unnoticed. That thread must never wait for
// memory to be unmapped itself: it takes no memory and gives none back, and listeners only mark.
// One watch per process, since a page can be watched by one only.
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

namespace nmt {

class UnmapWatch {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // Called by the watch's thread with its lock held; must neither allocate nor free.
    virtual void unmapped(std::uintptr_t begin, std::uintptr_t end) noexcept = 0;
  };

  // Made by the first who asks, gone with the last; null where the kernel does not tell, `reason`
  // says why.
  static std::shared_ptr<UnmapWatch> of_this_process(std::string* reason = nullptr);

  ~UnmapWatch();
  UnmapWatch(const UnmapWatch&) = delete;

  // Watches whole pages; false where the kernel cannot (files), or where somebody else does.
  bool add(std::uintptr_t begin, std::uintptr_t end);

  void subscribe(Listener& listener);
  void unsubscribe(Listener& listener);

  // With this lock held, listeners know of everything that was unmapped before.
  std::unique_lock<std::mutex> settled();

 private:
  UnmapWatch(Descriptor faults, Descriptor stop);
  void watch();

  Descriptor faults_;
  Descriptor stop_;
  std::atomic<unsigned> notifying_{0};  // events are being read or told to listeners
  std::mutex mutex_;                    // of the listeners, and of what they keep
  std::vector<Listener*> listeners_;
  std::thread thread_;
};

}  // namespace nmt
