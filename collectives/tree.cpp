// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/tree.h"

#include <array>
#include <utility>

namespace nmt::collectives {
namespace {

constexpr std::array kShapes = {std::pair{TreeShape::kChain, std::string_view("chain")},
                                std::pair{TreeShape::kBinary, std::string_view("binary")},
                                std::pair{TreeShape::kBinomial, std::string_view("binomial")}};

TreePosition chain(int place, int places) {
  TreePosition position{.parent = place - 1};
  if (place + 1 < places) position.children = {place + 1};
  return position;
}

TreePosition binary(int place, int places) {
  TreePosition position{.parent = place == 0 ? -1 : (place - 1) / 2};
  for (const int child : {2 * place + 1, 2 * place + 2}) {
    if (child < places) position.children.push_back(child);
  }
  return position;
}

// The parent of a place is the place without its lowest bit; its children have one lower bit more.
TreePosition binomial(int place, int places) {
  TreePosition position{.parent = place == 0 ? -1 : place & (place - 1)};
  int bit = 1;
  while (bit < places && (place & bit) == 0) bit <<= 1;
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (place + bit < places) position.children.push_back(place + bit);
  }
  return position;
}

}  // namespace

std::string_view to_string(TreeShape shape) {
  for (const auto& [each, text] : kShapes) {
    if (each == shape) return text;
  }
  return {};
}

std::optional<TreeShape> parse_tree_shape(std::string_view text) {
  for (const auto& [each, name] : kShapes) {
    if (name == text) return each;
  }
  return std::nullopt;
}

TreePosition tree_position_at(TreeShape shape, int place, int places) {
  switch (shape) {
    case TreeShape::kChain:
      return chain(place, places);
    case TreeShape::kBinary:
      return binary(place, places);
    case TreeShape::kBinomial:
      return binomial(place, places);
  }
  return {};
}

}  // namespace nmt::collectives
