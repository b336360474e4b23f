// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune contention: the effect of contention on alltoalls of a network, as one signature.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/units.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/signatures.h"

namespace nmt::tools {
namespace {

std::string between(const Interval& interval, std::string (*format)(double)) {
  return fmt::format("{} .. {}", format(interval.low), format(interval.high));
}

std::string ratio(double value) { return fmt::format("{:.4g}", value); }
std::string gap(double ns_per_byte) { return fmt::format("{:.4g} ns/B", ns_per_byte); }
std::string bytes(double size_bytes) {
  return format_bytes(static_cast<std::uint64_t>(size_bytes));
}

// Of the switches with nodes: "4" or "2 .. 4"; nullopt without any known uplink.
std::optional<std::string> uplinks_of(const contention::SignatureFit& fit) {
  if (!fit.topology) return {};
  std::optional<Interval> range;
  for (const contention::Switch& one : fit.topology->switches()) {
    if (one.uplink <= 0 || one.nodes.empty()) continue;
    if (!range) range = Interval{one.uplink, one.uplink};
    range = Interval{std::min(range->low, one.uplink), std::max(range->high, one.uplink)};
  }
  if (!range) return {};
  return range->low == range->high ? ratio(range->low) : between(*range, ratio);
}

Table table_of(const contention::SignatureFit& fit) {
  const Signature& signature = fit.signature;
  Table table({"what", ">value", "95 % interval", "meaning"});
  table.add({"alpha", format_duration(signature.bound.at(0)), "", "one message, empty"});
  table.add({"beta", gap(signature.bound.slope_beyond()), "", "each byte more of a large one"});
  table.add({"gamma", ratio(signature.gamma), between(fit.gamma, ratio),
             signature.saturated
                 ? "times the lower bound; the network is saturated"
                 : fmt::format("times the lower bound, at n = {}", signature.ranks_max)});
  if (signature.delta_ns > 0) {
    table.add({"delta", format_duration(signature.delta_ns), between(fit.delta_ns, format_duration),
               signature.delta_per_message ? "added to each communication of M or more"
                                           : "added once where m is M or more"});
    table.add({"M", format_bytes(signature.delta_from_bytes), between(fit.delta_from_bytes, bytes),
               "where delta begins"});
  } else {
    table.add({"delta", "none", between(fit.delta_ns, format_duration),
               fmt::format("as much is chance with probability {:.2g}", fit.no_delta_probability)});
  }
  if (const auto uplink = uplinks_of(fit)) {
    const bool unlimited = fit.groups_measured && !fit.uplink_measured;
    const char* how = unlimited             ? "no limit was found"
                      : fit.uplink_measured ? "measured"
                      : fit.uplink_fitted   ? "fitted"
                                            : "as given";
    table.add({"uplink", unlimited ? "-" : *uplink,
               fit.uplink_measured ? between(fit.uplink_measured->interval, ratio) : "",
               fmt::format("NICs' worth of cables above a switch: {}", how)});
  }
  if (fit.two_states) {
    table.add({"beta_F", gap(fit.two_states->free_gap_ns), "", "one connection at a time"});
    table.add({"beta_C", gap(fit.two_states->contended_gap_ns), "",
               "the slowest of as many as there can be"});
    table.add({"rho", ratio(fit.two_states->rho), "", "share of those that are delayed"});
  }
  if (signature.processor_ns > 0) {
    table.add({"c", format_duration(signature.processor_ns), "",
               fmt::format("c n (n - 1) / {} cores: processor time", signature.cores)});
  }
  return table;
}

Table gammas_of(const contention::SignatureFit& fit) {
  Table table({">n", ">gamma", "95 % interval"});
  for (const contention::GammaAt& each : fit.gamma_by_ranks) {
    table.add({std::to_string(each.ranks), ratio(each.gamma), between(each.interval, ratio)});
  }
  return table;
}

// The paper's figures 2 and 3: many messages at a time, each from a node to another.
Table connections_of(const contention::SignatureFit& fit) {
  Table table({">connections", ">each", ">mean bandwidth", ">mean time", ">slowest"});
  for (const contention::ConnectionProbe& probe : fit.connections) {
    table.add({std::to_string(probe.connections), format_bytes(probe.size_bytes),
               format_bandwidth(static_cast<double>(probe.size_bytes) / probe.mean_ns * 1e9),
               format_duration(probe.mean_ns), format_duration(probe.slowest_ns)});
  }
  return table;
}

// The paper's figure 5: durations that are not linear in the size.
Table durations_of(const contention::SignatureFit& fit) {
  Table table({">n", ">m", ">alltoall", ">lower bound", ">of the bound"});
  for (const contention::MeasuredAlltoall& one : fit.measured) {
    table.add({std::to_string(one.ranks), format_bytes(one.size_bytes),
               format_duration(one.duration_ns), format_duration(one.bound_ns),
               ratio(one.duration_ns / one.bound_ns)});
  }
  return table;
}

// Nothing is fitted into it: what a network does, to draw or to compare.
void show_measured(const contention::SignatureFit& fit, Report& report) {
  if (!fit.connections.empty()) {
    report.text.heading("messages at a time, each from a node to another");
    report.text.table(connections_of(fit));
    report.text.line("");
  }
  report.text.heading("alltoalls");
  report.text.table(durations_of(fit));
  report.records.header = {"what",        "n",          "size_bytes",
                           "duration_ns", "slowest_ns", "lower_bound_ns"};
  for (const contention::ConnectionProbe& probe : fit.connections) {
    report.records.rows.push_back({"connections", probe.connections, probe.size_bytes,
                                   probe.mean_ns, probe.slowest_ns, json::Value()});
  }
  for (const contention::MeasuredAlltoall& one : fit.measured) {
    report.records.rows.push_back(
        {"alltoall", one.ranks, one.size_bytes, one.duration_ns, json::Value(), one.bound_ns});
  }
}

}  // namespace

Report show_signature(const SignatureChoice& choice, const ProfileOptions& profile,
                      const Invocation& invocation) {
  const ChosenSignature chosen = choose_signature(choice, profile, invocation);
  const contention::SignatureFit& fit = chosen.fit;
  const Signature& signature = fit.signature;
  Report report;
  report.text.heading(fmt::format("{}: {}, {} per node", chosen.platform->name, signature.algorithm,
                                  signature.ranks_per_node == 1
                                      ? "1 rank"
                                      : fmt::format("{} ranks", signature.ranks_per_node)));
  report.text.table(table_of(fit));
  report.text.line("");
  report.text.table(gammas_of(fit));
  report.text.line("");
  report.text.line(fmt::format("Fitted on {} times of n = {} and {} sizes from {} to {}, in {} {}",
                               fit.times, fmt::join(fit.ranks, ", "), fit.sizes_bytes.size(),
                               format_bytes(signature.size_bytes_min),
                               format_bytes(signature.size_bytes_max), fit.sessions,
                               fit.sessions == 1 ? "session" : "sessions"));
  if (fit.error_left_out) {
    report.text.line(
        fmt::format("Prediction error at a number of ranks that was left out of the fit: {}",
                    format_fraction(std::expm1(*fit.error_left_out))));
  }
  report.warnings = fit.remarks;
  report.payload.set("platform", platform_json(*chosen.platform));
  report.payload.set("signature", contention::to_json(fit));
  report.records.header = {"algorithm",    "ranks_per_node", "alpha_ns",   "beta_ns_per_byte",
                           "gamma",        "gamma_low",      "gamma_high", "delta_ns",
                           "delta_low_ns", "delta_high_ns",  "delta_form", "m_from_bytes",
                           "saturated",    "error_left_out"};
  report.records.rows.push_back(
      {signature.algorithm, signature.ranks_per_node, signature.bound.at(0),
       signature.bound.slope_beyond(), signature.gamma, fit.gamma.low, fit.gamma.high,
       signature.delta_ns, fit.delta_ns.low, fit.delta_ns.high,
       signature.delta_per_message ? "per_communication" : "once", signature.delta_from_bytes,
       signature.saturated, fit.error_left_out ? json::Value(*fit.error_left_out) : json::Value()});
  report.summary = {{"gamma", ratio(signature.gamma)},
                    {"delta_ns", fmt::format("{:.0f}", signature.delta_ns)},
                    {"m_from_bytes", std::to_string(signature.delta_from_bytes)},
                    {"saturated", signature.saturated ? "yes" : "no"}};
  return report;
}

Work declare_contention(Options& options, const ProfileOptions& profile) {
  struct Own {
    SignatureChoice choice;
    bool measured = false;
  };
  const auto own = std::make_shared<Own>();
  declare_signature_choice(options, own->choice);
  options.flag("--measured", own->measured,
               "print the measured times instead: many messages at a time, and alltoalls");
  options.example("nmad-tune contention --json");
  return [own, &profile](const Invocation& invocation) {
    if (!own->measured) return show_signature(own->choice, profile, invocation);
    const ChosenSignature chosen = choose_signature(own->choice, profile, invocation);
    Report report;
    show_measured(chosen.fit, report);
    report.payload.set("platform", platform_json(*chosen.platform));
    report.payload.set("signature", contention::to_json(chosen.fit));
    return report;
  };
}

}  // namespace nmt::tools
