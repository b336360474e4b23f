// SPDX-License-Identifier: BSD-3-Clause
//
// Ways in which the second rail of a test ends, and is mended for the next test: on the stub by
// what the stub does, in a guest by what its administrator would do.
#pragma once

#include <string_view>
#include <vector>

namespace nmt::verbs {

struct Breaker {
  std::string_view name;
  void (*end)();
  void (*mend)();
};
extern const std::vector<Breaker> kBreakers;

}  // namespace nmt::verbs
