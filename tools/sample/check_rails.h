// SPDX-License-Identifier: BSD-3-Clause
//
// Measures the cells that tell most of each rail, and judges them by the profile.
#pragma once

#include <chrono>

#include "tools/command/command.h"
#include "tools/sample/check_findings.h"
#include "tools/sample/checked_profile.h"
#include "tools/sample/options.h"

namespace nmt::tools {

// How long a check may take, from now. Reaching the peer counts, but half of it is for measuring
// in any case.
class CheckTime {
 public:
  explicit CheckTime(double budget_ns) : budget_ns_(budget_ns) {}
  double to_measure_ns() const;

 private:
  double budget_ns_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The rails of this node.
CheckFindings check_node(const SampleOptions& options, const CheckedProfile& reference,
                         const CheckTime& time);

// The rails to the peer that the options name.
CheckFindings check_peer(const SampleOptions& options, const CheckedProfile& reference,
                         const CheckTime& time, const Invocation& invocation);

}  // namespace nmt::tools
