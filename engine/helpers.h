// SPDX-License-Identifier: BSD-3-Clause
//
// Threads on other cores that give messages to drivers, so that the copies of several eager chunks
// go on at the same time (paper "multirail on multicore", II-C, III-D).
//
// A job belongs to its helper (node/helper.h) from start() until done() is true; meanwhile nobody
// else may touch its endpoint.
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "drivers/drivers.h"
#include "engine/wire.h"
#include "node/node.h"

namespace nmt::engine {

// One message of one packet, to be sent elsewhere.
class Job final : public Helper::Task {
 public:
  Job(Endpoint& endpoint, Method method, ConstBytes headers, ConstBytes body);

  void run() noexcept override;
  bool done() const { return done_.load(std::memory_order_acquire); }
  // Of a job that is done: throws what the driver threw.
  void check() const;

 private:
  Endpoint& endpoint_;
  Method method_;
  std::array<std::byte, sizeof(Head) + sizeof(Label)> headers_;
  Packet packet_;
  std::exception_ptr failure_;
  std::atomic<bool> done_{false};
};

// The helpers of an engine, nearest core first, and how near all of them are at least.
class Helpers {
 public:
  // One for each core that this process may use besides the one it is on, up to `count_max`.
  explicit Helpers(std::size_t count_max);

  const std::string& placement() const { return placement_; }
  std::size_t idle() const;
  Helper* find_idle();

 private:
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::string placement_;
};

}  // namespace nmt::engine
