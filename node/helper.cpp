// SPDX-License-Identifier: BSD-3-Clause
#include "node/helper.h"

#include "core/error.h"
#include "node/cores.h"

namespace nmt::node {

Helper::Helper(int core, Rest rest) : core_(core), rest_(rest), thread_([this] { live(); }) {}

Helper::~Helper() {
  ending_.store(true, std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_one();
  thread_.join();
}

void Helper::start(Task& task) {
  NMT_CHECK(idle());
  task_ = &task;
  state_.store(State::kGiven, std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  if (rest_ == Rest::kSleeps) calls_.notify_one();
}

bool Helper::take_back() {
  State given = State::kGiven;
  return state_.compare_exchange_strong(given, State::kNoTask, std::memory_order_acq_rel);
}

// Waits until there is another call than `heard`, and returns it.
unsigned Helper::next_call(unsigned heard) const {
  if (rest_ == Rest::kSleeps) calls_.wait(heard, std::memory_order_acquire);
  unsigned call = heard;
  while (call == heard) call = calls_.load(std::memory_order_acquire);
  return call;
}

void Helper::live() {
  try {
    pin_to(core_);
  } catch (const Error&) {
    // Runs on any core then: it is still another thread.
  }
  for (unsigned heard = 0;;) {
    heard = next_call(heard);
    State given = State::kGiven;
    if (state_.compare_exchange_strong(given, State::kBegun, std::memory_order_acq_rel)) {
      task_->run();  // the task may be destroyed right after this
      state_.store(State::kNoTask, std::memory_order_release);
    }
    heard_.store(heard, std::memory_order_release);
    if (ending_.load(std::memory_order_acquire)) return;
  }
}

}  // namespace nmt::node
