// SPDX-License-Identifier: BSD-3-Clause
//
// A thread on another core that runs one task at a time for this thread.
//
// It sleeps until it gets a task. The time to wake it is what a profile calls the offload cost of
// its placement (sampler/rail/offload.h). An engine that hands submissions to other cores pays this
// cost (paper "multirail on multicore", II-C, III-D). Only one thread may call start().
#pragma once

#include <atomic>
#include <thread>

namespace nmt::node {

class Helper {
 public:
  class Task {
   public:
    virtual void run() noexcept = 0;

   protected:
    ~Task() = default;
  };

  explicit Helper(int core);  // pinned to `core` if the kernel allows that
  ~Helper();
  Helper(const Helper&) = delete;

  bool idle() const { return task_.load(std::memory_order_acquire) == nullptr; }
  // The helper must be idle. It uses the task until run() has returned, and never after that.
  void start(Task& task);

 private:
  void live();

  std::atomic<Task*> task_{nullptr};
  std::atomic<bool> ending_{false};
  std::atomic<unsigned> calls_{0};  // changes with every task, and at the end
  int core_;
  std::thread thread_;
};

}  // namespace nmt::node
