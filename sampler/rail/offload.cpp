// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/offload.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <thread>

#include "core/error.h"
#include "core/method.h"
#include "node/node.h"

namespace nmt::sampler {
namespace {

constexpr std::size_t kRepetitionsMin = 12;  // for any budget: enough for 95 % limits
constexpr std::size_t kRepetitionsMax = 400;
constexpr std::size_t kWarmUps = 5;
constexpr double kShareMax = 0.02;  // of a campaign
constexpr double kBudgetNsMax = 0.4e9;
// Time until an idle helper sleeps: longer than it polls for work.
constexpr std::uint64_t kFallAsleepNs = 50'000;

// Records when it began.
class Noting final : public node::Helper::Task {
 public:
  explicit Noting(const Clock& clock) : clock_(clock) {}
  void run() noexcept override { begun_ns = clock_.now_ns(); }

  std::uint64_t begun_ns = 0;  // read it when the helper is idle again

 private:
  const Clock& clock_;
};

// A thread that computes on a core and never yields it.
class Computing {
 public:
  explicit Computing(int core) : thread_([this, core] { compute(core); }) {
    while (!begun_.load(std::memory_order_acquire)) std::this_thread::yield();
  }
  ~Computing() {
    ending_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  Computing(const Computing&) = delete;

 private:
  void compute(int core) {
    try {
      node::pin_to(core);
    } catch (const Error&) {
      // Then it competes for another core, and the helper is measured as if idle.
    }
    begun_.store(true, std::memory_order_release);
    while (!ending_.load(std::memory_order_relaxed)) {
    }
  }

  std::atomic<bool> begun_{false};
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

std::vector<Repetition> hand_over(node::Helper& helper, const Clock& clock, double budget_ns) {
  std::vector<Repetition> repetitions;
  Noting task(clock);
  const double end_ns = static_cast<double>(clock.now_ns()) + budget_ns;
  for (std::size_t i = 0; repetitions.size() < kRepetitionsMax; ++i) {
    const std::uint64_t rested_ns = clock.now_ns() + kFallAsleepNs;
    while (clock.now_ns() < rested_ns) {
    }
    const std::uint64_t decided_ns = clock.now_ns();
    helper.start(task);
    while (!helper.idle()) {
    }
    if (i < kWarmUps || task.begun_ns < decided_ns) continue;
    repetitions.push_back({.total_ns = task.begun_ns - decided_ns});
    const bool over = static_cast<double>(clock.now_ns()) > end_ns;
    if (over && repetitions.size() >= kRepetitionsMin) break;
  }
  return repetitions;
}

constexpr std::array<std::string_view, 3> kStates = {offload::kIdle, offload::kSpinning,
                                                     offload::kPreempting};

// The first core of each placement relative to `own`.
std::map<std::string, int> one_of_each_placement(int own) {
  std::map<std::string, int> cores;
  for (const int core : node::allowed_cores()) {
    if (core != own) cores.try_emplace(node::placement(own, core), core);
  }
  return cores;
}

}  // namespace

std::vector<Sample> sample_offload(const Clock& clock, double budget_ns) {
  const int own = node::nearest_cores().near;
  const std::map<std::string, int> others = one_of_each_placement(own);
  const node::OnCores pinned(own);
  std::vector<Sample> samples;
  for (const auto& [placement, core] : others) {
    for (const std::string_view state : kStates) {
      const bool spins = state == offload::kSpinning;
      node::Helper helper(core, spins ? node::Helper::Rest::kSpins : node::Helper::Rest::kSleeps);
      std::optional<Computing> computing;
      if (state == offload::kPreempting) computing.emplace(core);
      Sample& sample = samples.emplace_back();
      sample.condition.benchmark = benchmark::kOffload;
      sample.condition.variant = state;
      sample.condition.regime.clear();
      sample.condition.memory.clear();
      sample.condition.placement = placement;
      sample.repetitions =
          hand_over(helper, clock, budget_ns / static_cast<double>(kStates.size() * others.size()));
    }
  }
  return samples;
}

double offload_budget_ns(double campaign_budget_ns) {
  return std::min(kBudgetNsMax, kShareMax * campaign_budget_ns);
}

}  // namespace nmt::sampler
