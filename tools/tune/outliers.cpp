// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune outliers: which node, link or rail is slower than the others, and which pairs to
// measure next to be sure.
#include <fmt/format.h>

#include "cluster/cluster.h"
#include "core/error.h"
#include "core/units.h"
#include "tools/command/pair_times.h"
#include "tools/command/report_outliers.h"
#include "tools/tune/open_profile.h"

namespace nmt::tools {
namespace {

constexpr NumberLimits kSlower = {.low = 0.001, .high = 10};
constexpr NumberLimits kChance = {.low = 1e-9, .high = 0.5};

struct OutliersOptions {
  std::string since;
  cluster::OutlierOptions find;
};

Report outliers(const OutliersOptions& options, const ProfileOptions& profile_options,
                const Invocation& invocation) {
  const profiledb::Location location = profiledb::locate_for_reading(profile_options.db);
  const profiledb::ProfileDb db = open_whole_to_read(profile_options, invocation);
  const PairTimes measured = pair_times(db, options.since);
  if (measured.times.empty()) {
    throw Error(Fault::kDatabase,
                fmt::format("{}: the profile has no measurement between two nodes{}; run mpirun "
                            "nmad-sample --db {}, or nmad-sample --peer HOST",
                            location.file, options.since.empty() ? "" : " since " + options.since,
                            location.file));
  }
  const cluster::OutlierFindings findings = cluster::find_outliers(measured.times, options.find);
  Report report;
  if (options.since.empty() && measured.left_out > 0) {
    report.warnings.push_back(fmt::format(
        "{} campaigns between nodes are left out, because they are more than a day older than the "
        "newest, of {}; --since DATE includes them",
        measured.left_out, measured.newest_utc));
  }
  report.payload.set("nodes", findings.nodes)
      .set("pairs", findings.pairs)
      .set("campaigns_left_out", measured.left_out)
      .set("tests", findings.tests);
  add_outliers(findings, options.find, &report);
  report.summary = {{"nodes", std::to_string(findings.nodes)},
                    {"pairs", std::to_string(findings.pairs)},
                    {"can_say", findings.can_say ? "yes" : "no"},
                    {"outliers", std::to_string(findings.outliers.size())},
                    {"suspected", std::to_string(findings.next.size())},
                    {"profile", location.file}};
  return report;
}

}  // namespace

Work declare_outliers(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<OutliersOptions>();
  options.text("--since", own->since, "DATE",
               "only measurements from this date on (default: the last day)\n"
               "As 2026-11-24 or 2026-11-24T08:00:00Z. The last day: those within 24 hours of the "
               "newest. Pairs that were measured in different months differ for other reasons.");
  options.fraction("--slower", own->find.slower_min, kSlower,
                   "report what is slower by at least this (default: 5%)");
  options
      .fraction(
          "--chance", own->find.chance_max, kChance,
          "probability of a false alarm (default: 0.1%)\n"
          "Where nothing is wrong, an alarm of any kind is at most so likely, over all nodes, "
          "links and rails together.")
      .rare();
  options.example("nmad-tune outliers --db cluster.db");
  return
      [own, &profile](const Invocation& invocation) { return outliers(*own, profile, invocation); };
}

}  // namespace nmt::tools
