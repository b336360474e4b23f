// SPDX-License-Identifier: BSD-3-Clause
//
// The cores that this process may use, the distance between two of them, and pinning a thread to
// one.
//
// A core is here what the kernel calls a CPU: one hardware thread. The cores of both ends are part
// of the key of a measurement, because two processes on two cores can be several times slower per
// small exchange than on one core (docs/method.md). `root` is prefixed to /sys, so that tests run
// on descriptions of other machines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nmt::node {

std::vector<int> allowed_cores();  // by affinity mask, in order; never empty

// What two cores share, from near to far: "same-core", "hardware-threads" (of one physical core),
// "shared-cache", "same-package", "other-package".
std::string placement(int core_a, int core_b, const std::string& root = "");

struct CorePair {
  int near = 0;
  int far = 0;
};
// The two nearest distinct cores of `cores`. Two hardware threads of one physical core compete for
// it when both poll, so such a pair is chosen last. If there is only one core, it is returned
// twice.
CorePair nearest_cores(const std::vector<int>& cores, const std::string& root = "");
CorePair nearest_cores();  // of the allowed cores

// The cores of `cores` for many processes: one hardware thread of each physical core first, then
// the others.
std::vector<int> spread_cores(const std::vector<int>& cores, const std::string& root = "");

void pin_to(int core);  // this thread; Error(kFailed) if the kernel refuses

// Moves this thread to one core, or to all cores of the machine even if a launcher bound it to
// some. The destructor moves it back.
class OnCores {
 public:
  OnCores();
  explicit OnCores(int core);  // Error(kFailed) if the kernel refuses
  ~OnCores();
  OnCores(const OnCores&) = delete;

 private:
  std::vector<int> before_;
};

// Size of the largest cache that `core` shares with no other physical core; 1 MiB if the machine
// does not report it. A cold buffer must be larger than this.
std::size_t private_cache_bytes(int core, const std::string& root = "");
std::size_t private_cache_bytes();  // of the first allowed core

}  // namespace nmt::node
