// SPDX-License-Identifier: BSD-3-Clause
//
// What nmad-tune ab prints, as rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/row.h"
#include "core/json.h"

namespace nmt::bench {

// A row of nmad-tune ab.
struct Compared {
  std::string rail;
  std::uint64_t size_bytes = 0;
  double default_ns = 0;
  double tuned_ns = 0;
  TimesAsFast ratio;  // default over tuned
};
std::vector<Compared> compared_in(const json::Value& ab);

}  // namespace nmt::bench
