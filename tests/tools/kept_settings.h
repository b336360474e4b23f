// SPDX-License-Identifier: BSD-3-Clause
//
// Settings as if a campaign had found that they pay.
#pragma once

#include <string>
#include <string_view>

#include "stacks/stacks.h"

namespace nmt::testing {

inline stacks::StackFindings kept_settings(std::string_view stack, const std::string& version,
                                           const Fields& settings) {
  const stacks::Ratio twice{.value = 2, .low = 2, .high = 2, .rounds = 7};
  stacks::StackFindings found{.stack = std::string(stack), .version = version};
  found.verdicts = {{.group = stacks::groups_of(settings).front(),
                     .settings = settings,
                     .gain = twice,
                     .best = twice,
                     .kept = true}};
  return found;
}

}  // namespace nmt::testing
