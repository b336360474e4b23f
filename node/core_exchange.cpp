// SPDX-License-Identifier: BSD-3-Clause
#include "node/core_exchange.h"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#include "core/statistics.h"
#include "node/helper.h"

namespace nmt::node {
namespace {

constexpr std::size_t kCacheLineBytes = 64;
constexpr unsigned kWarmUps = 1000;  // until both cores run at their full speed
constexpr unsigned kExchanges = 200;

// The block, and whose turn it is to read and to write it.
class Passed {
 public:
  explicit Passed(std::size_t size_bytes) : block_(size_bytes) {}

  // Waits for turn `turn`, copies the block out and in, and gives the next turn to the other side.
  void pass(unsigned turn, std::vector<std::byte>& own) {
    wait_for(turn);
    std::memcpy(own.data(), block_.data(), own.size());
    own.front() = std::byte(turn);
    std::memcpy(block_.data(), own.data(), own.size());
    turn_.store(turn + 1, std::memory_order_release);
  }
  void wait_for(unsigned turn) const {
    while (turn_.load(std::memory_order_acquire) != turn) {
    }
  }

 private:
  alignas(kCacheLineBytes) std::atomic<unsigned> turn_{0};
  alignas(kCacheLineBytes) std::vector<std::byte> block_;
};

class FarSide final : public Helper::Task {
 public:
  FarSide(Passed& passed, std::size_t size_bytes) : passed_(passed), own_(size_bytes) {}
  void run() noexcept override {
    core_ = ::sched_getcpu();
    for (unsigned i = 0; i < kWarmUps + kExchanges; ++i) passed_.pass(2 * i + 1, own_);
  }
  int core() const { return core_; }  // once it has run

 private:
  Passed& passed_;
  std::vector<std::byte> own_;
  int core_ = -1;
};

}  // namespace

double core_exchange_ns(const CorePair& cores, std::size_t size_bytes) {
  if (cores.near == cores.far) return 0;
  using Clock = std::chrono::steady_clock;
  Passed passed(size_bytes);
  std::vector<std::byte> own(size_bytes);
  FarSide far_side(passed, size_bytes);
  Helper helper(cores.far);  // ends before what it uses
  helper.start(far_side);
  std::vector<double> exchanges_ns;
  for (unsigned i = 0; i < kWarmUps + kExchanges; ++i) {
    const auto start = Clock::now();
    passed.pass(2 * i, own);
    passed.wait_for(2 * i + 2);
    if (i < kWarmUps) continue;
    exchanges_ns.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  while (!helper.idle()) {
  }
  return far_side.core() == cores.far ? median(exchanges_ns) : 0;
}

}  // namespace nmt::node
