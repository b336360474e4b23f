// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/pair_rounds.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace nmt::sampler {

std::vector<Round> rounds_of_some_pairs(std::size_t nodes, std::size_t count) {
  std::vector<Round> rounds;
  if (nodes < 2) return rounds;
  const std::size_t places = nodes + nodes % 2;  // paired with the extra place: idle
  const std::size_t circle = places - 1;
  for (std::size_t round = 0; round < std::min(circle, count); ++round) {
    Round& pairs = rounds.emplace_back();
    const auto meet = [&](std::size_t a, std::size_t b) {
      if (std::max(a, b) < nodes) pairs.push_back({std::min(a, b), std::max(a, b)});
    };
    meet(circle, round);
    for (std::size_t i = 1; i < places / 2; ++i) {
      meet((round + i) % circle, (round + circle - i) % circle);
    }
    std::ranges::sort(pairs, {}, &NodePair::near);
  }
  return rounds;
}

std::vector<Round> rounds_of_all_pairs(std::size_t nodes) {
  return rounds_of_some_pairs(nodes, nodes);
}

std::vector<Round> rounds_of(std::span<const NodePair> pairs) {
  std::vector<Round> rounds;
  for (const NodePair& pair : pairs) {
    const auto has_room = [&](const Round& round) {
      return std::ranges::none_of(round, [&](const NodePair& other) {
        return other.near == pair.near || other.near == pair.far || other.far == pair.near ||
               other.far == pair.far;
      });
    };
    const auto found = std::ranges::find_if(rounds, has_room);
    (found != rounds.end() ? *found : rounds.emplace_back()).push_back(pair);
  }
  return rounds;
}

void choose_in_full(std::span<const std::string> platforms, std::span<RoundOfRanks> rounds) {
  std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> known;
  for (RoundOfRanks& round : rounds) {
    Round in_full, others;
    for (const NodePair& pair : round.pairs) {
      const auto& [one, other] = std::minmax(platforms[pair.near], platforms[pair.far]);
      const bool full = ++known[{round.ranks_per_node, one, other}] <= kPairsInFullMax;
      (full ? in_full : others).push_back(pair);
    }
    round.in_full = in_full.size();
    round.pairs = std::move(in_full);
    std::ranges::move(others, std::back_inserter(round.pairs));
  }
}

std::size_t ranks_of(const NodePair& pair, std::span<const std::size_t> ranks_of_nodes) {
  return std::min(ranks_of_nodes[pair.near], ranks_of_nodes[pair.far]);
}

std::vector<std::size_t> numbers_of_ranks(std::size_t most) {
  std::vector<std::size_t> numbers;
  if (most < 2) return numbers;
  numbers.push_back(most);
  for (std::size_t power = std::bit_floor(most - 1); power > 1; power /= 2) {
    numbers.push_back(power);
  }
  return numbers;
}

std::vector<RoundOfRanks> rounds_of_ranks(std::span<const Round> rounds,
                                          std::span<const std::size_t> numbers,
                                          std::span<const std::size_t> ranks_of_nodes,
                                          std::size_t rounds_max) {
  std::vector<RoundOfRanks> all;
  for (const Round& round : rounds) {
    for (const std::size_t number : numbers) {
      Round able;
      std::ranges::copy_if(round, std::back_inserter(able), [&](const NodePair& pair) {
        return ranks_of(pair, ranks_of_nodes) >= number;
      });
      if (all.size() == rounds_max) return all;
      if (!able.empty()) all.push_back({std::move(able), number});
    }
  }
  return all;
}

}  // namespace nmt::sampler
