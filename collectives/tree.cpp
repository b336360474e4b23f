// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/tree.h"

#include <array>
#include <utility>

namespace nmt::collectives {
namespace {

constexpr std::array kShapes = {std::pair{Shape::kChain, std::string_view("chain")},
                                std::pair{Shape::kBinary, std::string_view("binary")},
                                std::pair{Shape::kBinomial, std::string_view("binomial")}};

Branch chain(int place, int places) {
  Branch branch{.parent = place - 1};
  if (place + 1 < places) branch.children = {place + 1};
  return branch;
}

Branch binary(int place, int places) {
  Branch branch{.parent = place == 0 ? -1 : (place - 1) / 2};
  for (const int child : {2 * place + 1, 2 * place + 2}) {
    if (child < places) branch.children.push_back(child);
  }
  return branch;
}

// The parent of a place is the place without its lowest bit; its children add a lower one.
Branch binomial(int place, int places) {
  Branch branch{.parent = place == 0 ? -1 : place & (place - 1)};
  int bit = 1;
  while (bit < places && (place & bit) == 0) bit <<= 1;
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (place + bit < places) branch.children.push_back(place + bit);
  }
  return branch;
}

}  // namespace

std::string_view to_string(Shape shape) {
  for (const auto& [each, text] : kShapes) {
    if (each == shape) return text;
  }
  return {};
}

std::optional<Shape> parse_shape(std::string_view text) {
  for (const auto& [each, name] : kShapes) {
    if (name == text) return each;
  }
  return std::nullopt;
}

Branch branch_at(Shape shape, int place, int places) {
  switch (shape) {
    case Shape::kChain:
      return chain(place, places);
    case Shape::kBinary:
      return binary(place, places);
    case Shape::kBinomial:
      return binomial(place, places);
  }
  return {};
}

}  // namespace nmt::collectives
