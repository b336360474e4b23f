// SPDX-License-Identifier: BSD-3-Clause
//
// Threads on other cores that give messages to drivers, so that the copies of several eager chunks
// run at the same time (paper "multirail on multicore", II-C, III-D).
//
// A job belongs to its helper (node/helper.h) from start() until done() is true or it is taken
// back. In that time no other thread may use its endpoint.
//
// If a job was taken back because its helper had not begun in time, another thread computes on that
// core, and the next job would be late too. So that helper gets nothing for a number of messages,
// which doubles each time, until it has sent one.
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

class CoreHelper {
 public:
  CoreHelper(int core, node::Helper::Rest rest) : helper_(core, rest) {}

  // Whether it can take a job: it has none, has noticed it if its last one was taken back, and does
  // not rest after that.
  bool idle() const { return rests_for_ == 0 && helper_.idle(); }
  void start(Job& job) { helper_.start(job); }
  // The job has not begun in time. False if it has begun now.
  bool take_back();
  void was_in_time() { next_rest_ = 1; }
  void count_message() { rests_for_ -= rests_for_ > 0; }

 private:
  node::Helper helper_;
  unsigned rests_for_ = 0;  // messages
  unsigned next_rest_ = 1;
};

// The helpers of an engine, nearest core first, and the placement of the farthest one, as the
// profile calls it ("shared-cache", "shared-cache spinning").
class Helpers {
 public:
  // One for each core that this process may use, except the caller's core; at most `count_max`.
  Helpers(std::size_t count_max, node::Helper::Rest rest);

  const std::string& placement() const { return placement_; }
  std::size_t idle() const;  // how many
  CoreHelper* find_idle();
  void count_message();  // that goes eagerly, whether in chunks or not

 private:
  std::vector<std::unique_ptr<CoreHelper>> helpers_;
  std::string placement_;
};

}  // namespace nmt::engine
