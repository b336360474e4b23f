// SPDX-License-Identifier: BSD-3-Clause
//
// One writer for each stack, and the comments that all of them write around settings.
//
// A writer checks its output with the readers of stacks/readers.h. If a file does not read back as
// intended, the writer fails; such a file is never written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stacks/export.h"

namespace nmt::stacks {

std::vector<ExportedFile> write_openmpi(const StackFindings& findings);
std::vector<ExportedFile> write_mpich(const StackFindings& findings);
std::vector<ExportedFile> write_ucx(const StackFindings& findings);
std::vector<ExportedFile> write_libfabric(const StackFindings& findings);
std::vector<ExportedFile> write_newmadeleine(const StackFindings& findings);

// Only for stacks with files of rules; empty if no rule pays.
std::vector<ExportedFile> write_openmpi_rules(const StackFindings& findings);
std::vector<ExportedFile> write_mpich_rules(const StackFindings& findings);

// Lines of comment: which program wrote the file, for which version, and how to load it.
std::string opening(const StackFindings& findings, const std::vector<std::string>& how_to_load,
                    std::string_view mark = "#");
// One line: the gain of a group, where and when it was measured, and what it replaces.
std::string evidence(const GroupVerdict& verdict);
// "PREFIXname=value" of each setting as the stack reads it, under what its groups are worth.
std::string with_evidence(const StackFindings& findings, const Fields& spelled,
                          std::string_view prefix);
// A line for each setting that was left out, with its reason.
std::string left_out(const StackFindings& findings);

}  // namespace nmt::stacks
