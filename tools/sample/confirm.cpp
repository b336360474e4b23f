// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/confirm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "core/confirmation.h"
#include "core/descriptor.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/units.h"
#include "tools/command/utc.h"
#include "tools/sample/check_findings.h"
#include "tools/sample/check_rails.h"
#include "tools/sample/checked_profile.h"

namespace nmt::tools {
namespace {

constexpr double kBudgetNs = 2e9;        // to reach the peer, to measure and to record
constexpr double kBetweenAlarmsS = 600;  // two alarms so far apart are no coincidence
constexpr const char* kRootsLock = "/run/nmadtune-check.lock";
constexpr int kLockTries = 50;
constexpr std::chrono::milliseconds kLockPause(100);

// One check at a time, since two would disturb each other; the lock ends with the process. Root's
// file is one that no other user can lock.
Descriptor lock(const std::string& profile) {
  const bool root = ::geteuid() == 0;
  Descriptor descriptor(root ? ::open(kRootsLock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)
                             : ::open(profile.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  for (int tries = 0; descriptor; ++tries) {
    if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) break;
    if (tries == kLockTries) {
      throw Error(Fault::kFailed,
                  fmt::format("{}: another check runs; start again when it has ended",
                              root ? kRootsLock : profile));
    }
    std::this_thread::sleep_for(kLockPause);
  }
  return descriptor;
}

bool may_record(const std::string& profile) {
  struct stat status {};
  return ::geteuid() == 0 ||
         (::stat(profile.c_str(), &status) == 0 && status.st_uid == ::geteuid());
}

// This check, and what earlier ones have found of the same platform as it is now: rails that this
// one has not looked at, and alarms. Alarms are of the node itself, since between two nodes either
// may be the slow one; a check of the node that finds nothing ends them.
Confirmation with_earlier_checks(const CheckFindings& findings, const CheckedProfile& reference,
                                 bool between_nodes) {
  Confirmation confirmation{.platform = reference.platform().id.hex(),
                            .fingerprint = reference.fingerprint(),
                            .checked_utc = utc_now(),
                            .rails = {},
                            .alarms_utc = {}};
  const auto before = read_confirmation(reference.file());
  if (before && before->holds_for(confirmation.platform, confirmation.fingerprint)) {
    confirmation.rails = before->rails;
    confirmation.alarms_utc = before->alarms_utc;
  }
  for (const RailFinding& rail : findings.rails) {
    std::erase_if(confirmation.rails, [&](const CheckedRail& each) {
      return each.name == rail.name && each.between_nodes == between_nodes;
    });
    if (!rail.agrees && !rail.slower) continue;
    confirmation.rails.push_back({rail.name, between_nodes, rail.slower, rail.fingerprint});
  }
  if (between_nodes) return confirmation;
  if (findings.any(cluster::Spot::kSlower)) {
    confirmation.alarms_utc.push_back(confirmation.checked_utc);
  } else {
    confirmation.alarms_utc.clear();
  }
  return confirmation;
}

bool two_apart(const Confirmation& confirmation) {
  const std::vector<std::string>& alarms = confirmation.alarms_utc;
  try {
    return alarms.size() > 1 &&
           seconds_since_1970(alarms.back()) - seconds_since_1970(alarms.front()) >=
               kBetweenAlarmsS;
  } catch (const Error&) {
    return false;  // a date that cannot be read is no alarm
  }
}

// What the check found is said also where this file cannot be written.
void write_for_prometheus(const std::string& file, const CheckFindings& findings, bool two_alarms,
                          Report* report) {
  try {
    write_durable_file(file, prometheus_text(findings, two_alarms, seconds_since_1970(utc_now())),
                       true);
    let_all_read(file);
  } catch (const Error& error) {
    if (report->problem) {
      report->warnings.push_back(error.what());
    } else {
      report->problem = Problem(error.fault(), error.what());
    }
  }
}

void add_cells(const CheckFindings& findings, Report* report) {
  json::Value list = json::Value::array();
  Table table({"rail", "figure", "method", ">size", ">against profile", ""});
  report->records.header = {"rail", "figure", "method", "size_bytes", "ratio", "verdict"};
  for (const CheckedCell& each : findings.cells) {
    table.add({each.rail, each.figure, each.cell.method, format_bytes(each.cell.size_bytes),
               percent(each.verdict.ratio), std::string(to_string(each.verdict.spot))});
    report->records.rows.push_back({each.rail, each.figure, each.cell.method, each.cell.size_bytes,
                                    each.verdict.ratio, to_string(each.verdict.spot)});
    list.push_back(json::Value::object()
                       .set("rail", each.rail)
                       .set("figure", each.figure)
                       .set("method", each.cell.method)
                       .set("size_bytes", each.cell.size_bytes)
                       .set("ratio", each.verdict.ratio)
                       .set("verdict", to_string(each.verdict.spot)));
  }
  report->payload.set("cells", std::move(list));
  if (std::ranges::any_of(findings.cells, [](const CheckedCell& each) {
        return cluster::is_changed(each.verdict.spot);
      })) {
    report->text.table(std::move(table));
  }
  report->payload.set("not_checked", json::Value::array(findings.not_checked))
      .set("link_errors", json::Value::array(findings.link_errors));
}

}  // namespace

Report confirm(const SampleOptions& options, const Invocation& invocation) {
  const CheckedProfile reference(options, invocation);
  const Descriptor held = lock(reference.file());
  const CheckTime time(options.budget_ns > 0 ? options.budget_ns : kBudgetNs);
  const CheckFindings findings = options.peer.peer.empty()
                                     ? check_node(options, reference, time)
                                     : check_peer(options, reference, time, invocation);
  const std::string state = state_of(findings), line = line_of(findings, options.tolerance);
  Report report;
  report.text.line(line);
  const bool checked = state != "not checked";
  const Confirmation confirmation =
      with_earlier_checks(findings, reference, !options.peer.peer.empty());
  const bool recorded = checked && may_record(reference.file());
  if (recorded) write_confirmation(reference.file(), confirmation);
  if (checked && !recorded) {
    report.warnings.push_back("not recorded: only root and the owner of " + reference.file() +
                              " may confirm it for others");
  }
  report.payload.set("state", state)
      .set("line", line)
      .set("profile", reference.file())
      .set("recorded", recorded)
      .set("alarms", confirmation.alarms_utc.size())
      .set("two_alarms", two_apart(confirmation))
      .set("elapsed_ns", findings.elapsed_ns);
  add_cells(findings, &report);
  for (const std::string& each : findings.link_errors) report.warnings.push_back(each);
  if (state == "slower") report.problem = Problem::slower(line);
  if (!checked) {
    report.problem = Problem(findings.cells.empty() ? Fault::kNoRail : Fault::kPartial, line);
  }
  report.summary = {{"state", state == "not checked" ? "unchecked" : state},
                    {"cells", std::to_string(findings.cells.size())},
                    {"alarms", std::to_string(confirmation.alarms_utc.size())},
                    {"two_alarms", two_apart(confirmation) ? "yes" : "no"},
                    {"profile", reference.file()}};
  if (!options.prometheus.empty()) {
    write_for_prometheus(options.prometheus, findings, two_apart(confirmation), &report);
  }
  return report;
}

}  // namespace nmt::tools
