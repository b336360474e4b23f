// SPDX-License-Identifier: BSD-3-Clause
//
// A thread on another core that runs one task at a time for this thread.
//
// Between tasks it sleeps or, if the user has a core for that, polls for the next task all the
// time. The time until it begins a task is what a profile calls the offload cost of its placement
// (sampler/rail/offload.h). An engine that hands submissions to other cores pays this cost (paper
// "multirail on multicore", II-C, III-D). If another thread computes on that core, a helper that
// sleeps begins only milliseconds later. So the caller can take back a task that the helper has not
// begun. The helper is idle again only after it has noticed that. Only one thread may call start()
// and take_back().
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

  enum class Rest { kSleeps, kSpins };

  explicit Helper(int core, Rest rest = Rest::kSleeps);  // pinned to `core` if the kernel allows it
  ~Helper();
  Helper(const Helper&) = delete;

  bool idle() const {
    return state_.load(std::memory_order_acquire) == State::kNoTask &&
           heard_.load(std::memory_order_acquire) == calls_.load(std::memory_order_relaxed);
  }
  // The helper must be idle. It uses the task until run() has returned, and never after that.
  void start(Task& task);
  // Takes back the last task, which has not ended; false if the helper has begun it.
  bool take_back();

 private:
  enum class State { kNoTask, kGiven, kBegun };

  void live();
  unsigned next_call(unsigned heard) const;

  std::atomic<State> state_{State::kNoTask};
  Task* task_ = nullptr;  // while there is one
  std::atomic<bool> ending_{false};
  std::atomic<unsigned> calls_{0};  // changes with every task, and at the end
  std::atomic<unsigned> heard_{0};  // the last call that the helper is done with
  int core_;
  Rest rest_;
  std::thread thread_;
};

}  // namespace nmt::node
