// SPDX-License-Identifier: BSD-3-Clause
//
// Threads on other cores that give messages to drivers, so that the copies of several eager chunks
// run at the same time (paper "multirail on multicore", II-C, III-D).
//
// A job belongs to its helper (node/helper.h) from start() until done() is true or it is taken
// back. In that time no other thread may use its endpoint.
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

// One message of one packet, sent by a helper.
class Job final : public node::Helper::Task {
 public:
  Job(drivers::Endpoint& endpoint, Method method, drivers::ConstBytes headers,
      drivers::ConstBytes body);

  void run() noexcept override;
  bool done() const { return done_.load(std::memory_order_acquire); }
  // Call it when done() is true: throws the driver's exception, if there was one.
  void check() const;

 private:
  drivers::Endpoint& endpoint_;
  Method method_;
  std::array<std::byte, sizeof(Head) + sizeof(Label)> headers_;
  drivers::Packet packet_;
  std::exception_ptr failure_;
  std::atomic<bool> done_{false};
};

// The helpers of an engine, nearest core first, and the placement of the farthest one, as the
// profile calls it ("shared-cache", "shared-cache spinning").
class Helpers {
 public:
  // One for each core that this process may use, except the caller's core; at most `count_max`.
  Helpers(std::size_t count_max, node::Helper::Rest rest);

  const std::string& placement() const { return placement_; }
  // How many helpers can take a task: those that have none, and that have noticed it if their last
  // task was taken back. A helper that has not noticed has not run since: another thread computes
  // on its core.
  std::size_t idle() const;
  node::Helper* find_idle();

 private:
  std::vector<std::unique_ptr<node::Helper>> helpers_;
  std::string placement_;
};

}  // namespace nmt::engine
