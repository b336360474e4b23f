// SPDX-License-Identifier: BSD-3-Clause
//
// Cores this process may use, how near two of them are, and staying on one of them.
//
// The cores of both ends are part of the key of a measurement: two processes on two cores can be
// several times slower per small exchange than on one (docs/method.md).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nmt {

std::vector<int> allowed_cores();  // by affinity mask, in order; never empty

// What two cores share, nearest first: "same-core", "shared-cache", "same-package",
// "other-package".
std::string placement(int core_a, int core_b);

struct CorePair {
  int near = 0;
  int far = 0;
};
// The two nearest distinct allowed cores; the same core twice where there is only one.
CorePair nearest_cores();

void pin_to(int core);  // this thread; Error(kFailed) where the kernel refuses

// Size of the largest cache that one core does not share with another (a cold buffer must be
// larger); 1 MiB where the machine does not say.
std::size_t private_cache_bytes();

}  // namespace nmt
