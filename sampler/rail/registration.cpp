// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/registration.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/method.h"

namespace nmt::sampler {
namespace {

constexpr std::size_t kRepetitionsMin = 8;  // for any budget: enough for 95 % limits
constexpr std::size_t kRepetitionsMax = 50;
constexpr double kShareMax = 0.03;  // of the rail's budget
constexpr double kBudgetNsMax = 1e9;
constexpr std::uint64_t kFirstBytes = 4096;

// Memory that is new to the rail, and already filled by the kernel.
class FreshMemory {
 public:
  explicit FreshMemory(std::uint64_t size_bytes) : size_bytes_(size_bytes) {
    memory_ =
        ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw system_error(Fault::kFailed, "mmap", errno);
    std::memset(memory_, 0x5a, size_bytes);
  }
  ~FreshMemory() { ::munmap(memory_, size_bytes_); }
  FreshMemory(const FreshMemory&) = delete;
  drivers::ConstBytes bytes() const {
    return {static_cast<const std::byte*>(memory_), size_bytes_};
  }

 private:
  void* memory_;
  std::uint64_t size_bytes_;
};

}  // namespace

std::vector<Sample> sample_registration(drivers::Endpoint& endpoint, const Clock& clock,
                                        const Sample& prototype, std::uint64_t size_bytes_max,
                                        double budget_ns) {
  if (!endpoint.prepare({})) return {};
  std::vector<std::uint64_t> sizes_bytes;
  for (std::uint64_t size_bytes = kFirstBytes; size_bytes <= size_bytes_max; size_bytes *= 4) {
    sizes_bytes.push_back(size_bytes);
  }
  std::vector<Sample> samples;
  for (const std::uint64_t size_bytes : sizes_bytes) {
    for (const std::string_view state : {registration::kCold, registration::kCached}) {
      Sample& sample = samples.emplace_back(prototype);
      sample.size_bytes = size_bytes;
      sample.condition.benchmark = benchmark::kRegistration;
      sample.condition.registration = state;
    }
  }
  const auto timed = [&](drivers::ConstBytes memory) {
    const std::uint64_t start_ns = clock.now_ns();
    endpoint.prepare(memory);
    return Repetition{.total_ns = std::max<std::uint64_t>(1, clock.now_ns() - start_ns)};
  };
  // All sizes in turn, so that a disturbance affects all of them.
  const double end_ns = static_cast<double>(clock.now_ns()) + budget_ns;
  for (std::size_t i = 0; i < kRepetitionsMax; ++i) {
    if (i >= kRepetitionsMin && static_cast<double>(clock.now_ns()) > end_ns) break;
    for (std::size_t size = 0; size < sizes_bytes.size(); ++size) {
      const FreshMemory memory(sizes_bytes[size]);
      samples[2 * size].repetitions.push_back(timed(memory.bytes()));
      samples[2 * size + 1].repetitions.push_back(timed(memory.bytes()));
    }
  }
  return samples;
}

double registration_budget_ns(double rail_budget_ns) {
  return std::min(kBudgetNsMax, kShareMax * rail_budget_ns);
}

}  // namespace nmt::sampler
