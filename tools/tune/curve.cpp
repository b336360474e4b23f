// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune curve: the derived duration of one method over all sizes, point by point.
#include <fmt/format.h>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/open_profile.h"

namespace nmt::tools {
namespace {

struct CurveOptions {
  PairOptions pairs;
  std::string rail;
  std::string method;
  std::string regime = "hot";
  std::string benchmark = std::string(benchmark::kTransfer);
};

// The machine's own memcpy is a curve without a method.
const PlanCurve& find_curve(const RailPlan& rail, const CurveOptions& options) {
  const bool local = options.method == benchmark::kMemcpy;
  const std::string& measured = local ? options.method : options.benchmark;
  const PlanCurve* curve = rail.find_curve(measured, local ? "" : options.method);
  if (curve != nullptr) return *curve;
  throw Error(Fault::kUsage, fmt::format("{}: the benchmark {} was not measured with method {} and "
                                         "{} buffers; nmad-tune show lists what the profile holds",
                                         rail.rail, measured, options.method, options.regime));
}

Report curve(const CurveOptions& options, const ProfileOptions& profile_options,
             const Invocation& invocation) {
  const OpenProfile profile = open_to_read(profile_options, invocation);
  const NamedPlan named =
      plan_of_rail(profile, options.rail, options.regime, options.pairs, invocation);
  const PlanCurve& found = find_curve(named.plan, options);

  Report report;
  Table table({">size", ">duration", "95 % interval", ">bandwidth"});
  json::Value points = json::Value::array();
  report.records.header = {"size_bytes", "duration_ns", "low_ns", "high_ns",
                           "bandwidth_bytes_per_second"};
  add_name_columns(&report.records.header);
  for (const Point& point : found.duration.points()) {
    const double low_ns = found.low.at(point.size_bytes);
    const double high_ns = found.high.at(point.size_bytes);
    const double bandwidth = point.size_bytes / point.duration_ns * 1e9;
    const auto size_bytes = static_cast<std::uint64_t>(point.size_bytes);
    table.add({format_bytes(size_bytes), format_duration(point.duration_ns),
               fmt::format("{} .. {}", format_duration(low_ns), format_duration(high_ns)),
               format_bandwidth(bandwidth)});
    points.push_back(json::Value::object()
                         .set("size_bytes", size_bytes)
                         .set("duration_ns", point.duration_ns)
                         .set("low_ns", low_ns)
                         .set("high_ns", high_ns)
                         .set("bandwidth_bytes_per_second", bandwidth));
    report.records.rows.push_back({size_bytes, point.duration_ns, low_ns, high_ns, bandwidth});
    add_name_cells(named, &report.records.rows.back());
  }
  report.text.heading(fmt::format("{} {} {} ({} buffers{})", title_of(named), found.benchmark,
                                  found.method, options.regime,
                                  ranks_text(named.plan.ranks_per_nic, options.pairs.ranks)));
  report.text.table(std::move(table));
  report.payload.set("platform", platform_json(profile.platform));
  json::Value object = json::Value::object();
  object.set("rail", options.rail);
  add_name_members(named, &object);
  report.payload.set("curve", object.set("benchmark", found.benchmark)
                                  .set("method", found.method)
                                  .set("regime", options.regime)
                                  .set("spread", found.spread)
                                  .set("monotone_departure", found.monotone_departure)
                                  .set("points", std::move(points)));
  report.summary = {{"rail", options.rail},
                    {"method", options.method},
                    {"regime", options.regime},
                    {"points", std::to_string(found.duration.points().size())},
                    {"spread", fmt::format("{:.4f}", found.spread)}};
  return report;
}

}  // namespace

Work declare_curve(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<CurveOptions>();
  options.text("--rail", own->rail, "RAIL", "rail of the curve").required();
  options
      .choice("--method", own->method, {"copy", "iovec", "rendezvous", "memcpy"},
              "method of the curve; memcpy: a copy by the processor")
      .required();
  declare(options, own->pairs);
  options.choice("--regime", own->regime, {"hot", "cold"},
                 "messages that are in the cache, or not (default: hot)");
  options.choice(
      "--benchmark", own->benchmark, {"transfer", "eager", "two_packets", "aggregate"},
      "which measurement (default: transfer)\n"
      "eager: a transfer, and one more copy at the receiver. two_packets: two packets, one "
      "after the other. aggregate: two packets in one message.");
  options.example("nmad-tune curve --rail tcp:lo --method iovec --csv");
  return [own, &profile](const Invocation& invocation) { return curve(*own, profile, invocation); };
}

}  // namespace nmt::tools
