// SPDX-License-Identifier: BSD-3-Clause
//
// Open MPI: mca-params.conf for messages, and the rules file of coll/tuned, which it names.
#include <fmt/format.h>

#include "core/error.h"
#include "core/version.h"
#include "stacks/readers.h"
#include "stacks/settings.h"
#include "stacks/writers.h"

namespace nmt::stacks {
namespace {

// What the lexer accepts as a name; the name of an interface may be different.
bool can_be_written(const std::string& name) {
  return name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "_-.") == std::string::npos;
}

// From 5.0 on vader is called sm.
std::string name_for(const std::string& name, const std::string& version) {
  constexpr std::string_view kVader = "btl_vader_";
  if (older(version, "5.0") || !name.starts_with(kVader)) return name;
  return "btl_sm_" + name.substr(kVader.size());
}

bool is_expressible(const GroupVerdict& verdict, const std::string& version, std::string* problem) {
  if (verdict.group == to_string(Transport::kVerbs) && !older(version, "5.0")) {
    *problem += "# left out: btl_openib_eager_limit: Open MPI has btl/openib before 5.0 only\n";
    return false;
  }
  for (const auto& [name, value] : verdict.settings) {
    if (can_be_written(name)) continue;
    *problem += fmt::format("# left out: {}: no name can be written so in this file\n", name);
    return false;
  }
  return true;
}

// Where an algorithm is newer than the version that the file is for, that version chooses itself.
TunedRules rules_for(const StackFindings& findings, std::vector<std::string>* notes) {
  TunedRules rules = findings.rules;
  for (auto& [name, sizes] : rules) {
    const TunedOperation& operation = *find_tuned_operation(name);
    for (auto& [ranks, list] : sizes) {
      for (TunedRule& rule : list) {
        const auto number = static_cast<std::size_t>(rule.algorithm);
        if (number < algorithms_in(operation, findings.version)) continue;
        notes->push_back(fmt::format(
            "left out: {} of {} on {} ranks from {} bytes on: Open MPI {} "
            "does not have it",
            operation.algorithms[number], name, ranks, rule.size_bytes, findings.version));
        rule = {.size_bytes = rule.size_bytes};
      }
    }
  }
  return rules;
}

// Open MPI has coll/han from 4.1 on; without its rules, coll/tuned answers what it has rules for.
bool has_han_rules(const StackFindings& findings) {
  return !findings.han_rules.empty() && !older(findings.version, "4.1");
}

}  // namespace

std::vector<ExportedFile> write_openmpi_rules(const StackFindings& findings) {
  if (findings.rules.empty()) return {};
  std::vector<std::string> notes;
  const TunedRules rules = rules_for(findings, &notes);
  const std::string text = write_tuned_rules(rules, opening(findings, notes));
  NMT_CHECK(read_tuned_rules(text, kTunedRulesFile, findings.version) == rules);
  std::vector<ExportedFile> files = {{std::string(kTunedRulesFile), text}};
  if (has_han_rules(findings)) {
    const HanRules han_rules = han_rules_for(findings.han_rules, findings.version);
    const std::string han = write_han_rules(han_rules, opening(findings, {}));
    NMT_CHECK(read_han_rules(han, kHanRulesFile, findings.version) == han_rules);
    files.push_back({std::string(kHanRulesFile), han});
  }
  return files;
}

std::vector<ExportedFile> write_openmpi(const StackFindings& findings) {
  std::string text =
      opening(findings, {"Append it to ~/.openmpi/mca-params.conf of every node, or to",
                         "openmpi-mca-params.conf of the installation."});
  std::string unwritable;
  Fields settings;
  for (const GroupVerdict& verdict : findings.verdicts) {
    if (!verdict.kept || !is_expressible(verdict, findings.version, &unwritable)) continue;
    for (const auto& [name, value] : verdict.settings) {
      text +=
          fmt::format("{}\n{} = {}\n", evidence(verdict), name_for(name, findings.version), value);
      settings[name_for(name, findings.version)] = value;
    }
    text += "\n";
  }
  std::vector<ExportedFile> files = write_openmpi_rules(findings);
  if (!files.empty()) {
    text += "# algorithms of collectives, each with its gain below\n";
    const bool han = has_han_rules(findings);
    Fields loading = rules_settings("openmpi", findings.folder + "/", han);
    if (han) loading.insert(findings.han_needs.begin(), findings.han_needs.end());
    for (const auto& [name, value] : loading) {
      text += fmt::format("{} = {}\n", name, value);
      settings[name] = value;
    }
    text += "\n";
  }
  text += left_out(findings) + unwritable;
  if (settings.empty()) return {};
  NMT_CHECK(read_mca_params(text, "mca-params.conf") == settings);
  files.insert(files.begin(), {"mca-params.conf", text});
  return files;
}

}  // namespace nmt::stacks
