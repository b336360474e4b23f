// SPDX-License-Identifier: BSD-3-Clause
#include "bench/exports/compared.h"

#include "core/units.h"

namespace nmt::bench {

std::vector<Compared> compared_in(const json::Value& ab) {
  std::vector<Compared> all;
  const json::Reader reader(ab, "nmad-tune ab");
  if (!reader.has("cells")) return all;
  for (const json::Reader& cell : reader["cells"].items()) {
    const std::uint64_t size_bytes = cell["size_bytes"].unsigned_integer();
    const std::string rail = cell["rail"].text();
    all.push_back({.rail = rail,
                   .size_bytes = size_bytes,
                   .default_ns = cell["default_ns"].number(),
                   .tuned_ns = cell["tuned_ns"].number(),
                   .ratio = {.value = cell["ratio"].number(),
                             .low = cell["ratio_low"].number(),
                             .high = cell["ratio_high"].number(),
                             .what = format_bytes(size_bytes) + " over " + rail}});
  }
  return all;
}

}  // namespace nmt::bench
