// SPDX-License-Identifier: BSD-3-Clause
//
// One writer for each stack, and the comments that all of them write around settings.
//
// Writers call the readers of stacks/readers.h on what they wrote: a file that does not read
// back as what was meant is a bug, never a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stacks/export.h"

namespace nmt {

std::vector<ExportedFile> write_openmpi(const StackFindings& findings);
std::vector<ExportedFile> write_mpich(const StackFindings& findings);
std::vector<ExportedFile> write_ucx(const StackFindings& findings);
std::vector<ExportedFile> write_newmadeleine(const StackFindings& findings);

// Of those that have files of rules: without what is not worth it, they have none.
std::vector<ExportedFile> write_openmpi_rules(const StackFindings& findings);
std::vector<ExportedFile> write_mpich_rules(const StackFindings& findings);

// Lines that begin with "# ": who wrote this, and how it is loaded.
std::string opening(const StackFindings& findings, const std::vector<std::string>& how_to_load);
// One line: what a group is worth, where and when that was measured, what it replaces.
std::string evidence(const GroupVerdict& verdict);
// A line for each setting that was left out, with its reason.
std::string left_out(const StackFindings& findings);

}  // namespace nmt
