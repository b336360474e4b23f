// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune diff: what became slower or faster between two profiles, or within one since a date or
// a pinned baseline; first what differs in the fingerprints, last which thresholds moved.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cluster/cluster.h"
#include "core/error.h"
#include "core/units.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/diff_sides.h"
#include "tools/tune/open_profile.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

constexpr NumberLimits kTolerance = {.low = 0, .high = 10};
constexpr std::size_t kShown = 20;
constexpr double kRegretShown = 0.0005;  // what prints as more than 0.0 %

struct DiffOptions {
  DiffChoice choice;
  double tolerance = 0.05;
  bool all = false;
};

std::string to_string(const DiffCell& cell) {
  std::string what = cell.benchmark == benchmark::kTransfer ? "" : cell.benchmark + " ";
  what += cell.method;
  if (!cell.variant.empty()) what += "/" + cell.variant;
  return fmt::format("{} {} {}{}", cell.path, what, format_bytes(cell.size_bytes),
                     cell.regime == "hot" ? "" : " " + cell.regime);
}

// All durations of both sides by cell and launch.
class LaunchComparison {
 public:
  void add(const DiffSide& side, bool after) {
    std::map<std::string, std::set<std::pair<std::string, Id>>> launches;  // of a path, by time
    for (const LaunchMedian& each : side.medians) launches[each.cell.path].insert(each.launch);
    std::set<std::string>& paths = after ? paths_after_ : paths_before_;
    std::map<std::string, std::map<std::pair<std::string, Id>, std::size_t>> numbers;
    for (const auto& [path, of_path] : launches) {
      paths.insert(path);
      for (const auto& launch : of_path) numbers[path].emplace(launch, numbers[path].size());
    }
    std::set<std::pair<std::size_t, std::size_t>> known;  // cell and launch
    for (const LaunchMedian& each : side.medians) {
      const std::size_t cell = number_of(each.cell), launch = numbers[each.cell.path][each.launch];
      if (!known.emplace(cell, launch).second) continue;  // the same pair, measured from both ends
      times_.push_back({cell, after, launch, each.duration_ns});
    }
  }

  cluster::Changes changes() const { return cluster::find_changes(rails_, times_); }
  // How much launches of one side differ, by rail; in logarithms, the median over cells.
  std::map<std::string, double> launch_spreads() const {
    std::map<std::pair<std::size_t, bool>, std::vector<double>> launches_ns;
    for (const cluster::LaunchTime& time : times_) {
      launches_ns[{time.cell, time.after}].push_back(time.duration_ns);
    }
    std::map<std::string, std::vector<std::vector<double>>> by_rail;
    for (auto& [cell, durations_ns] : launches_ns) {
      if (durations_ns.size() < 2) continue;
      by_rail[cells_[cell.first].rail].push_back(std::move(durations_ns));
    }
    std::map<std::string, double> spreads;
    for (const auto& [rail, cells_ns] : by_rail) spreads[rail] = cluster::usual_spread(cells_ns, 2);
    return spreads;
  }
  const DiffCell& cell(std::size_t number) const { return cells_[number]; }

  // Paths that one side does not have: a node that left, or one that is new.
  std::vector<std::string> only_before() const { return without(paths_before_, paths_after_); }
  std::vector<std::string> only_after() const { return without(paths_after_, paths_before_); }
  bool has_common_path() const { return only_before().size() < paths_before_.size(); }

 private:
  static std::vector<std::string> without(const std::set<std::string>& some,
                                          const std::set<std::string>& others) {
    std::vector<std::string> left;
    std::ranges::set_difference(some, others, std::back_inserter(left));
    return left;
  }

  std::size_t number_of(const DiffCell& cell) {
    const auto [entry, first] = numbers_.emplace(cell, cells_.size());
    if (first) {
      cells_.push_back(cell);
      rails_.push_back(rail_numbers_.emplace(cell.path, rail_numbers_.size()).first->second);
    }
    return entry->second;
  }

  std::map<DiffCell, std::size_t> numbers_;
  std::map<std::string, std::size_t> rail_numbers_;
  std::vector<DiffCell> cells_;
  std::vector<std::size_t> rails_;
  std::vector<cluster::LaunchTime> times_;
  std::set<std::string> paths_before_, paths_after_;
};

json::Value text_or_null(const std::optional<std::string>& text) {
  return text ? json::Value(*text) : json::Value();
}

// Nodes in which the same field changed alike take one row of the table.
void add_fingerprints(const DiffSide& before, const DiffSide& after, Report* report) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  struct Row {
    std::string what;
    std::size_t others = 0;
  };
  std::map<Key, Row> rows;  // by rail, field, before and after
  json::Value list = json::Value::array();
  for (const auto& [end, fields] : before.fingerprints) {
    const auto other = after.fingerprints.find(end);
    if (other == after.fingerprints.end()) continue;
    const auto& [node, rail] = end;
    for (const Difference& each : differences(fields, other->second)) {
      const std::string what = node + (rail.empty() ? "" : " ") + rail;
      const auto [row, first] = rows.try_emplace(
          {rail, each.field, each.before.value_or("(none)"), each.now.value_or("(none)")},
          Row{what});
      if (!first) ++row->second.others;
      list.push_back(json::Value::object()
                         .set("what", what)
                         .set("node", node)
                         .set("rail", rail.empty() ? json::Value() : json::Value(rail))
                         .set("field", each.field)
                         .set("before", text_or_null(each.before))
                         .set("after", text_or_null(each.now)));
    }
  }
  report->payload.set("fingerprints", std::move(list));
  if (rows.empty()) return;
  Table table({"what", "field", "before", "after"});
  for (const auto& [key, row] : rows) {
    const auto& [rail, field, was, is] = key;
    table.add({row.others == 0 ? row.what : fmt::format("{} and {} more", row.what, row.others),
               field, was, is});
  }
  report->text.heading("What differs in the fingerprints").table(std::move(table));
}

void add_changes(const LaunchComparison& comparison, std::vector<cluster::Change> changes, bool all,
                 Report* report) {
  report->records.header = {"path",      "rail",       "benchmark",  "method",
                            "variant",   "regime",     "size_bytes", "ratio",
                            "low_ratio", "high_ratio", "chance",     "beyond_noise"};
  std::ranges::stable_sort(changes, {}, [](const cluster::Change& each) {
    return std::pair(!each.beyond_noise, -std::abs(std::log(each.ratio)));
  });
  json::Value list = json::Value::array();
  Table table({"cell", ">change", "95 % interval"});
  std::size_t shown = 0;
  for (const cluster::Change& each : changes) {
    const DiffCell& cell = comparison.cell(each.cell);
    report->records.rows.push_back({cell.path, cell.rail, cell.benchmark, cell.method, cell.variant,
                                    cell.regime, cell.size_bytes, each.ratio, each.interval.low,
                                    each.interval.high, each.chance, each.beyond_noise});
    if (!each.beyond_noise && !all) continue;
    list.push_back(json::Value::object()
                       .set("path", cell.path)
                       .set("rail", cell.rail)
                       .set("benchmark", cell.benchmark)
                       .set("method", cell.method)
                       .set("variant", cell.variant)
                       .set("regime", cell.regime)
                       .set("size_bytes", cell.size_bytes)
                       .set("ratio", each.ratio)
                       .set("low_ratio", each.interval.low)
                       .set("high_ratio", each.interval.high)
                       .set("chance", each.chance)
                       .set("beyond_noise", each.beyond_noise));
    if (++shown > kShown && !all) continue;
    table.add({to_string(cell), fmt::format("{:+.1f} %", 100 * (each.ratio - 1)),
               fmt::format("{:+.1f} .. {:+.1f} %", 100 * (each.interval.low - 1),
                           100 * (each.interval.high - 1))});
  }
  report->payload.set("changes", std::move(list));
  if (shown == 0) return;
  report->text.heading(all ? "All cells" : "Slower or faster beyond noise");
  report->text.table(std::move(table));
  if (shown > kShown && !all) {
    report->text.line(fmt::format("and {} more (--all)", shown - kShown));
  }
}

struct MovedThreshold {
  std::string path;
  const RailPlan* plan = nullptr;  // after
  const Threshold* before = nullptr;
  const Threshold* after = nullptr;
  tuner::RegretSummary regret;  // of keeping the old one
};

// Thresholds that moved further than their intervals, the costliest first.
std::vector<MovedThreshold> moved_thresholds(const DiffSide& before, const DiffSide& after) {
  std::vector<MovedThreshold> moved;
  for (const auto& [key, old_plan] : before.plans) {
    const auto now = after.plans.find(key);
    if (now == after.plans.end()) continue;
    const RailPlan& plan = now->second;
    for (const Threshold& old : old_plan.thresholds) {
      const Threshold* found = plan.find_threshold(old.kind);
      if (found == nullptr) continue;
      const bool apart = old.answer != found->answer || old.high_bytes < found->low_bytes ||
                         old.low_bytes > found->high_bytes;
      if (!apart) continue;
      moved.push_back({key, &plan, &old, found, tuner::summary_of(tuner::regrets_at(plan, old))});
    }
  }
  std::ranges::stable_sort(moved, std::ranges::greater(),
                           [](const MovedThreshold& each) { return each.regret.mean; });
  return moved;
}

void add_thresholds(const std::vector<MovedThreshold>& moved, bool all, Report* report) {
  json::Value list = json::Value::array();
  Table table({"path", "decision", ">before", ">after", ">regret of keeping"});
  std::size_t rows = 0, free = 0;
  for (const MovedThreshold& each : moved) {
    const std::string kind(to_string(each.before->kind));
    const std::string was = answer_text(*each.before), is = answer_text(*each.after);
    ++(each.regret.mean < kRegretShown ? free : rows);
    if (each.regret.mean >= kRegretShown && (all || rows <= kShown)) {
      table.add({each.path, kind, was, is, format_fraction(each.regret.mean)});
    }
    list.push_back(json::Value::object()
                       .set("path", each.path)
                       .set("regime", each.plan->regime)
                       .set("kind", kind)
                       .set("before", was)
                       .set("after", is)
                       .set("regret", each.regret.mean)
                       .set("regret_worst", each.regret.worst)
                       .set("worst_size_bytes", each.regret.worst_size_bytes));
  }
  report->payload.set("thresholds", std::move(list));
  if (rows + free > 0) report->text.heading("Thresholds that moved");
  if (rows > 0) report->text.table(std::move(table));
  if (rows > kShown && !all) {
    report->text.line(fmt::format("and {} more (--all)", rows - kShown));
  }
  if (free > 0) {
    report->text.line(fmt::format("{}{} moved, and keeping the old costs nothing", free,
                                  rows > 0 ? " more" : ""));
  }
}

// What campaigns of a side met: errors that a link counted, a disturbed machine.
void add_remarks(const char* side, const std::set<std::string>& remarks, Report* report) {
  json::Value list = json::Value::array();
  for (const std::string& remark : remarks) {
    list.push_back(remark);
    report->text.line(fmt::format("Remark of a campaign {}: {}", side, remark));
  }
  report->payload.set(fmt::format("remarks_{}", side), std::move(list));
}

void add_missing(const char* what, const std::vector<std::string>& paths, Report* report) {
  json::Value list = json::Value::array();
  for (const std::string& path : paths) list.push_back(path);
  report->payload.set(what, std::move(list));
  if (paths.empty()) return;
  report->warnings.push_back(fmt::format(
      "{} {} measured on one side only ({}): {}", paths.size(),
      paths.size() == 1 ? "path was" : "paths were",
      std::string(what) == "only_before" ? "before" : "after",
      fmt::join(paths.begin(),
                paths.begin() + static_cast<std::ptrdiff_t>(std::min(paths.size(), std::size_t{3})),
                ", ")));
}

Report diff(const DiffSide& before, const DiffSide& after, const DiffOptions& options) {
  LaunchComparison comparison;
  comparison.add(before, false);
  comparison.add(after, true);
  if (!comparison.has_common_path()) {
    throw Error(Fault::kFailed,
                fmt::format("{} and {} have no path between the same nodes and rails in common; "
                            "nmad-tune show --all lists the paths of each",
                            before.what, after.what));
  }
  const cluster::Changes changes = comparison.changes();
  std::vector<cluster::Change> slower, faster;
  for (const cluster::Change& each : changes.cells) {
    if (each.beyond_noise) (each.ratio > 1 ? slower : faster).push_back(each);
  }
  const auto worst = std::ranges::max_element(slower, {}, &cluster::Change::ratio);

  Report report;
  std::string sentence;
  const bool can_say = changes.evidence == cluster::Evidence::kEnough;
  if (changes.evidence == cluster::Evidence::kTooFewOfEachCell) {
    sentence =
        "Cannot say: no cell was measured in enough launches of both sides. Sample again, for a "
        "longer time (--budget).";
  } else if (!can_say) {
    sentence = fmt::format(
        "Cannot say: {} {} before, {} after; it takes five on each side, or two against 21. "
        "Sample again, at other times.",
        changes.launches_before, changes.launches_before == 1 ? "launch" : "launches",
        changes.launches_after);
  } else if (slower.empty()) {
    sentence = fmt::format("No cell of {} is slower beyond noise; {} faster.", changes.cells.size(),
                           faster.size());
  } else {
    sentence = fmt::format(
        "{} of {} cells slower beyond noise, worst {} {:+.0f} % [{:.0f}, {:.0f}]", slower.size(),
        changes.cells.size(), to_string(comparison.cell(worst->cell)), 100 * (worst->ratio - 1),
        100 * (worst->interval.low - 1), 100 * (worst->interval.high - 1));
  }
  report.text.line(sentence);
  report.payload.set("sentence", sentence)
      .set("can_say", can_say)
      .set("before", before.what)
      .set("after", after.what)
      .set("launches_before", changes.launches_before)
      .set("launches_after", changes.launches_after)
      .set("cells", changes.cells.size())
      .set("slower", slower.size())
      .set("faster", faster.size())
      .set("tolerance", options.tolerance);
  json::Value spreads = json::Value::object();
  for (const auto& [rail, spread] : comparison.launch_spreads()) spreads.set(rail, spread);
  report.payload.set("launch_spreads", std::move(spreads));
  add_fingerprints(before, after, &report);
  add_changes(comparison, changes.cells, options.all, &report);
  add_thresholds(moved_thresholds(before, after), options.all, &report);
  add_remarks("before", before.remarks, &report);
  add_remarks("after", after.remarks, &report);
  add_missing("only_before", comparison.only_before(), &report);
  add_missing("only_after", comparison.only_after(), &report);
  if (!slower.empty() && worst->ratio > 1 + options.tolerance) {
    report.problem = Problem::slower(fmt::format(
        "slower than --tolerance {} beyond noise: {} {:+.1f} %", format_fraction(options.tolerance),
        to_string(comparison.cell(worst->cell)), 100 * (worst->ratio - 1)));
  }
  report.summary = {{"slower", std::to_string(slower.size())},
                    {"faster", std::to_string(faster.size())},
                    {"cells", std::to_string(changes.cells.size())},
                    {"can_say", can_say ? "yes" : "no"}};
  return report;
}

}  // namespace

Report diff_sides(const DiffSide& before, const DiffSide& after) { return diff(before, after, {}); }

Work declare_diff(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<DiffOptions>();
  options.texts(
      "SIDE", own->choice.sides,
      "OLD [NEW]: profiles, or identifiers of campaigns\n"
      "NEW is the profile of --db if it is left out. Identifiers, as nmad-tune show prints them, "
      "are of campaigns of the profile of --db; several make one side with commas between them. "
      "Without OLD: --since or --pinned.");
  options.text("--since", own->choice.since, "DATE",
               "compare campaigns since DATE with those before it\n"
               "As 2026-11-24 or 2026-11-24T08:00:00Z.");
  options.flag("--pinned", own->choice.pinned,
               "compare campaigns since the pinned ones with these");
  options.fraction("--tolerance", own->tolerance, kTolerance,
                   "exit with 8 if slower than this beyond noise (default: 5%)");
  options.flag("--all", own->all, "print all cells, not only those beyond noise");
  options.example("nmad-tune diff before.db after.db --tolerance 5%");
  return [own, &profile](const Invocation& invocation) {
    const auto [before, after] = choose_sides(own->choice, profile, invocation);
    return diff(before, after, *own);
  };
}

}  // namespace nmt::tools
