// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune predict transfer: the duration of one message.
#include <fmt/format.h>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/open_profile.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

struct TransferOptions {
  PairOptions pairs;
  std::string rail;
  std::vector<std::uint64_t> sizes_bytes;
  std::string method;
  std::string regime = "hot";
};

Report predict(const TransferOptions& options, const ProfileOptions& profile_options,
               const Invocation& invocation) {
  const OpenProfile profile = open_to_read(profile_options, invocation);
  const NamedPlan named =
      plan_of_rail(profile, options.rail, options.regime, options.pairs, invocation);
  const std::optional<Method> method = parse_method(options.method);

  Report report;
  Table table({">size", "method", ">predicted", "95 % interval", ">bandwidth", "verdict"});
  json::Value predictions = json::Value::array();
  report.records.header = {"rail",
                           "bytes",
                           "method",
                           "predicted_ns",
                           "low_ns",
                           "high_ns",
                           "bandwidth_bytes_per_second",
                           "verdict"};
  add_name_columns(&report.records.header);
  for (const std::uint64_t size_bytes : options.sizes_bytes) {
    const auto found = tuner::predict_transfer(named.plan, size_bytes, method);
    if (!found) {
      throw Error(Fault::kUsage,
                  fmt::format("{}: {} was not measured with {} buffers; leave out --method or "
                              "--regime, or measure the rail with nmad-sample",
                              options.rail, method ? "the method " + options.method : "no method",
                              options.regime));
    }
    const double bandwidth = static_cast<double>(size_bytes) / found->duration_ns * 1e9;
    const std::string_view verdict = found->extrapolated ? "extrapolated" : "inside";
    table.add(
        {format_bytes(size_bytes), found->method, format_duration(found->duration_ns),
         fmt::format("{} .. {}", format_duration(found->low_ns), format_duration(found->high_ns)),
         format_bandwidth(bandwidth), std::string(verdict)});
    json::Value prediction = json::Value::object();
    prediction.set("rail", options.rail);
    add_name_members(named, &prediction);
    predictions.push_back(prediction.set("bytes", size_bytes)
                              .set("method", found->method)
                              .set("predicted_ns", found->duration_ns)
                              .set("low_ns", found->low_ns)
                              .set("high_ns", found->high_ns)
                              .set("bandwidth_bytes_per_second", bandwidth)
                              .set("verdict", verdict));
    report.records.rows.push_back({options.rail, size_bytes, found->method, found->duration_ns,
                                   found->low_ns, found->high_ns, bandwidth, verdict});
    add_name_cells(named, &report.records.rows.back());
  }
  report.summary = {{"rail", options.rail},
                    {"predictions", std::to_string(options.sizes_bytes.size())}};
  report.text.heading(fmt::format("{} ({} buffers{})", title_of(named), options.regime,
                                  ranks_text(named.plan.ranks_per_nic, options.pairs.ranks)));
  report.text.table(std::move(table));
  report.payload.set("platform", platform_json(profile.platform));
  report.payload.set("predictions", std::move(predictions));
  return report;
}

}  // namespace

Work declare_predict_transfer(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<TransferOptions>();
  options.text("--rail", own->rail, "RAIL", "rail").required();
  options.sizes("--size", own->sizes_bytes, "sizes of the message").required();
  options.choice("--method", own->method, {"copy", "iovec", "rendezvous"},
                 "method (default: the one that the thresholds choose)");
  declare(options, own->pairs);
  options.choice("--regime", own->regime, {"hot", "cold"},
                 "messages that are in the cache, or not (default: hot)");
  options.example("nmad-tune predict transfer --rail tcp:lo --size 1K,64K,1M");
  return
      [own, &profile](const Invocation& invocation) { return predict(*own, profile, invocation); };
}

}  // namespace nmt::tools
