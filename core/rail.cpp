// SPDX-License-Identifier: BSD-3-Clause
#include "core/rail.h"

#include <algorithm>
#include <numeric>

namespace nmt {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

void split_rail_name(std::string_view full_name, std::string* driver, std::string* name) {
  const std::size_t colon = full_name.find(':');
  *driver = std::string(full_name.substr(0, colon));
  *name = colon == std::string_view::npos ? "" : std::string(full_name.substr(colon + 1));
}

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, wanted.size() / 2) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(wanted, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace nmt
