// SPDX-License-Identifier: BSD-3-Clause
//
// Settings of other stacks as files that those stacks load.
//
// Pure: findings go in, text comes out. Each setting that is kept is written below a comment line
// that gives its value and the evidence. Each other setting is listed with the reason. The table of
// writers is kWriters in export.cpp; docs/exports.md has the formats and their sources.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "core/plan.h"
#include "stacks/collective_rules.h"
#include "stacks/mpich_tables.h"
#include "stacks/openmpi_han_rules.h"
#include "stacks/openmpi_tuned_rules.h"
#include "stacks/settings_choice.h"

namespace nmt::stacks {

struct StackFindings {
  std::string stack;
  std::string version;       // the files are written for it
  std::string measured;      // the version that was measured; empty if that is unknown
  std::string measured_ucx;  // version of the UCX below the measured MPI; likewise
  std::string origin;        // one line: which program wrote this, from which profile
  std::vector<GroupVerdict> verdicts;
  TunedRules rules;                // of Open MPI's collectives; empty where none is worth it
  HanRules han_rules;              // beside them, where coll/han is asked first,
  Fields han_needs;                // with the priority that makes it first, and its segments
  std::vector<RuledCell> cells;    // of collectives, those without a rule too
  MpichTables tables;              // of the library that was measured, for MPICH
  std::vector<std::string> notes;  // on each operation that rules were sought for
  const Plan* plan = nullptr;      // of this project's own rails, for NewMadeleine
  std::string folder;              // where files will be, for those that name others; absolute
  std::string machine = "x86_64";  // as uname prints it, for names of files
};

struct ExportedFile {
  std::string name;  // "mca-params.conf"
  std::string content;
};

// The settings that were kept, without those that no file of the stack can express.
Fields kept_settings(const StackFindings& findings);

// Empty if no setting pays. Each file has passed its reader.
std::vector<ExportedFile> write_files(const StackFindings& findings);

// Only the files with rules for collectives, and the settings that load them.
std::vector<ExportedFile> write_rules(const StackFindings& findings);

// Checks a file of the stack, which may have been edited by hand, with the reader for its contents.
// Returns its number of settings, rules or collectives. `known`: algorithms of the installed MPICH,
// or empty.
std::size_t check_file(std::string_view stack, std::string_view version, std::string_view text,
                       std::string_view what, const std::vector<std::string>& known = {});

}  // namespace nmt::stacks
