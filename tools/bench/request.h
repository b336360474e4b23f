// SPDX-License-Identifier: BSD-3-Clause
//
// What the options of nmad-bench select: cells, strategies, rails.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/bench/bench_ends.h"
#include "tools/bench/options.h"

namespace nmt::tools {

struct BenchRequest {
  std::string pattern;
  std::vector<BenchCell> cells;
  std::vector<std::string> strategies;  // as typed
  std::uint32_t rounds = 0;
};

// These throw Error(kUsage) for impossible options, Error(kNoRail) if no rail is usable.
BenchRequest request_of(const BenchOptions& options);

// The rails of this node by name. A rail may be named several times, for several links over it.
std::vector<bench::RailInUse> choose_rails_in_use(
    const std::string& wanted, const std::vector<std::unique_ptr<drivers::Driver>>& drivers);

bench::MeasurementConfig config_of(const BenchRequest& request,
                                   const std::vector<bench::RailInUse>& rails, bool no_profile);

}  // namespace nmt::tools
