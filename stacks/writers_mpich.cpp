// SPDX-License-Identifier: BSD-3-Clause
//
// MPICH: settings in the environment, which its launcher passes on. For messages these are settings
// of UCX below it; for collectives they name its own two tables, with measured cells.
#include <fmt/format.h>

#include "core/error.h"
#include "stacks/readers.h"
#include "stacks/settings.h"
#include "stacks/writers.h"

namespace nmt::stacks {
namespace {

// Reads the file back here, so that an error does not show in the middle of a job's start.
ExportedFile selection_file(const StackFindings& findings, std::string_view name,
                            const Selection& selection) {
  const std::string comments = opening(
      findings, {"A copy of the library's own table with what was measured; loaded by mpich.env."},
      "//");
  ExportedFile file{std::string(name), write_selection(selection, comments)};
  NMT_CHECK(read_selection(file.content, name, findings.tables.known) == selection);
  return file;
}

}  // namespace

std::vector<ExportedFile> write_mpich_rules(const StackFindings& findings) {
  const MpichTables& tables = findings.tables;
  if (tables.algorithms.empty() || ruled_operations(findings.cells).empty()) return {};
  const MpichTables ruled = with_rules(tables, findings.cells);
  return {selection_file(findings, kMpichAlgorithmsFile, ruled.algorithms),
          selection_file(findings, kMpichCompositionsFile, ruled.compositions)};
}

std::vector<ExportedFile> write_mpich(const StackFindings& findings) {
  Fields settings = as_spelled(kept_settings(findings));
  std::vector<ExportedFile> files = write_mpich_rules(findings);
  std::string text = opening(findings, {"Load it where jobs are launched: . ./mpich.env"});
  text += with_evidence(findings, settings, "export ");
  if (!files.empty()) {
    text +=
        "# algorithms of collectives, each with its gain below; all nodes must see these files\n";
    for (const auto& [name, value] : rules_settings("mpich", findings.folder + "/")) {
      text += fmt::format("export {}={}\n", name, value);
      settings[name] = value;
    }
  }
  if (settings.empty()) return {};
  text += "\n" + left_out(findings);
  NMT_CHECK(read_environment(text, "mpich.env") == settings);
  files.insert(files.begin(), {"mpich.env", text});
  return files;
}

}  // namespace nmt::stacks
