// SPDX-License-Identifier: BSD-3-Clause
//
// A thread on another core that does one thing at a time for this one.
//
// It sleeps until there is something to do: what waking it costs is what a profile calls the
// offload cost of its placement (sampler/rail/offload.h), and what an engine that hands submissions
// to other cores pays (paper "multirail on multicore", II-C, III-D). start() belongs to one thread.
#pragma once

#include <atomic>
#include <thread>

namespace nmt {

class Helper {
 public:
  class Task {
   public:
    virtual void run() noexcept = 0;

   protected:
    ~Task() = default;
  };

  explicit Helper(int core);  // stays on it where the kernel allows that
  ~Helper();
  Helper(const Helper&) = delete;

  bool idle() const { return task_.load(std::memory_order_acquire) == nullptr; }
  // Of an idle one. The task is the helper's until it has run; then nothing touches it any more.
  void start(Task& task);

 private:
  void live();

  std::atomic<Task*> task_{nullptr};
  std::atomic<bool> ending_{false};
  std::atomic<unsigned> calls_{0};  // changes with every task, and at the end
  int core_;
  std::thread thread_;
};

}  // namespace nmt
