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
#include <map>
#include <optional>
#include <thread>

#include "cluster/cluster.h"
#include "core/confirmation.h"
#include "core/descriptor.h"
#include "core/durable_file.h"
#include "core/effect.h"
#include "core/error.h"
#include "core/plan_json.h"
#include "core/units.h"
#include "sampler/sampler.h"
#include "tools/command/this_machine.h"
#include "tools/command/utc.h"
#include "tools/peer/rail_negotiation.h"
#include "tools/sample/campaign.h"
#include "tools/sample/sampling_config.h"

namespace nmt::tools {
namespace {

constexpr double kBudgetNs = 2e9;
constexpr double kCellNsMax = 4e6;       // a longer message leaves no time for others
constexpr double kBetweenAlarmsS = 600;  // two alarms so far apart are no coincidence
constexpr const char* kRootsLock = "/run/nmadtune-check.lock";
constexpr int kLockTries = 50;
constexpr std::chrono::milliseconds kLockPause(100);
constexpr std::size_t kDecisionCellsMax = 6;  // of a rail

struct CellKey {
  std::string method, variant;
  std::uint64_t size_bytes = 0;
  auto operator<=>(const CellKey&) const = default;
};
struct CellBaseline {
  std::vector<double> launches_ns;  // of the profile, one duration for each
  std::uint32_t batch = 1;          // operations in a repetition
};
using Baseline = std::map<CellKey, CellBaseline>;

struct CheckedCell {
  std::string rail;
  CellKey cell;
  std::string figure;  // latency, bandwidth, or the decision that hangs on it
  cluster::SpotVerdict verdict;
};

struct CheckFindings {
  std::vector<CheckedCell> cells;
  std::vector<std::string> not_checked;  // rails, with the reason
  double elapsed_ns = 0;

  bool any(cluster::Spot spot) const {
    return std::ranges::any_of(cells,
                               [&](const CheckedCell& each) { return each.verdict.spot == spot; });
  }
};

// The profile, and what of it was measured on machines like this one.
class CheckedProfile {
 public:
  CheckedProfile(const SampleOptions& options, const Invocation& invocation)
      : location_(profiledb::locate_for_reading(options.db)),
        db_(location_.file,
            {.notice = [invocation](const std::string& text) { invocation.notice(text); }}),
        here_(this_platform()) {
    std::optional<Effect> least;
    for (const Platform& platform : db_.platforms()) {
      const Effect effect = effect_of(differences(platform.fingerprint, here_.fingerprint));
      if (least && effect >= *least) continue;
      least = effect;
      platform_ = platform;
    }
    if (!least) {
      throw Error(Fault::kDatabase, location_.file + ": the profile is empty; run nmad-sample");
    }
    if (*least == Effect::kForeign) {
      throw Error(Fault::kStale,
                  fmt::format("{}: measured on another platform, so there is nothing to compare "
                              "with; nmad-tune check says what differs",
                              location_.file));
    }
    names_ = db_.path_names();
    sets_ = all_launches();
    plan_ = db_.plan(platform_.id);
  }

  const std::string& file() const { return location_.file; }
  const Platform& platform() const { return platform_; }
  const Fields& fingerprint() const { return here_.fingerprint; }

  // Of a rail within a node (`peer` empty) or to a peer: of these nodes if they were measured, else
  // of others of the same platform.
  Baseline baseline(const std::string& rail, const std::string& peer) const {
    Baseline own, others;
    const std::string host = this_node().host;
    for (const SampleSet& set : sets_) {
      const auto found = names_.find(set.path.id);
      if (found == names_.end() || found->second.rail != rail || !set.others.empty()) continue;
      const PathName& name = found->second;
      if (name.peer.empty() != peer.empty()) continue;
      const bool same =
          (name.node == host && name.peer == peer) || (name.peer == host && name.node == peer);
      add(set, same ? &own : &others);
    }
    return own.empty() ? others : own;
  }

  // Sizes near which a decision changes, for a rail.
  std::vector<std::pair<std::string, std::uint64_t>> thresholds(const std::string& rail) const {
    std::vector<std::pair<std::string, std::uint64_t>> found;
    if (!plan_) return found;
    for (const RailPlan& each : plan_->rails) {
      if (each.rail != rail || each.regime != "hot" || !each.busy_rails.empty()) continue;
      for (const Threshold& threshold : each.thresholds) {
        if (threshold.kind == DecisionKind::kAggregation || !threshold.bytes) continue;
        found.emplace_back(std::string(to_string(threshold.kind)), *threshold.bytes);
      }
      return found;
    }
    return found;
  }

 private:
  std::vector<SampleSet> all_launches() const {
    std::vector<SampleSet> sets;
    for (const Campaign& campaign : db_.campaigns(platform_.id)) {
      if (!campaign.complete) continue;
      for (SampleSet& set : db_.sample_sets(campaign.id)) sets.push_back(std::move(set));
    }
    return sets;
  }

  static void add(const SampleSet& set, Baseline* baseline) {
    for (const Sample& sample : set.samples) {
      const Condition& c = sample.condition;
      const std::vector<Repetition> repetitions = trusted(sample.repetitions);
      if (sample.held_out || c.benchmark != benchmark::kTransfer || c.regime != "hot" ||
          !c.busy_rails.empty() || repetitions.empty()) {
        continue;
      }
      std::vector<double> durations_ns;
      for (const Repetition& each : repetitions) durations_ns.push_back(each.each_ns());
      CellBaseline& cell = (*baseline)[{c.method, c.variant, sample.size_bytes}];
      cell.launches_ns.push_back(median(durations_ns));
      cell.batch = std::max(1u, repetitions.front().batch);
    }
  }

  profiledb::Location location_;
  profiledb::ProfileDb db_;
  Platform here_;
  Platform platform_;
  std::map<Id, PathName> names_;
  std::vector<SampleSet> sets_;
  std::optional<Plan> plan_;
};

// The cells that tell most, each once.
std::vector<std::pair<CellKey, std::string>> cells_that_tell(const Baseline& baseline,
                                                             const CheckedProfile& reference,
                                                             const std::string& rail) {
  std::map<std::uint64_t, std::pair<double, CellKey>> best;  // by size
  for (const auto& [key, cell] : baseline) {
    const double duration_ns = median(cell.launches_ns);
    if (duration_ns > kCellNsMax) continue;
    const auto [entry, first] = best.emplace(key.size_bytes, std::pair(duration_ns, key));
    if (!first && duration_ns < entry->second.first) entry->second = {duration_ns, key};
  }
  std::vector<std::pair<CellKey, std::string>> cells;
  if (best.empty()) return cells;
  cells.emplace_back(best.begin()->second.second, "latency");
  if (best.size() > 1) cells.emplace_back(best.rbegin()->second.second, "bandwidth");
  const auto add = [&](const CellKey& key, const std::string& why) {
    const bool known =
        std::ranges::any_of(cells, [&](const auto& each) { return each.first == key; });
    if (!known && cells.size() < kDecisionCellsMax + 2) cells.emplace_back(key, why);
  };
  for (const auto& [kind, bytes] : reference.thresholds(rail)) {
    const auto after = best.lower_bound(bytes);
    if (after == best.end()) continue;
    for (const auto& [key, cell] : baseline) {  // both sides, at the size of the change
      if (key.size_bytes == after->first && median(cell.launches_ns) <= kCellNsMax) add(key, kind);
    }
  }
  return cells;
}

std::optional<sampler::Experiment> experiment_of(const CellKey& key,
                                                 const sampler::RailToSample& rail) {
  const std::optional<Method> method = parse_method(key.method);
  if (!method) return std::nullopt;
  sampler::Experiment experiment{.method = *method, .size_bytes = key.size_bytes};
  if (key.variant.empty()) return experiment;
  const auto variants = rail.driver->variants(rail.rail, *method);
  const auto found = std::ranges::find(variants, key.variant);
  if (found == variants.end()) return std::nullopt;
  experiment.variant = static_cast<std::uint8_t>(found - variants.begin());
  return experiment;
}

double usual_spread(const Baseline& baseline) {
  std::vector<std::vector<double>> cells_ns;
  for (const auto& [key, cell] : baseline) cells_ns.push_back(cell.launches_ns);
  return cluster::usual_spread(cells_ns, cluster::kProfileLaunchesMin);
}

void check_rail(const sampler::RailToSample& rail, const std::string& peer,
                const CheckedProfile& reference, double budget_ns, double tolerance,
                CheckFindings* findings) {
  const std::string name = rail.rail.full_name();
  const std::string title = peer.empty() ? name : name + " to " + peer;
  const Baseline baseline = reference.baseline(name, peer);
  std::vector<sampler::SpotCell> cells;
  std::vector<CheckedCell> checked;
  for (const auto& [key, figure] : cells_that_tell(baseline, reference, name)) {
    const auto experiment = experiment_of(key, rail);
    if (!experiment) continue;
    const CellBaseline& before = baseline.at(key);
    const std::uint32_t exchanges = before.batch / sampler::operations(*experiment);
    cells.push_back({*experiment, std::max(1u, exchanges), median(before.launches_ns)});
    checked.push_back({title, key, figure, {}});
  }
  if (cells.empty()) {
    findings->not_checked.push_back(title + ": the profile has no measurement of it");
    return;
  }
  try {
    const sampler::SpotCheck check = sampler::spot_check(rail, cells, budget_ns);
    const cluster::SpotLimits limits{.tolerance = tolerance,
                                     .usual_spread = usual_spread(baseline)};
    findings->elapsed_ns += check.elapsed_ns;
    for (std::size_t i = 0; i < checked.size(); ++i) {
      checked[i].verdict = cluster::judge_spot(baseline.at(checked[i].cell).launches_ns,
                                               check.launches_ns[i], limits);
      findings->cells.push_back(checked[i]);
    }
  } catch (const Error& error) {
    findings->not_checked.push_back(title + ": " + error.what());
  }
}

CheckFindings check_node(const SampleOptions& options, const CheckedProfile& reference,
                         double budget_ns) {
  CheckFindings findings;
  const RailChoice choice = choose_rails(options.rails, options.seed ? *options.seed : 1);
  for (const sampler::RailToSample& rail : choice.rails) {
    check_rail(rail, "", reference, budget_ns / static_cast<double>(choice.rails.size()),
               options.tolerance, &findings);
  }
  findings.not_checked.push_back("rails between nodes: not without --peer HOST");
  return findings;
}

CheckFindings check_peer(const SampleOptions& options, const CheckedProfile& reference,
                         double budget_ns, const Invocation& invocation) {
  CheckFindings findings;
  ReachedPeer reached(options.peer, invocation.tool);
  control::Connection& peer = reached.connection();
  RailNegotiation negotiation = negotiate_as_near(peer, invocation.tool, options.rails);
  SamplingConfig config{.sampling = options.sampling, .session = {}};
  config.sampling.confirm = true;
  config.sampling.budget_ns = budget_ns;
  config.session.clock = "confirm";
  send_config(peer, to_json(config));
  for (const SharedRail& each : negotiation.rails) {
    check_rail({each.driver, each.rail, &peer}, negotiation.node.host, reference,
               budget_ns / static_cast<double>(negotiation.rails.size()), options.tolerance,
               &findings);
  }
  sampler::end_spot_checks(peer);
  reached.leave();
  return findings;
}

std::string percent(double ratio) { return fmt::format("{:+.0f} %", 100 * (ratio - 1)); }

std::string state_of(const CheckFindings& findings) {
  if (findings.any(cluster::Spot::kSlower)) return "slower";
  if (findings.any(cluster::Spot::kFaster)) return "faster";
  return findings.any(cluster::Spot::kAgrees) ? "confirmed" : "not checked";
}

std::string line_of(const CheckFindings& findings, double tolerance) {
  const std::string state = state_of(findings);
  if (state == "not checked") {
    return findings.cells.empty() && !findings.not_checked.empty()
               ? "not checked: " + findings.not_checked.front()
               : "not checked: too few launches; give more time with --budget, or a profile that "
                 "was sampled five times at least";
  }
  if (state == "confirmed") {
    return fmt::format("confirmed: {} cells agree with the profile within {}",
                       findings.cells.size(), format_fraction(tolerance));
  }
  std::string text;
  for (const CheckedCell& each : findings.cells) {
    if (each.verdict.spot != cluster::Spot::kSlower && each.verdict.spot != cluster::Spot::kFaster)
      continue;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", each.rail, each.figure,
                        percent(each.verdict.ratio));
  }
  return state + " than the profile: " + text;
}

// A label of Prometheus: text from outside, quoted.
std::string label(const std::string& text) {
  std::string quoted;
  for (const char c : plain(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string prometheus_text(const CheckFindings& findings, double now_s) {
  std::string text =
      "# HELP nmadtune_check_ratio Duration of a cell compared with the profile; above 1 is "
      "slower.\n# TYPE nmadtune_check_ratio gauge\n";
  for (const CheckedCell& each : findings.cells) {
    text += fmt::format(
        "nmadtune_check_ratio{{rail=\"{}\",figure=\"{}\",method=\"{}\",size_bytes=\"{}\"}} {}\n",
        label(each.rail), label(each.figure), label(each.cell.method), each.cell.size_bytes,
        each.verdict.ratio);
  }
  text += fmt::format(
      "# HELP nmadtune_check_slower Whether a cell is slower than the profile beyond tolerance.\n"
      "# TYPE nmadtune_check_slower gauge\nnmadtune_check_slower {}\n"
      "# HELP nmadtune_check_time_seconds When the last check ended.\n"
      "# TYPE nmadtune_check_time_seconds gauge\nnmadtune_check_time_seconds {:.0f}\n",
      findings.any(cluster::Spot::kSlower) ? 1 : 0, now_s);
  return text;
}

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

// Alarms of checks in a row; one that finds nothing ends them.
Confirmation record(const CheckFindings& findings, const CheckedProfile& reference) {
  const std::string now = utc_now();
  Confirmation confirmation{
      .platform = reference.platform().id.hex(),
      .fingerprint = reference.fingerprint(),
      .checked_utc = now,
      .changed = findings.any(cluster::Spot::kSlower) || findings.any(cluster::Spot::kFaster),
      .alarms_utc = {}};
  if (!findings.any(cluster::Spot::kSlower)) return confirmation;
  if (const auto before = read_confirmation(reference.file())) {
    confirmation.alarms_utc = before->alarms_utc;
  }
  confirmation.alarms_utc.push_back(now);
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
  if (!findings.cells.empty()) report->text.table(std::move(table));
  json::Value not_checked = json::Value::array();
  for (const std::string& each : findings.not_checked) {
    not_checked.push_back(each);
    report->text.line("Not checked: " + each);
  }
  report->payload.set("not_checked", std::move(not_checked));
}

}  // namespace

Report confirm(const SampleOptions& options, const Invocation& invocation) {
  const CheckedProfile reference(options, invocation);
  const Descriptor held = lock(reference.file());
  const double budget_ns = options.budget_ns > 0 ? options.budget_ns : kBudgetNs;
  const CheckFindings findings = options.peer.peer.empty()
                                     ? check_node(options, reference, budget_ns)
                                     : check_peer(options, reference, budget_ns, invocation);
  const std::string state = state_of(findings), line = line_of(findings, options.tolerance);
  Report report;
  report.text.line(line);
  const bool checked = state != "not checked";
  const Confirmation confirmation = record(findings, reference);
  const bool recorded = checked && may_record(reference.file());
  if (recorded) write_confirmation(reference.file(), confirmation);
  if (checked && !recorded) {
    report.warnings.push_back("not recorded: only root and the owner of " + reference.file() +
                              " may confirm it for others");
  }
  if (!options.prometheus.empty()) {
    write_durable_file(options.prometheus, prometheus_text(findings, seconds_since_1970(utc_now())),
                       true);
    let_all_read(options.prometheus);
  }
  report.payload.set("state", state)
      .set("line", line)
      .set("profile", reference.file())
      .set("recorded", recorded)
      .set("alarms", confirmation.alarms_utc.size())
      .set("two_alarms", two_apart(confirmation))
      .set("elapsed_ns", findings.elapsed_ns);
  add_cells(findings, &report);
  if (state == "slower") report.problem = Problem::slower(line);
  if (!checked) {
    report.problem = Problem(findings.cells.empty() ? Fault::kNoRail : Fault::kPartial, line);
  }
  report.summary = {{"state", state == "not checked" ? "unchecked" : state},
                    {"cells", std::to_string(findings.cells.size())},
                    {"alarms", std::to_string(confirmation.alarms_utc.size())},
                    {"two_alarms", two_apart(confirmation) ? "yes" : "no"},
                    {"profile", reference.file()}};
  return report;
}

}  // namespace nmt::tools
