// SPDX-License-Identifier: BSD-3-Clause
//
// Random messages between two engines, at random moments, and whether exactly they came.
//
// Both engines live in this thread. What is sent is drawn from a seed; receives are posted in
// another order than sends, often late, now and then too small; every byte is compared.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace nmt::engine {

struct TrafficOptions {
  std::uint64_t seed = 1;
  std::size_t messages = 1000;  // in each direction
  std::size_t size_bytes_max = 300000;
  std::size_t tags = 16;
  bool some_too_small = true;
};

// What was wrong: empty if nothing. `event` is called now and then, with the share that is done.
std::string run_traffic(Engine& a, std::size_t gate_a, Engine& b, std::size_t gate_b,
                        const TrafficOptions& options,
                        const std::function<void(double)>& event = nullptr);

// Content that tells where it came from.
void fill(std::span<std::byte> memory, std::uint64_t seed);
bool holds(std::span<const std::byte> memory, std::uint64_t seed);

// Turns both engines until `done`; false after ten seconds in vain.
bool turn_until(Engine& a, Engine& b, const std::function<bool()>& done);

}  // namespace nmt::engine
