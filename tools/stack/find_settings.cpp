// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/find_settings.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "core/error.h"
#include "core/units.h"
#include "core/version.h"
#include "sampler/sampler.h"
#include "tools/stack/mpich_library.h"
#include "tools/stack/stack_recorder.h"

namespace nmt::tools {
namespace {

// Rules for MPICH are its own tables with cells in them; without its tables there are none.
void add_tables(const std::vector<stacks::StackSamples>& samples, stacks::StackFindings* findings) {
  if (stacks::ruled_operations(findings->cells).empty()) return;
  std::string library_file;
  for (const stacks::StackSamples& each : samples) {  // newest first
    const auto found = each.campaign.options.find(std::string(sampler::kLibraryFile));
    if (found == each.campaign.options.end() || !each.rail.ends_with("/collectives")) continue;
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

// What hands calls on, where the newest campaign that measured collectives found coll/han in front
// of coll/tuned, or faster somewhere; and the priority by which it is asked first.
void add_han_rules(const std::vector<stacks::StackSamples>& samples,
                   const stacks::RuleChoice& choice, stacks::StackFindings* findings) {
  for (const stacks::StackSamples& each : samples) {  // the newest first
    if (!each.rail.ends_with("/collectives")) continue;
    const Fields& options = each.campaign.options;
    const bool chooses = options.contains(kHanChooses);
    const auto priority = options.find(
        fmt::format("default {}", chooses ? sampler::kHanPriority : sampler::kTunedPriority));
    if ((!chooses && !options.contains(kHanCompetes)) || priority == options.end()) return;
    findings->han_rules = stacks::han_rules_of(
        choice.cells, chooses ? stacks::kHanComponent : stacks::kTunedComponent);
    if (findings->han_rules.empty()) return;
    findings->han_needs = choice.han_segments;
    findings->han_needs[std::string(sampler::kHanPriority)] =
        chooses ? priority->second : std::to_string(parse_bytes(priority->second) + 1);
    return;
  }
}

// Another version's tables are not those of the library that was measured.
void leave_rules_out(const std::string& measured, stacks::StackFindings* findings) {
  findings->cells.clear();
  findings->notes = {fmt::format(
      "left out: rules for collectives: their tables belong to {}, and this export is for {}",
      measured, findings->version)};
}

// Of UCX and libfabric, the version below the MPI that was launched.
std::string measured_version(std::string_view stack, const stacks::StackSamples& newest) {
  if (stack != "ucx" && stack != "libfabric") return version_in(newest.mpi);
  const std::string_view version =
      stack == "ucx" ? sampler::kUcxVersion : sampler::kLibfabricVersion;
  const auto found = newest.campaign.options.find(std::string(version));
  return found == newest.campaign.options.end() ? "" : found->second;
}

// Of the UCX below MPICH, whose settings carry MPICH's messages.
std::string measured_ucx(const std::vector<stacks::StackSamples>& samples) {
  for (const stacks::StackSamples& each : samples) {  // newest first
    const auto found = each.campaign.options.find(std::string(sampler::kUcxVersion));
    if (found != each.campaign.options.end()) return found->second;
  }
  return {};
}

}  // namespace

stacks::StackFindings find_settings(const profiledb::ProfileDb& db, const Id& platform,
                                    const Plan* plan, const FindingsFor& what) {
  stacks::export_version(what.stack, what.version, "");
  stacks::StackFindings findings{.stack = what.stack, .plan = plan, .folder = what.folder};
  findings.origin = fmt::format("Written by nmad-tune {} export {} from {}", NMT_VERSION,
                                what.stack, what.profile);
  utsname names{};
  if (::uname(&names) == 0) findings.machine = names.machine;
  if (plan == nullptr) {
    const std::vector<stacks::StackSamples> samples = read_stack_samples(db, platform, what.stack);
    if (samples.empty()) {
      throw Error(Fault::kDatabase,
                  fmt::format("{}: the profile has no campaign of {}; measure it with nmad-sample "
                              "--stack {} --db {}",
                              what.profile, what.stack, what.stack, what.profile));
    }
    findings.verdicts = stacks::judge_groups(samples);
    stacks::RuleChoice choice = stacks::choose_rules(samples);
    add_han_rules(samples, choice, &findings);
    findings.rules = std::move(choice.rules);
    findings.cells = std::move(choice.cells);
    findings.notes = std::move(choice.notes);
    findings.measured = measured_version(what.stack, samples.front());
    if (what.stack == "mpich") {
      findings.measured_ucx = measured_ucx(samples);
      add_tables(samples, &findings);
    }
  }
  findings.version = stacks::export_version(what.stack, what.version, findings.measured);
  if (!findings.tables.algorithms.empty() && findings.version != findings.measured) {
    leave_rules_out(findings.measured, &findings);
  }
  return findings;
}

}  // namespace nmt::tools
