// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

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
    return Problem(Fault::kPartial, "some measurements are missing: " + causes);
  }
  return std::nullopt;
}

void add_links(const std::vector<Link>& links, Report* report) {
  if (links.empty()) return;
  report->text.heading("Rails between nodes");
  report->text.table(table_of(links));
  report->payload.set("links", to_json(links));
  for (const Link& link : links) {
    if (!link.outlier) continue;
    report->warnings.push_back(fmt::format(
        "{} between {} and {} is slower than between other nodes", link.rail, link.near, link.far));
  }
}

// The plan of each platform, from everything that was gathered.
void add_plans(profiledb::ProfileDb& db, Report* report) {
  json::Value platforms = json::Value::array();
  for (const Platform& platform : db.platforms()) {
    const std::vector<NamedPlan> plans =
        named_plans(rail_plans(tune(db, platform.id), "hot", {}), db.path_names(), {});
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
      .set("profile", profile.file);
  report.text.heading(fmt::format("Sampled by {} ranks on {} nodes ({})", findings.ranks,
                                  findings.nodes, findings.library));
  mark_outliers(&findings.links);
  add_links(findings.links, &report);
  add_plans(db, &report);
  json::Value shares = json::Value::array();
  for (Report& share : findings.shares) {
    report.text.append(share.text);
    shares.push_back(share.payload);
    std::ranges::move(share.warnings, std::back_inserter(report.warnings));
    if (share.problem) findings.problems[share.problem->message].push_back("all ranks");
  }
  report.payload.set("campaigns", std::move(shares));
  std::ranges::copy(findings.remarks, std::back_inserter(report.warnings));
  warn_of_oversubscription(findings.ranks, findings.cores, &report);
  report.problem = problem_of(findings);
  const auto outliers = std::ranges::count(findings.links, true, &Link::outlier);
  report.summary = {
      {"ranks", std::to_string(findings.ranks)},        {"nodes", std::to_string(findings.nodes)},
      {"links", std::to_string(findings.links.size())}, {"outliers", std::to_string(outliers)},
      {"complete", report.problem ? "no" : "yes"},      {"profile", profile.file}};
  return report;
}

}  // namespace nmt::tools
