// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune check: whether this is still the measured platform, field by field and per rail. It
// measures nothing, so it is cheap enough for the start of every job. With --guidelines: whether
// the MPI's own collectives, as they were measured, are slower than they need be.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/confirmation.h"
#include "core/effect.h"
#include "core/error.h"
#include "drivers/drivers.h"
#include "tools/command/report_guidelines.h"
#include "tools/command/report_thresholds.h"
#include "tools/command/this_machine.h"
#include "tools/tune/open_profile.h"

namespace nmt::tools {
namespace {

// The result for one measured thing: the platform or a rail.
struct Finding {
  std::string what;  // "platform", or the rail's name
  std::vector<Difference> differences;
};

struct RailsNow {
  std::set<std::string, std::less<>> drivers;
  std::map<std::string, Fields> rails;  // by full name
};

std::vector<drivers::Port> ports_of(drivers::Driver& driver) {
  try {
    return driver.ports();
  } catch (const Error&) {
    return {};  // detect() has refused them
  }
}

RailsNow rails_now() {
  RailsNow now;
  for (const auto& driver : drivers::make_drivers()) {
    now.drivers.emplace(driver->name());
    const drivers::Detection detection = driver->detect();
    for (const Refusal& each : detection.refusals) now.rails[each.rail]["usable"] = each.reason;
    // Those that need a peer were refused.
    for (const drivers::Port& port : ports_of(*driver)) {
      now.rails[port.rail.full_name()] = port.rail.fingerprint;
    }
    for (const Rail& rail : detection.rails) now.rails[rail.full_name()] = rail.fingerprint;
  }
  return now;
}

// Also of a rail to a port of another name, "tcp:r0/r1"; null if it is not there now.
const Fields* fingerprint_of(const std::string& name, const RailsNow& now) {
  for (std::size_t end = name.size(); end != std::string::npos; end = name.rfind('/', end - 1)) {
    const auto found = now.rails.find(name.substr(0, end));
    if (found != now.rails.end()) return &found->second;
  }
  return nullptr;
}

// What no driver of this machine detects cannot have changed: described rails, and the messages of
// an MPI, which is a field of the platform. A rail may have been measured under several
// fingerprints: the most similar one counts.
std::vector<Finding> check_rails(const std::vector<Path>& paths, const RailsNow& now) {
  std::map<std::string, std::vector<Difference>> nearest;
  for (const Path& path : paths) {
    if (!now.drivers.contains(path.from.driver)) continue;
    const std::string name = path.from.full_name();
    const Fields* present = fingerprint_of(name, now);
    std::vector<Difference> found = {{"present", "yes", "no"}};
    if (present != nullptr) found = differences(path.from.fingerprint, *present);
    const auto [entry, first] = nearest.try_emplace(name, found);
    if (!first && found.size() < entry->second.size()) entry->second = found;
  }
  std::vector<Finding> findings;
  for (const auto& [name, found] : nearest) findings.push_back({name, found});
  return findings;
}

json::Value to_json(const Difference& difference) {
  const auto side = [](const std::optional<std::string>& value) {
    return value ? json::Value(*value) : json::Value();
  };
  return json::Value::object()
      .set("field", difference.field)
      .set("effect", to_string(effect_of(difference)))
      .set("before", side(difference.before))
      .set("now", side(difference.now));
}

void add(const Finding& finding, Report* report, Table* table, json::Value* list) {
  json::Value fields = json::Value::array();
  for (const Difference& each : finding.differences) {
    const std::string before = each.before.value_or("(unknown)");
    const std::string now = each.now.value_or("(gone)");
    const std::string_view effect = to_string(effect_of(each));
    table->add({finding.what, each.field, before, now, std::string(effect)});
    report->records.rows.push_back({finding.what, each.field, before, now, effect});
    fields.push_back(to_json(each));
  }
  list->push_back(json::Value::object()
                      .set("what", finding.what)
                      .set("matches", finding.differences.empty())
                      .set("effect", to_string(effect_of(finding.differences)))
                      .set("differences", std::move(fields)));
}

Report check_guidelines(const OpenProfile& profile) {
  const tuner::GuidelineFindings findings =
      tuner::check_guidelines(profile.db.sample_sets_in_force(profile.platform.id));
  if (findings.cells == 0) {
    throw Error(Fault::kFailed,
                "the profile has no collectives of an MPI that were measured often enough; measure "
                "them with mpirun ... nmad-sample --parts collectives");
  }
  Report report;
  report.payload.set("platform", platform_json(profile.platform)).set("cells", findings.cells);
  add_guidelines(findings, &report);
  report.summary = {{"cells", std::to_string(findings.cells)},
                    {"broken", std::to_string(findings.broken.size())},
                    {"profile", profile.location.file}};
  return report;
}

// Rails by name, "tcp:r0 between nodes", that a check of this node as it is now has looked at.
struct Checked {
  std::vector<std::string> confirmed, slower;
};

Checked checked_rails(const OpenProfile& profile, const Fields& here, const RailsNow& now) {
  Checked rails;
  const std::optional<Confirmation> found = read_confirmation(profile.location.file);
  if (!found || !found->holds_for(profile.platform.id.hex(), here)) return rails;
  for (const CheckedRail& each : found->rails) {
    const Fields* present = fingerprint_of(each.name, now);
    // A driver or firmware may have come after the check; a described rail cannot change.
    if (present != nullptr && !differences(each.fingerprint, *present).empty()) continue;
    std::vector<std::string>& names = each.slower ? rails.slower : rails.confirmed;
    names.push_back(each.name + (each.between_nodes ? " between nodes" : ""));
  }
  return rails;
}

// What follows from differences that seldom change speeds.
void add_unconfirmed(const std::string& what, const Checked& checked, const std::string& file,
                     Report* report) {
  if (!checked.slower.empty()) {
    report->problem = Problem(
        Fault::kStale,
        fmt::format("{}: {} changed, and since then nmad-sample --confirm found {} slower than "
                    "they were measured; run nmad-sample again",
                    file, what, fmt::join(checked.slower, ", ")));
  } else if (checked.confirmed.empty()) {
    report->text.line(fmt::format(
        "To be confirmed: {} changed in a way that seldom changes speeds. Advice goes on, marked "
        "as unconfirmed, until nmad-sample --confirm has measured a few cells.",
        what));
  } else {
    report->text.line(fmt::format(
        "{} changed in a way that seldom changes speeds. Since then nmad-sample --confirm has "
        "confirmed {}; advice over other rails goes on, marked as unconfirmed.",
        what, fmt::join(checked.confirmed, ", ")));
  }
}

}  // namespace

Report check_platform(const OpenProfile& profile) {
  const Fields here = this_platform().fingerprint;
  const RailsNow now = rails_now();
  std::vector<Finding> findings = {{"platform", differences(profile.platform.fingerprint, here)}};
  std::ranges::move(check_rails(profile.db.paths(profile.platform.id), now),
                    std::back_inserter(findings));

  Report report;
  report.records.header = {"what", "field", "before", "now", "effect"};
  Table table({"what", "field", "measured with", "now", "makes measurements"});
  json::Value list = json::Value::array();
  std::string foreign, unconfirmed;
  Effect gravest = Effect::kNone;
  for (const Finding& finding : findings) {
    add(finding, &report, &table, &list);
    const Effect effect = effect_of(finding.differences);
    gravest = std::max(gravest, effect);
    if (effect == Effect::kNone) continue;
    std::string& names = effect == Effect::kForeign ? foreign : unconfirmed;
    names += (names.empty() ? "" : ", ") + finding.what;
  }
  report.payload.set("platform", platform_json(profile.platform));
  report.payload.set("matches", gravest == Effect::kNone);
  report.payload.set("effect", to_string(gravest));
  report.payload.set("findings", std::move(list));
  const Checked checked = checked_rails(profile, here, now);
  report.payload.set("confirmed", json::Value::array(checked.confirmed));
  report.payload.set("slower", json::Value::array(checked.slower));
  if (!report.records.rows.empty()) report.text.heading("Differences").table(std::move(table));
  if (gravest == Effect::kNone) {
    report.text.line(fmt::format("The profile matches this machine: platform {}; rails {}",
                                 profile.platform.name, findings.size() - 1));
  } else if (gravest == Effect::kUnconfirmed) {
    add_unconfirmed(unconfirmed, checked, profile.location.file, &report);
  } else {
    report.problem = Problem(
        Fault::kStale,
        fmt::format("{}: profile is stale: {} changed since it was measured; run nmad-sample again",
                    profile.location.file, foreign));
  }
  report.summary = {{"matches", gravest == Effect::kNone ? "yes" : "no"},
                    {"effect", std::string(to_string(gravest))},
                    {"differences", std::to_string(report.records.rows.size())},
                    {"profile", profile.location.file}};
  return report;
}

Work declare_check(Options& options, const ProfileOptions& profile) {
  const auto guidelines = std::make_shared<bool>(false);
  options.flag(
      "--guidelines", *guidelines,
      "check instead that the MPI's own collectives are not too slow\n"
      "Reads what was measured, on any machine. Prints where the MPI's own collective takes "
      "longer than others that do the same work (Allreduce: Reduce and Bcast), than itself "
      "with a larger message, or than itself on more ranks, beyond noise and by 5 % at "
      "least. There tuning pays, or the measurement is suspect. Exit code 0, also then.");
  options.example("nmad-tune check --quiet || nmad-sample");
  return [&profile, guidelines](const Invocation& invocation) {
    const OpenProfile open = open_to_read(profile, invocation);
    return *guidelines ? check_guidelines(open) : check_platform(open);
  };
}

}  // namespace nmt::tools
