// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

#include "core/units.h"
#include "tools/command/report_guidelines.h"
#include "tools/command/report_outliers.h"
#include "tools/command/report_thresholds.h"
#include "tools/command/tune_profile.h"
#include "tools/sample/oversubscription.h"

namespace nmt::tools {
namespace {

std::optional<Problem> problem_of(const JobFindings& findings) {
  if (findings.signal != 0) {
    return Problem::signal(findings.signal,
                           fmt::format("interrupted by {}; what was measured is stored",
                                       ::strsignal(findings.signal)));
  }
  if (!findings.problems.empty()) {
    std::string causes;
    for (const auto& [problem, hosts] : findings.problems) {
      const std::set<std::string> once(hosts.begin(), hosts.end());
      causes += fmt::format("{}{}: {}", causes.empty() ? "" : "; ", fmt::join(once, ", "), problem);
    }
    return Problem(Fault::kPartial, "measurements are missing or not to be trusted: " + causes);
  }
  return std::nullopt;
}

void add_links(std::vector<Link> links, Report* report, std::size_t* outliers) {
  if (links.empty()) return;
  const cluster::OutlierOptions options;
  const cluster::OutlierFindings findings = cluster::find_outliers(pair_times(links), options);
  mark_outliers(findings, &links);
  *outliers = findings.outliers.size();
  report->text.heading("Rails between nodes");
  report->text.table(table_of(links));
  report->payload.set("links", to_json(links));
  if (findings.nodes >= cluster::kNodesToCompareMin) add_outliers(findings, options, report);
  report->records = {};  // those of the thresholds follow
  for (const cluster::Outlier& each : findings.outliers) {
    report->warnings.push_back(fmt::format(
        "{} is slower than the others: {} +{} ({} .. {})", name_of(each), to_string(each.figure),
        format_fraction(each.ratio - 1), format_fraction(each.interval.low - 1),
        format_fraction(each.interval.high - 1)));
  }
}

// The plan of each platform, from everything that was gathered.
void add_plans(profiledb::ProfileDb& db, Report* report) {
  json::Value platforms = json::Value::array();
  std::set<std::int64_t> ranks;
  for (const Platform& platform : db.platforms()) {
    const Plan plan = tune(db, platform.id);
    const std::vector<NamedPlan> plans =
        named_plans(rail_plans(plan, "hot", {}), db.path_names(), {});
    for (const RailPlan& rail : plan.rails) ranks.insert(rail.ranks_per_nic);
    json::Value rails = json::Value::array();
    for (const NamedPlan& named : plans) {
      json::Value rail = json::Value::object();
      rail.set("rail", named.plan.rail);
      add_name_members(named, &rail);
      rails.push_back(rail.set("thresholds", thresholds_json(named.plan)));
    }
    platforms.push_back(
        json::Value::object().set("platform", platform_json(platform)).set("rails", rails));
    add_thresholds(plans, &report->text);
    add_thresholds(plans, &report->records);
  }
  report->payload.set("platforms", std::move(platforms));
  ranks.erase(1);
  if (!ranks.empty()) {
    report->text.line(
        fmt::format("Also measured with {} ranks per NIC: nmad-tune thresholds "
                    "--ranks-per-nic N",
                    fmt::join(ranks, ", ")));
  }
}

// Where the collectives of the job's MPI are slower than they need be.
void add_broken_guidelines(profiledb::ProfileDb& db, const std::string& mpi, Report* report) {
  tuner::GuidelineFindings all;
  for (const Platform& platform : db.platforms()) {
    tuner::GuidelineFindings found = tuner::check_guidelines(db.sample_sets_in_force(platform.id));
    std::erase_if(found.broken, [&](const auto& broken) { return broken.mpi != mpi; });
    std::ranges::move(found.broken, std::back_inserter(all.broken));
  }
  report->payload.set("broken_guidelines", guidelines_json(all));
  if (!all.broken.empty()) report->text.line(worst_guideline(all));
}

}  // namespace

void JobFindings::add(Gathered gathered) {
  for (const auto& [problem, hosts] : gathered.problems) {
    problems[problem].insert(problems[problem].end(), hosts.begin(), hosts.end());
  }
  std::ranges::move(gathered.links, std::back_inserter(links));
}

Report job_report(JobFindings findings, profiledb::ProfileDb& db,
                  const profiledb::Location& profile) {
  Report report;
  report.payload.set("mpi", findings.library)
      .set("ranks", findings.ranks)
      .set("cores", findings.cores)
      .set("nodes", findings.nodes)
      .set("groups", findings.groups.empty() ? json::Value() : json::Value(findings.groups))
      .set("profile", profile.file);
  report.text.heading(fmt::format("Sampled by {} ranks on {} nodes ({})", findings.ranks,
                                  findings.nodes, findings.library));
  std::size_t outliers = 0;
  add_links(findings.links, &report, &outliers);
  add_plans(db, &report);
  json::Value shares = json::Value::array();
  for (Report& share : findings.shares) {
    report.text.append(share.text);
    shares.push_back(share.payload);
    std::ranges::move(share.warnings, std::back_inserter(report.warnings));
    if (share.problem) findings.problems[share.problem->message].push_back("all ranks");
  }
  report.payload.set("campaigns", std::move(shares));
  if (findings.collectives) add_broken_guidelines(db, findings.library, &report);
  std::ranges::copy(findings.remarks, std::back_inserter(report.warnings));
  warn_of_oversubscription(findings.ranks, findings.cores, &report);
  report.problem = problem_of(findings);
  report.summary = {
      {"ranks", std::to_string(findings.ranks)},        {"nodes", std::to_string(findings.nodes)},
      {"links", std::to_string(findings.links.size())}, {"outliers", std::to_string(outliers)},
      {"complete", report.problem ? "no" : "yes"},      {"profile", profile.file}};
  return report;
}

}  // namespace nmt::tools
