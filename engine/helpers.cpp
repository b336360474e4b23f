// SPDX-License-Identifier: BSD-3-Clause
#include "engine/helpers.h"

#include <sched.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "node/node.h"

namespace nmt::engine {

Job::Job(Endpoint& endpoint, Method method, ConstBytes headers, ConstBytes body)
    : endpoint_(endpoint), method_(method) {
  NMT_CHECK(headers.size() == headers_.size());
  std::ranges::copy(headers, headers_.begin());
  packet_ = {headers_, body};
}

void Job::run() noexcept {
  try {
    endpoint_.send(method_, std::span(&packet_, 1));
  } catch (...) {
    failure_ = std::current_exception();
  }
  done_.store(true, std::memory_order_release);
}

void Job::check() const {
  if (failure_) std::rethrow_exception(failure_);
}

Helper::Helper(int core) : core_(core), thread_([this] { live(); }) {}

Helper::~Helper() {
  ending_.store(true, std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_one();
  thread_.join();
}

void Helper::start(Job& job) {
  NMT_CHECK(idle());
  job_.store(&job, std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_one();
}

void Helper::live() {
  try {
    pin_to(core_);
  } catch (const Error&) {
    // Wherever the kernel wants it: still another thread.
  }
  for (unsigned heard = 0;;) {
    calls_.wait(heard, std::memory_order_acquire);
    heard = calls_.load(std::memory_order_acquire);
    Job* job = job_.load(std::memory_order_acquire);
    if (job != nullptr) {
      job->run();  // who waits for it may be gone with it afterwards
      job_.store(nullptr, std::memory_order_release);
    }
    if (ending_.load(std::memory_order_acquire)) return;
  }
}

Helpers::Helpers(std::size_t count_max) {
  const int own = ::sched_getcpu();
  std::vector<int> cores = allowed_cores();
  std::erase(cores, own);
  const std::array<std::string, 4> kNearestFirst = {"shared-cache", "same-package", "other-package",
                                                    "hardware-threads"};
  const auto distance = [&](int core) {
    const std::string near = nmt::placement(own, core);
    return std::ranges::find(kNearestFirst, near) - kNearestFirst.begin();
  };
  std::ranges::stable_sort(cores, {}, distance);
  if (cores.size() > count_max) cores.resize(count_max);
  for (const int core : cores) helpers_.push_back(std::make_unique<Helper>(core));
  if (!cores.empty()) placement_ = nmt::placement(own, cores.back());
}

std::size_t Helpers::idle() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(helpers_, [](const auto& helper) { return helper->idle(); }));
}

Helper* Helpers::find_idle() {
  for (const std::unique_ptr<Helper>& helper : helpers_) {
    if (helper->idle()) return helper.get();
  }
  return nullptr;
}

}  // namespace nmt::engine
