// SPDX-License-Identifier: BSD-3-Clause
//
// Settings of other stacks as files that those stacks load.
//
// Pure: findings go in, text comes out. Each setting that was kept is written under a line of
// comment that says what it is worth and on what evidence; each that was not is listed with its
// reason. The table of writers is kWriters in export.cpp; formats and their sources:
// docs/exports.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "core/plan.h"
#include "stacks/collective_rules.h"
#include "stacks/mpich_tables.h"
#include "stacks/openmpi_tuned_rules.h"
#include "stacks/settings_choice.h"

namespace nmt {

struct StackFindings {
  std::string stack;
  std::string version;  // that the files are for
  std::string origin;   // who writes this, out of which profile; one line
  std::vector<GroupVerdict> verdicts;
  TunedRules rules;                // of Open MPI's collectives; empty where none is worth it
  std::vector<RuledCell> cells;    // of collectives, those without a rule too
  MpichTables tables;              // of the library that was measured, for MPICH
  std::vector<std::string> notes;  // on each operation that rules were sought for
  const Plan* plan = nullptr;      // of this project's own rails, for NewMadeleine
  std::string folder;              // where files will be, for those that name others; absolute
  std::string machine = "x86_64";  // as uname tells it, for names of files
};

struct ExportedFile {
  std::string name;  // "mca-params.conf"
  std::string content;
};

// What was kept, as settings; what no file of the stack can express is left out.
Fields kept_settings(const StackFindings& findings);

// The names that stacks are exported by, NewMadeleine among them.
std::vector<std::string> exported_stacks();
// The version to write for: `wanted`, or that which was measured. Error(kUsage) for a stack or a
// version that is not known, with those that are.
std::string export_version(std::string_view stack, std::string_view wanted,
                           std::string_view measured);
// May be empty: nothing was worth it. Each file has passed its reader.
std::vector<ExportedFile> write_files(const StackFindings& findings);

// Of these, those that hold rules for collectives alone, and what a file of settings says of them.
std::vector<ExportedFile> write_rules(const StackFindings& findings);

// By the reader for what stands in it: a file of the stack, perhaps edited by hand. How many
// settings, rules or collectives it has. `known`: algorithms of the installed MPICH, if any.
std::size_t check_file(std::string_view stack, std::string_view version, std::string_view text,
                       std::string_view what, const std::vector<std::string>& known = {});

}  // namespace nmt
