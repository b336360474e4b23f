// SPDX-License-Identifier: BSD-3-Clause
//
// Cores this process may use, how near two of them are, and staying on one of them.
//
// A core here is what the kernel calls a CPU: one hardware thread. The cores of both ends are part
// of the key of a measurement: two processes on two cores can be several times slower per small
// exchange than on one (docs/method.md). `root` is prefixed to /sys, so that tests run on
// descriptions of other machines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nmt {

std::vector<int> allowed_cores();  // by affinity mask, in order; never empty

// What two cores share, nearest first: "same-core", "hardware-threads" (of one physical core),
// "shared-cache", "same-package", "other-package".
std::string placement(int core_a, int core_b, const std::string& root = "");

struct CorePair {
  int near = 0;
  int far = 0;
};
// The two nearest distinct cores of `cores`. Hardware threads of one physical core compete for it
// as soon as both poll, so they come last; the same core twice where there is only one.
CorePair nearest_cores(const std::vector<int>& cores, const std::string& root = "");
CorePair nearest_cores();  // of the allowed ones

void pin_to(int core);  // this thread; Error(kFailed) where the kernel refuses

// This thread, for as long as this lives, on one core, or on any that there is whatever a launcher
// has bound it to; then where it might be before.
class OnCores {
 public:
  OnCores();
  explicit OnCores(int core);  // Error(kFailed) where the kernel refuses
  ~OnCores();
  OnCores(const OnCores&) = delete;

 private:
  std::vector<int> before_;
};

// Size of the largest cache that `core` shares with no other physical core (a cold buffer must be
// larger); 1 MiB where the machine does not say.
std::size_t private_cache_bytes(int core, const std::string& root = "");
std::size_t private_cache_bytes();  // of the first allowed core

}  // namespace nmt
