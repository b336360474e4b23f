// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/rank_rounds.h"

#include <algorithm>

namespace nmt::collectives {
namespace {

int member_or_nobody(const std::vector<int>& ranks, std::size_t member) {
  return member < ranks.size() ? ranks[member] : RankRound::kNobody;
}

}  // namespace

std::vector<RankRound> rank_rounds(const std::vector<std::vector<int>>& groups, int rank) {
  std::size_t most = 0, own_group = 0, own_member = 0;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto found = std::ranges::find(groups[group], rank);
    most = std::max(most, groups[group].size());
    if (found == groups[group].end()) continue;
    own_group = group;
    own_member = static_cast<std::size_t>(found - groups[group].begin());
  }
  std::vector<RankRound> rounds;
  for (std::size_t ahead = 1; ahead <= groups.size(); ++ahead) {
    const std::vector<int>& next = groups[(own_group + ahead) % groups.size()];
    const std::vector<int>& before = groups[(own_group + groups.size() - ahead) % groups.size()];
    for (std::size_t aside = 0; aside < most; ++aside) {
      rounds.push_back({.to = member_or_nobody(next, (own_member + aside) % most),
                        .from = member_or_nobody(before, (own_member + most - aside) % most)});
    }
  }
  return rounds;
}

}  // namespace nmt::collectives
