// SPDX-License-Identifier: BSD-3-Clause
#include "node/helper.h"

#include "core/error.h"
#include "node/cores.h"

namespace nmt::node {

Helper::Helper(int core) : core_(core), thread_([this] { live(); }) {}

Helper::~Helper() {
  ending_.store(true, std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_one();
  thread_.join();
}

void Helper::start(Task& task) {
  NMT_CHECK(idle());
  task_.store(&task, std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_one();
}

void Helper::live() {
  try {
    pin_to(core_);
  } catch (const Error&) {
    // Runs on any core then: it is still another thread.
  }
  for (unsigned heard = 0;;) {
    calls_.wait(heard, std::memory_order_acquire);
    heard = calls_.load(std::memory_order_acquire);
    Task* task = task_.load(std::memory_order_acquire);
    if (task != nullptr) {
      task->run();  // the task may be destroyed right after this
      task_.store(nullptr, std::memory_order_release);
    }
    if (ending_.load(std::memory_order_acquire)) return;
  }
}

}  // namespace nmt::node
