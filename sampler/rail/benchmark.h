// SPDX-License-Identifier: BSD-3-Clause
//
// What a campaign can measure: blocks of steps; each step is some repetitions of one experiment.
//
// The campaign decides what to measure next, how often, and when to stop; a Benchmark knows how to
// measure it. PingPong (sampler/rail/ping_pong.h) measures rails, alone or beside busy rails. Tests
// use a Benchmark that computes its numbers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/method.h"
#include "core/sample.h"
#include "drivers/drivers.h"
#include "node/node.h"

namespace nmt::sampler {

inline constexpr std::size_t kHeaderBytes = 64;  // of every sampled packet; not counted in a size

// One direction of an exchange: `messages` sent back to back without waiting, each with `packets`
// aggregated packets. docs/method.md, "Measuring".
struct Traffic {
  std::string_view benchmark;
  unsigned messages = 1;
  unsigned packets = 1;
  drivers::Delivery delivery = drivers::Delivery::kExpected;
  bool local = false;  // no message: the machine's own memcpy
};
inline constexpr Traffic kTraffics[] = {
    {benchmark::kTransfer, 1, 1, drivers::Delivery::kExpected, false},
    {benchmark::kEager, 1, 1, drivers::Delivery::kUnexpected, false},
    {benchmark::kTwoPackets, 2, 1, drivers::Delivery::kExpected, false},
    {benchmark::kAggregate, 1, 2, drivers::Delivery::kExpected, false},
    {benchmark::kMemcpy, 0, 0, drivers::Delivery::kExpected, true},
};
inline constexpr unsigned kPacketsPerDirectionMax = 2;

enum class Regime : std::uint8_t { kHot, kCold };
std::string_view to_string(Regime regime);

// The variants of each method of a rail, the default first (Driver::variants); most methods have
// none.
using Variants = std::map<Method, std::vector<std::string_view>>;

// One size of one benchmark with one method. Plain data, so that it can cross to the other process.
struct Experiment {
  std::uint8_t traffic = 0;  // index into kTraffics
  Method method = Method::kCopy;
  std::uint8_t variant = 0;  // index among the method's variants
  Regime regime = Regime::kHot;
  bool contended = false;  // beside busy rails
  std::uint64_t size_bytes = 0;
  auto operator<=>(const Experiment&) const = default;
};

struct Step {
  Experiment experiment;
  std::uint32_t warm_ups = 0;     // untimed exchanges before the first repetition
  std::uint32_t repetitions = 0;  // timed
  std::uint32_t batch = 1;        // exchanges in each repetition
};

// Operations in one exchange: a round trip is two.
inline std::uint32_t operations(const Experiment& experiment) {
  return kTraffics[experiment.traffic].local ? 1 : 2;
}

inline constexpr std::size_t kStepsMax = 1024;  // per block; campaigns use far fewer

struct BlockResult {
  std::vector<std::vector<std::uint64_t>> totals_ns;  // per step, per repetition
  std::uint64_t elapsed_ns = 0;
  node::Interference interference;  // of both ends together
};

class Benchmark {
 public:
  virtual ~Benchmark() = default;
  virtual BlockResult run(std::span<const Step> block) = 0;  // Error(kPeer) if an end is lost
  virtual const Clock& clock() const = 0;
};

}  // namespace nmt::sampler
