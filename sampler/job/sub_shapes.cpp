// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/sub_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/units.h"

namespace nmt::sampler {
namespace {

double octaves_between(const SubShape& one, const SubShape& other) {
  const auto octaves = [](std::int64_t a, std::int64_t b) {
    return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
  };
  return octaves(one.nodes, other.nodes) + octaves(one.ranks_per_node, other.ranks_per_node);
}

bool read_number(std::string_view text, std::int64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size() && *number > 0;
}

SubShape shape_from(const std::string& word, const SubShape& largest) {
  SubShape shape;
  const std::string_view text = word;
  const std::size_t times = text.find('x');
  if (times == std::string_view::npos || !read_number(text.substr(0, times), &shape.nodes) ||
      !read_number(text.substr(times + 1), &shape.ranks_per_node)) {
    throw Error(Fault::kUsage, fmt::format("--shapes: '{}' is no shape; write all, own, or nodes x "
                                           "ranks per node as 2x4,4x1",
                                           word));
  }
  if (shape.nodes > largest.nodes || shape.ranks_per_node > largest.ranks_per_node) {
    throw Error(Fault::kUsage,
                fmt::format("--shapes: {} is not within this job, whose largest shape is {}; "
                            "launch more ranks, or leave it out",
                            word, to_string(largest)));
  }
  if (shape == SubShape{1, 1}) {
    throw Error(Fault::kUsage, "--shapes: 1x1 is one rank, which has no collectives; leave it out");
  }
  return shape;
}

std::vector<SubShape> all_shapes(const SubShape& largest) {
  using Numbers = std::set<std::int64_t, std::greater<>>;
  const auto half = [](std::int64_t number) { return std::max<std::int64_t>(1, number / 2); };
  const std::int64_t most = largest.ranks_per_node;
  const Numbers nodes = {largest.nodes, half(largest.nodes),
                         std::min<std::int64_t>(2, largest.nodes), 1};
  std::vector<SubShape> shapes;
  for (const std::int64_t between : nodes) {
    // The model of one node needs three shapes too, and one rank alone is none.
    const std::int64_t least =
        between == 1 ? std::min(most, std::max<std::int64_t>(2, most / 4)) : 1;
    for (const std::int64_t within : Numbers{most, half(most), least}) {
      if (between * within > 1) shapes.push_back({between, within});
    }
  }
  return shapes;
}

}  // namespace

std::string to_string(const SubShape& shape) {
  return fmt::format("{}x{}", shape.nodes, shape.ranks_per_node);
}

std::string to_string(std::span<const SubShape> shapes) {
  std::string text;
  for (const SubShape& shape : shapes) text += (text.empty() ? "" : ", ") + to_string(shape);
  return text;
}

SubShape largest_shape(const JobShape& job) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::vector<int>& node : job.nodes) least = std::min(least, node.size());
  return {static_cast<std::int64_t>(job.nodes.size()), static_cast<std::int64_t>(least)};
}

std::vector<SubShape> shapes_from(const std::string& text, const JobShape& job) {
  const SubShape largest = largest_shape(job);
  const std::vector<std::string> words = split_list(text);
  if (words.empty() || text == "all") {
    std::vector<SubShape> shapes = all_shapes(largest);
    if (!shapes.empty()) return shapes;
  }
  if (words.empty() || text == "all" || text == "own") return {largest};
  std::vector<SubShape> shapes;
  for (const std::string& word : words) {
    const SubShape shape = shape_from(word, largest);
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  return shapes;
}

std::vector<SubShape> least_known_first(std::vector<SubShape> shapes, std::vector<SubShape> known) {
  const auto octaves_from_known = [&](const SubShape& shape) {
    double least = std::numeric_limits<double>::infinity();
    for (const SubShape& each : known) least = std::min(least, octaves_between(shape, each));
    return least;
  };
  for (auto next = shapes.begin(); next != shapes.end(); ++next) {
    const auto farthest = std::ranges::max_element(next, shapes.end(), {}, octaves_from_known);
    std::rotate(next, farthest, farthest + 1);
    known.push_back(*next);
  }
  return shapes;
}

std::vector<int> ranks_of(const SubShape& shape, const JobShape& job) {
  std::vector<int> ranks;
  for (std::int64_t node = 0; node < shape.nodes; ++node) {
    const std::vector<int>& on_node = job.nodes[static_cast<std::size_t>(node)];
    ranks.insert(ranks.end(), on_node.begin(), on_node.begin() + shape.ranks_per_node);
  }
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace nmt::sampler
