// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/report_concurrent_bandwidth.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace nmt::tools {

std::vector<tuner::ConcurrentBandwidth> of_rails(std::vector<tuner::ConcurrentBandwidth> all,
                                                 const std::vector<std::string>& rails) {
  std::erase_if(all, [&](const tuner::ConcurrentBandwidth& each) {
    return std::ranges::any_of(each.rails, [&](const tuner::RailSpeed& rail) {
      return std::ranges::find(rails, rail.rail) == rails.end();
    });
  });
  return all;
}

void add_concurrent_bandwidths(const std::vector<tuner::ConcurrentBandwidth>& all, Text* text) {
  if (all.empty()) return;
  Table table({"rails", ">size", ">alone", ">together", ">of the sum"});
  for (const tuner::ConcurrentBandwidth& each : all) {
    std::string names, alone, together;
    for (const tuner::RailSpeed& rail : each.rails) {
      const std::string_view plus = names.empty() ? "" : " + ";
      names += fmt::format("{}{}", plus, rail.rail);
      alone += fmt::format("{}{}", plus, format_bandwidth(rail.alone_bytes_per_second));
      together += fmt::format("{}{}", plus, format_bandwidth(rail.concurrent_bytes_per_second));
    }
    table.add({names, format_bytes(each.size_bytes), alone, together,
               format_fraction(each.share_of_sum())});
  }
  text->heading("Bandwidth of rails that are used at the same time").table(std::move(table));
}

json::Value concurrent_bandwidths_json(const std::vector<tuner::ConcurrentBandwidth>& all) {
  json::Value out = json::Value::array();
  for (const tuner::ConcurrentBandwidth& each : all) {
    json::Value rails = json::Value::array();
    for (const tuner::RailSpeed& rail : each.rails) {
      rails.push_back(json::Value::object()
                          .set("rail", rail.rail)
                          .set("alone_bytes_per_second", rail.alone_bytes_per_second)
                          .set("together_bytes_per_second", rail.concurrent_bytes_per_second));
    }
    out.push_back(json::Value::object()
                      .set("regime", each.regime)
                      .set("placement", each.placement)
                      .set("size_bytes", each.size_bytes)
                      .set("rails", std::move(rails))
                      .set("share_of_sum", each.share_of_sum()));
  }
  return out;
}

}  // namespace nmt::tools
