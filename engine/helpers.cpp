// SPDX-License-Identifier: BSD-3-Clause
#include "engine/helpers.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"
#include "node/node.h"

namespace nmt::engine {
namespace {

constexpr unsigned kRestMax = 1024;  // messages: then the core may be free again

}  // namespace

Job::Job(drivers::Endpoint& endpoint, Method method, drivers::ConstBytes headers,
         drivers::ConstBytes body)
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

bool CoreHelper::take_back() {
  if (!helper_.take_back()) return false;
  rests_for_ = next_rest_;
  next_rest_ = std::min(2 * next_rest_, kRestMax);
  return true;
}

Helpers::Helpers(std::size_t count_max, node::Helper::Rest rest) {
  const int own = ::sched_getcpu();
  std::vector<int> cores = node::allowed_cores();
  std::erase(cores, own);
  constexpr std::array<std::string_view, 4> kNearestFirst = {"shared-cache", "same-package",
                                                             "other-package", "hardware-threads"};
  const auto distance = [&](int core) {
    const std::string near = nmt::node::placement(own, core);
    return std::ranges::find(kNearestFirst, near) - kNearestFirst.begin();
  };
  std::ranges::stable_sort(cores, {}, distance);
  if (cores.size() > count_max) cores.resize(count_max);
  for (const int core : cores) helpers_.push_back(std::make_unique<CoreHelper>(core, rest));
  if (cores.empty()) return;
  placement_ = nmt::node::placement(own, cores.back());
  if (rest == node::Helper::Rest::kSpins) placement_ += " spinning";
}

std::size_t Helpers::idle() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(helpers_, [](const auto& helper) { return helper->idle(); }));
}

CoreHelper* Helpers::find_idle() {
  for (const std::unique_ptr<CoreHelper>& helper : helpers_) {
    if (helper->idle()) return helper.get();
  }
  return nullptr;
}

void Helpers::count_message() {
  for (const std::unique_ptr<CoreHelper>& helper : helpers_) helper->count_message();
}

}  // namespace nmt::engine
