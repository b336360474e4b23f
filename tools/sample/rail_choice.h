// SPDX-License-Identifier: BSD-3-Clause
//
// The rails that --rails selects: all usable ones, or the named ones; each name is checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sampler/sampler.h"

namespace nmt::tools {

struct RailChoice {
  std::vector<std::unique_ptr<drivers::Driver>> drivers;  // own what `rails` points to
  std::vector<sampler::RailToSample> rails;  // usable, in order of preference or as named
  std::vector<Refusal> refusals;             // of the requested rails

  std::vector<std::string> names() const;  // of `rails`
};

// `wanted` as typed: rails, drivers or fake:FILE, separated by commas; empty: every rail. `seed` is
// the seed of the launch, for described rails. Throws Error(kUsage) with the nearest name for an
// unknown rail, Error(kFailed) for an invalid description.
RailChoice choose_rails(const std::string& wanted, std::uint64_t seed);

}  // namespace nmt::tools
