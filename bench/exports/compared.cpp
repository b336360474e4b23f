// SPDX-License-Identifier: BSD-3-Clause
#include "bench/exports/compared.h"

namespace nmt::bench {

std::vector<Compared> compared_in(const json::Value& ab) {
  std::vector<Compared> all;
  const json::Reader reader(ab, "nmad-tune ab");
  if (!reader.has("cells")) return all;
  for (const json::Reader& cell : reader["cells"].items()) {
    all.push_back({.rail = cell["rail"].text(),
                   .size_bytes = cell["size_bytes"].unsigned_integer(),
                   .default_ns = cell["default_ns"].number(),
                   .tuned_ns = cell["tuned_ns"].number(),
                   .ratio = cell["ratio"].number(),
                   .ratio_high = cell["ratio_high"].number()});
  }
  return all;
}

}  // namespace nmt::bench
