// SPDX-License-Identifier: BSD-3-Clause
//
// Which rails --rails means: all that are usable, or those named, each name checked against what
// there is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sampler/sampler.h"

namespace nmt {

struct RailChoice {
  std::vector<std::unique_ptr<Driver>> drivers;  // own what `rails` points to
  std::vector<RailToSample> rails;               // usable, in order of preference or as named
  std::vector<Refusal> refusals;                 // of those asked for

  std::vector<std::string> names() const;  // of `rails`
};

// `wanted` as typed: rails, drivers or fake:FILE, with commas; empty: every rail there is. `seed`
// is that of the launch, for described rails. Throws Error(kUsage) with the nearest name for a rail
// that does not exist, Error(kFailed) for a broken description.
RailChoice choose_rails(const std::string& wanted, std::uint64_t seed);

}  // namespace nmt
