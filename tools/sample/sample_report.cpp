// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/sample_report.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>

#include "core/plan_json.h"
#include "core/units.h"
#include "node/node.h"
#include "tools/command/report_concurrent_bandwidth.h"
#include "tools/command/report_thresholds.h"
#include "tools/command/report_verification.h"
#include "tools/sample/list.h"

namespace nmt::tools {
namespace {

constexpr std::string_view kRegime = "hot";  // cold ones: nmad-tune thresholds --regime cold

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Why the measuring of a rail ended.
std::string stop_reason(const sampler::RailReport& rail, const SampleResult& result) {
  if (!rail.failure.empty()) return "failed";
  if (!rail.complete) return "interrupted";
  if (rail.cells == 0) return "budget spent";
  return rail.precision <= result.options.sampling.precision ? "precision reached" : "budget spent";
}

json::Value rail_json(const sampler::RailReport& rail, const std::vector<RailPlan>& plans,
                      const SampleResult& result) {
  json::Value out = json::Value::object();
  out.set("rail", rail.rail);
  out.set("busy_rails", rail.busy_rails);
  out.set("complete", rail.complete);
  out.set("stop_reason", stop_reason(rail, result));
  out.set("failure", rail.failure.empty() ? json::Value() : json::Value(rail.failure));
  out.set("cells", rail.cells);
  out.set("repetitions", rail.repetitions);
  out.set("disturbed_share", share(rail.disturbed, rail.repetitions));
  out.set("quality", rail.quality());
  out.set("precision", rail.precision);
  out.set("drift", rail.drift);
  json::Value link_errors = json::Value::object();
  for (const auto& [counter, count] : rail.link_errors) link_errors.set(counter, count);
  out.set("link_errors", std::move(link_errors));
  out.set("elapsed_ns", rail.elapsed_ns);
  out.set("waited_ns", rail.waited_ns);
  json::Value thresholds = json::Value::array();
  for (const RailPlan& plan : plans) {
    if (plan.rail == rail.rail && rail.busy_rails.empty()) thresholds = thresholds_json(plan);
  }
  out.set("thresholds", std::move(thresholds));
  return out;
}

void add_payload(const SampleResult& result, const std::vector<RailPlan>& plans,
                 json::Value* payload) {
  const Record& record = result.record;
  const sampler::CampaignReport& campaign = result.campaign;
  payload->set("platform", platform_json(record.platform));
  if (record.peer) payload->set("peer", record.peer->node.host);
  payload->set(
      "profile",
      json::Value::object().set("file", result.profile.file).set("reason", result.profile.reason));
  payload->set("campaign", json::Value::object()
                               .set("id", record.campaign.id.hex())
                               .set("options", nmt::to_json(record.campaign.options))
                               .set("seed", record.session.seed)
                               .set("resumed", result.resumed)
                               .set("complete", record.campaign.complete)
                               .set("interrupted", campaign.interrupted)
                               .set("disturbed", campaign.disturbed)
                               .set("trusted", campaign.trusted)
                               .set("quality", campaign.quality)
                               .set("budget_ns", result.options.sampling.budget_ns)
                               .set("elapsed_ns", campaign.elapsed_ns));
  json::Value rails = json::Value::array();
  for (const sampler::RailReport& rail : campaign.rails) {
    rails.push_back(rail_json(rail, plans, result));
  }
  payload->set("rails", std::move(rails));
  payload->set("refused", to_json(result.choice.refusals));
}

void add_rails_table(const SampleResult& result, Text* text) {
  Table table({"rail", ">cells", ">repetitions", ">disturbed", ">precision", ">time", "ended"});
  for (const sampler::RailReport& rail : result.campaign.rails) {
    table.add({rail.name(), std::to_string(rail.cells), std::to_string(rail.repetitions),
               format_fraction(share(rail.disturbed, rail.repetitions)),
               format_fraction(rail.precision), format_duration(rail.elapsed_ns),
               rail.failure.empty() ? stop_reason(rail, result) : "failed: " + rail.failure});
  }
  const Record& record = result.record;
  const std::string where =
      record.peer ? fmt::format("between {} and {}", record.node.host, record.peer->node.host)
                  : "on " + record.node.host;
  const auto part = record.campaign.options.find("part");  // of a job
  text->heading(fmt::format("Sampled {} ({}){}", where, record.platform.name,
                            part == record.campaign.options.end() ? "" : ", part " + part->second));
  text->table(std::move(table));
}

std::string disturbance(const sampler::CampaignReport& campaign) {
  return fmt::format(
      "{} of the time was disturbed by other work or by a change of the machine's state; "
      "measurements of that time are stored and marked",
      format_fraction(1 - campaign.quality));
}

// Of links that counted errors while they were measured, which makes them slower than they are.
std::vector<std::string> faulty_links(const sampler::CampaignReport& campaign) {
  std::vector<std::string> links;
  for (const sampler::RailReport& rail : campaign.rails) {
    if (!rail.has_link_errors()) continue;
    links.push_back(fmt::format(
        "{} counted {} while it was measured: check its cable and port, then sample again",
        rail.name(), node::to_text(rail.link_errors)));
  }
  return links;
}

bool is_in_force(const SampleResult& result) {
  const std::vector<Id>& sources = result.plan.campaigns;
  const bool among = std::ranges::find(sources, result.record.campaign.id) != sources.end();
  return among || !result.record.has_samples();
}

// The most serious problem, with what to do about it.
std::optional<Problem> problem(const SampleResult& result) {
  if (result.unsaved) return result.unsaved;
  if (result.signal != 0) {
    return Problem::signal(result.signal,
                           fmt::format("interrupted by {}; what was measured is stored; the same "
                                       "command with --resume continues",
                                       ::strsignal(result.signal)));
  }
  const sampler::CampaignReport& campaign = result.campaign;
  const bool nothing = !result.record.has_samples();
  if (!campaign.peer_lost.empty()) {
    return Problem(Fault::kPeer,
                   fmt::format("lost the peer: {}; {}", campaign.peer_lost,
                               nothing ? "nothing was measured" : "what was measured is stored"));
  }
  if (campaign.interrupted) {
    return Problem(Fault::kPartial, "interrupted on the peer; what was measured is stored");
  }
  Fault fault = Fault::kPartial;
  std::string causes;
  const auto add = [&](const std::string& cause) {
    causes += (causes.empty() ? "" : "; ") + cause;
  };
  for (const sampler::RailReport& rail : campaign.rails) {
    if (!rail.failure.empty()) {
      add(rail.name() + ": " + rail.failure);
      if (nothing) fault = rail.fault;
    } else if (rail.cells == 0 && rail.busy_rails.empty()) {
      const double budget_ns = result.options.sampling.budget_ns;
      add(fmt::format(
          "{}: its share of the {} ended before the first measurement; give more time with "
          "--budget {}",
          rail.name(), format_duration(budget_ns), format_duration(5 * budget_ns)));
    }
  }
  const bool asked_for = !result.options.rails.empty();
  for (const Refusal& refusal : result.choice.refusals) {
    if (asked_for) add(describe(refusal));
  }
  if (!causes.empty()) {
    return Problem(
        fault, (nothing ? "nothing was measured: " : "some measurements are missing: ") + causes);
  }
  if (!campaign.trusted) {
    return Problem(Fault::kPartial,
                   disturbance(campaign) +
                       "; do not trust the result: sample again when the machine is quiet");
  }
  return std::nullopt;
}

}  // namespace

Report sample_report(const SampleResult& result) {
  const std::vector<std::string> rails = result.choice.names();
  const std::vector<RailPlan> plans = rail_plans(result.plan, kRegime, rails);
  Report report;
  add_payload(result, plans, &report.payload);
  add_rails_table(result, &report.text);
  const std::vector<NamedPlan> named = named_plans(plans, result.record.path_names(), {});
  add_thresholds(named, &report.text);
  add_thresholds(named, &report.records);
  const std::vector<tuner::ConcurrentBandwidth> together =
      of_rails(tuner::concurrent_bandwidths(result.plan), rails);
  report.payload.set("together", concurrent_bandwidths_json(together));
  add_concurrent_bandwidths(together, &report.text);
  if (result.options.sampling.verify) {
    const Verification verification =
        of_rails(result.plan.verification.value_or(Verification{}), rails);
    report.payload.set("verify", to_json(verification));
    if (verification == Verification{}) {
      report.warnings.push_back(explain_unverified(result.options.sampling.budget_ns));
    } else {
      add_verification(verification, &report.text);
    }
  }
  if (result.campaign.disturbed && result.campaign.trusted) {
    report.warnings.push_back(disturbance(result.campaign) +
                              "; they were repeated until there were enough undisturbed ones");
  }
  for (std::string& link : faulty_links(result.campaign)) {
    report.warnings.push_back(std::move(link));
  }
  if (!result.unsaved && !is_in_force(result)) {
    report.warnings.push_back(
        "decisions follow other campaigns: those are pinned, or this one is incomplete; "
        "nmad-tune retune --campaigns newest unpins");
  }
  report.problem = problem(result);

  std::size_t cells = 0;
  std::size_t repetitions = 0;
  std::size_t rails_alone = 0;
  for (const sampler::RailReport& rail : result.campaign.rails) {
    if (rail.busy_rails.empty()) ++rails_alone;
    cells += rail.cells;
    repetitions += rail.repetitions;
  }
  report.summary = {{"rails", std::to_string(rails_alone)},
                    {"cells", std::to_string(cells)},
                    {"repetitions", std::to_string(repetitions)},
                    {"quality", fmt::format("{:.3f}", result.campaign.quality)},
                    {"complete", result.record.campaign.complete ? "yes" : "no"},
                    {"elapsed_s", fmt::format("{:.2f}", result.campaign.elapsed_ns / 1e9)},
                    {"seed", std::to_string(result.record.session.seed)},
                    {"campaign", result.record.campaign.id.hex()},
                    {"profile", result.profile.file}};
  return report;
}

}  // namespace nmt::tools
