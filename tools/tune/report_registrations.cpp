// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/report_registrations.h"

#include <fmt/format.h>

#include "core/units.h"

namespace nmt::tools {
namespace {

std::string from(const std::optional<std::uint64_t>& size_bytes) {
  return size_bytes ? "from " + format_bytes(*size_bytes) : "never";
}

json::Value size_or_null(const std::optional<std::uint64_t>& size_bytes) {
  if (!size_bytes) return {};
  return *size_bytes;
}

}  // namespace

void add_registrations(const std::vector<tuner::Registration>& all, Text* text) {
  if (all.empty()) return;
  Table table({"rail", ">size", ">first use", ">known"});
  for (const tuner::Registration& each : all) {
    for (const tuner::Registration::Cost& cost : each.costs) {
      table.add({each.rail, format_bytes(cost.size_bytes), format_duration(cost.cold_ns),
                 format_duration(cost.cached_ns)});
    }
  }
  text->heading("Registering memory for a rendezvous").table(std::move(table));
  for (const tuner::Registration& each : all) {
    text->line(fmt::format(
        "{}: rendezvous is faster {} if the memory is used again, {} if it is used once", each.rail,
        from(each.rendezvous_cached_bytes), from(each.rendezvous_cold_bytes)));
  }
}

json::Value registrations_json(const std::vector<tuner::Registration>& all) {
  json::Value out = json::Value::array();
  for (const tuner::Registration& each : all) {
    json::Value costs = json::Value::array();
    for (const tuner::Registration::Cost& cost : each.costs) {
      costs.push_back(json::Value::object()
                          .set("size_bytes", cost.size_bytes)
                          .set("cold_ns", cost.cold_ns)
                          .set("cached_ns", cost.cached_ns));
    }
    out.push_back(json::Value::object()
                      .set("rail", each.rail)
                      .set("regime", each.regime)
                      .set("placement", each.placement)
                      .set("costs", std::move(costs))
                      .set("rendezvous_cached_bytes", size_or_null(each.rendezvous_cached_bytes))
                      .set("rendezvous_cold_bytes", size_or_null(each.rendezvous_cold_bytes)));
  }
  return out;
}

}  // namespace nmt::tools
