// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/rail_group.h"

#include <algorithm>

namespace nmt::sampler {
namespace {}  // namespace

std::string busy_names(const RailGroup& group, std::span<const RailToSample> rails) {
  std::vector<std::string> names;
  for (const std::size_t i : group.busy) names.push_back(rails[i].rail.full_name());
  std::ranges::sort(names);
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  return list;
}

std::string name_of(const RailGroup& group, std::span<const RailToSample> rails) {
  const std::string name = rails[group.measured].rail.full_name();
  return group.busy.empty() ? name : name + " beside " + busy_names(group, rails);
}

std::vector<RailGroup> contended_groups(std::span<const RailToSample> rails,
                                        const std::vector<bool>& usable) {
  const auto others_of = [&](std::size_t rail) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < rails.size(); ++i) {
      const bool same_time =
          rails[i].driver->virtual_clock() == rails[rail].driver->virtual_clock();
      if (i != rail && usable[i] && usable[rail] && same_time) others.push_back(i);
    }
    return others;
  };
  std::vector<RailGroup> groups;
  for (std::size_t low = 0; low < rails.size(); ++low) {
    for (const std::size_t high : others_of(low)) {
      if (high < low) continue;
      groups.push_back({low, {high}});
      groups.push_back({high, {low}});
    }
  }
  for (std::size_t rail = 0; rail < rails.size(); ++rail) {
    std::vector<std::size_t> others = others_of(rail);
    if (others.size() > 1) groups.push_back({rail, std::move(others)});
  }
  return groups;
}

OpenRails open_rails(const RailGroup& group, std::span<const RailToSample> rails,
                     drivers::Side side, drivers::Exchange& exchange) {
  const auto open = [&](std::size_t i) {
    return rails[i].driver->open(rails[i].rail, side, exchange);
  };
  OpenRails opened{.measured = open(group.measured), .busy = BusyRails(side)};
  for (const std::size_t i : group.busy)
    opened.busy.add(open(i), rails[i].driver->methods(rails[i].rail));
  return opened;
}

}  // namespace nmt::sampler
