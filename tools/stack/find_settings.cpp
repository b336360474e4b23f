// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/find_settings.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "core/version.h"
#include "sampler/sampler.h"
#include "tools/stack/compare_rules.h"
#include "tools/stack/mpich_library.h"
#include "tools/stack/stack_recorder.h"

namespace nmt::tools {
namespace {

bool is_about_rules(const stacks::StackSamples& samples) {
  return samples.rail.ends_with("/collectives");
}

// Rules for MPICH are its own tables with cells in them; without its tables there are none.
void add_tables(const std::vector<stacks::StackSamples>& samples, stacks::StackFindings* findings) {
  if (stacks::ruled_operations(findings->cells).empty()) return;
  std::string library_file;
  for (const stacks::StackSamples& each : samples) {  // newest first
    const auto found = each.campaign.options.find(std::string(sampler::kLibraryFile));
    if (found == each.campaign.options.end() || !is_about_rules(each)) continue;
    library_file = found->second;
    break;
  }
  try {
    findings->tables = read_mpich_tables(library_file);
  } catch (const Error& error) {
    findings->cells.clear();
    findings->notes = {fmt::format("left out: rules for collectives: {}", error.what())};
  }
}

// Whether other algorithms than the library's own choice were measured on more than one node.
bool compares_between_nodes(const stacks::StackSamples& samples) {
  return std::ranges::any_of(samples.times, [](const auto& cell) {
    const stacks::StackKey& key = cell.first;
    return key.algorithm != stacks::kOwnChoice && key.ranks > key.ranks_per_node;
  });
}

// What hands calls on, where the newest campaign that compared collectives between nodes found
// coll/han in front of coll/tuned, or faster somewhere; and the priority by which it is asked
// first. On one node, coll/han leaves all calls to the others.
void add_han_rules(const std::vector<stacks::StackSamples>& samples,
                   const stacks::RuleChoice& choice, stacks::StackFindings* findings) {
  for (const stacks::StackSamples& each : samples) {  // the newest first
    if (!is_about_rules(each)) continue;
    const Fields& options = each.campaign.options;
    const bool chooses = options.contains(kHanChooses);
    const bool acts = chooses || options.contains(kHanCompetes);
    if (!acts && !compares_between_nodes(each)) continue;
    const auto priority = options.find(
        fmt::format("default {}", chooses ? sampler::kHanPriority : sampler::kTunedPriority));
    if (!acts || priority == options.end()) return;
    findings->han_rules = stacks::han_rules_of(
        choice.cells, chooses ? stacks::kHanComponent : stacks::kTunedComponent);
    if (findings->han_rules.empty()) return;
    findings->han_needs = choice.han_segments;
    findings->han_needs[std::string(sampler::kHanPriority)] =
        chooses ? priority->second : std::to_string(parse_bytes(priority->second) + 1);
    return;
  }
}

// Another version has other tables, other algorithms and another choice of its own.
void leave_rules_out(const std::string& measured, stacks::StackFindings* findings) {
  findings->rules.clear();
  findings->han_rules.clear();
  findings->han_needs.clear();
  findings->cells.clear();
  findings->notes = {fmt::format(
      "left out: rules for collectives: they were measured under {}, and this export is for {}",
      measured, findings->version)};
}

// Rules, or how operations do with and without them (nmad-tune ab).
bool is_about_collectives(const stacks::StackSamples& samples) {
  return is_about_rules(samples) || samples.rail.ends_with(fmt::format("/{}", kOwnChoiceRail));
}
// Or a program with all settings and without them.
bool is_about_settings(const stacks::StackSamples& samples) {
  return !is_about_collectives(samples);
}
bool is_about_messages(const stacks::StackSamples& samples) {
  return is_about_settings(samples) && !samples.rail.ends_with("/program");
}

// Of the UCX below MPICH, whose settings carry MPICH's messages; empty if that is unknown, and for
// collectives.
std::string ucx_of(const FindingsFor& what, const stacks::StackSamples& samples) {
  if (what.stack != "mpich" || is_about_collectives(samples)) return {};
  const auto found = samples.campaign.options.find(std::string(stacks::kUcxVersion));
  return found == samples.campaign.options.end() ? "" : found->second;
}

// Under what something was measured.
struct Software {
  std::string version, ucx;
  std::string words() const {
    const std::string known = version.empty() ? "an unknown version" : version;
    return ucx.empty() ? known : fmt::format("{} over ucx {}", known, ucx);
  }
};

// What is about the same: `decides` the samples by which a version is taken, `goes_along` all.
struct Subject {
  std::string_view name;
  bool (*decides)(const stacks::StackSamples&);
  bool (*goes_along)(const stacks::StackSamples&);
};
constexpr Subject kSettings{"settings", is_about_messages, is_about_settings};
constexpr Subject kRules{"rules", is_about_rules, is_about_collectives};

// What was measured under two versions does not belong into one file. So samples of a subject are
// taken of one version: of the one that the user names, if it was sampled under that, else of the
// newest that is known. The others are erased, with a note. Messages under MPICH are of one UCX
// too.
Software take_one(const Subject& subject, const FindingsFor& what,
                  std::vector<stacks::StackSamples>* samples, std::vector<std::string>* notes) {
  const auto first = [&](auto&& suits) {  // the newest
    return std::ranges::find_if(*samples, [&](const stacks::StackSamples& each) {
      return subject.decides(each) && suits(each);
    });
  };
  auto taken = samples->end();
  if (!what.version.empty()) {
    taken = first(
        [&](const auto& each) { return stacks::is_meant(what.stack, what.version, each.version); });
  }
  if (taken == samples->end())
    taken = first([](const auto& each) { return !each.version.empty(); });
  if (taken == samples->end()) taken = first([](const auto&) { return true; });
  if (taken == samples->end()) return {};
  const Software one{taken->version, ucx_of(what, *taken)};
  const std::size_t erased = std::erase_if(*samples, [&](const stacks::StackSamples& each) {
    return subject.goes_along(each) &&
           (!stacks::is_same_version(what.stack, each.version, one.version) ||
            ucx_of(what, each) != one.ucx);
  });
  if (erased > 0) {
    notes->push_back(fmt::format("left out: {} that were measured under other versions than {}",
                                 subject.name, one.words()));
  }
  return one;
}

// MPICH's rules are tables of one version. Those of Open MPI are of the version for which
// files are written, unless the user names another.
bool are_of_another(const std::string& rules_version, const FindingsFor& what,
                    const stacks::StackFindings& findings) {
  if (what.stack == "mpich") {
    return !findings.tables.algorithms.empty() &&
           !stacks::is_meant(what.stack, findings.version, rules_version);
  }
  return !findings.rules.empty() && !what.version.empty() && !rules_version.empty() &&
         !stacks::is_meant(what.stack, what.version, rules_version);
}

struct Measured {
  std::string version;
  bool by_rules = false;  // of collectives
};

// The versions under which what is exported was measured, as far as they are known.
std::vector<Measured> measured_versions(const stacks::StackFindings& findings) {
  std::vector<Measured> all;
  for (const stacks::GroupVerdict& verdict : findings.verdicts) {
    if (verdict.kept && !verdict.version.empty()) all.push_back({verdict.version});
  }
  for (const stacks::RuledCell& cell : findings.cells) {
    const std::string version = version_in(cell.mpi);
    if (cell.algorithm != stacks::kOwnChoice && !version.empty()) all.push_back({version, true});
  }
  return all;
}

// The newest one, if anything that is exported is of it. If nothing is exported, it is to be named
// all the same.
std::string measured_version(const std::vector<stacks::StackSamples>& samples,
                             const stacks::StackFindings& findings) {
  const std::string& newest = samples.front().version;
  const std::vector<Measured> all = measured_versions(findings);
  if (all.empty() || std::ranges::find(all, newest, &Measured::version) != all.end()) return newest;
  return all.front().version;
}

}  // namespace

stacks::StackFindings find_settings(const profiledb::ProfileDb& db, const Id& platform,
                                    const Plan* plan, const FindingsFor& what) {
  stacks::export_version(what.stack, what.version, "");
  stacks::StackFindings findings{.stack = what.stack, .plan = plan, .folder = what.folder};
  findings.origin = fmt::format("Written by nmad-tune {} export {} from {}", NMT_VERSION,
                                what.stack, what.profile);
  std::string rules_version;
  std::vector<std::string> notes;
  utsname names{};
  if (::uname(&names) == 0) findings.machine = names.machine;
  if (plan == nullptr) {
    std::vector<stacks::StackSamples> samples = read_stack_samples(db, platform, what.stack);
    if (samples.empty()) {
      throw Error(Fault::kDatabase,
                  fmt::format("{}: the profile has no campaign of {}; measure it with nmad-sample "
                              "--stack {} --db {}",
                              what.profile, what.stack, what.stack, what.profile));
    }
    const Software messages = take_one(kSettings, what, &samples, &notes);
    rules_version = take_one(kRules, what, &samples, &notes).version;
    findings.verdicts = stacks::judge_groups(samples);
    stacks::RuleChoice choice = stacks::choose_rules(samples);
    add_han_rules(samples, choice, &findings);
    findings.rules = std::move(choice.rules);
    findings.cells = std::move(choice.cells);
    findings.notes = std::move(choice.notes);
    findings.measured = measured_version(samples, findings);
    findings.measured_ucx = messages.ucx;
    if (what.stack == "mpich") add_tables(samples, &findings);
  }
  findings.version = stacks::export_version(what.stack, what.version, findings.measured);
  if (are_of_another(rules_version, what, findings)) leave_rules_out(rules_version, &findings);
  findings.notes.insert(findings.notes.end(), notes.begin(), notes.end());
  return findings;
}

std::optional<OtherVersion> measured_under_another(const stacks::StackFindings& findings,
                                                   const std::string& profile,
                                                   const std::string& version,
                                                   std::string_view there) {
  if (version.empty()) return std::nullopt;
  std::vector<Measured> all = measured_versions(findings);
  if (all.empty() && !findings.measured.empty()) all.push_back({findings.measured});
  for (const Measured& each : all) {
    if (stacks::is_same_version(findings.stack, each.version, version)) continue;
    return OtherVersion{
        each.version,
        fmt::format("{0}: {1} {2} was measured{5}, and {1} {3} {4}; measure again with "
                    "nmad-sample --stack {1}{6} --db {0}",
                    profile, findings.stack, each.version, version, there,
                    each.by_rules ? " (collectives)" : "",
                    each.by_rules ? " --parts collectives" : "")};
  }
  return std::nullopt;
}

}  // namespace nmt::tools
