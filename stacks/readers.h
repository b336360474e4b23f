// SPDX-License-Identifier: BSD-3-Clause
//
// Readers of other stacks' settings files, each with the grammar of its stack.
//
// A reader refuses what its stack would refuse or misread: Error(kFailed) "WHAT: line N: cause".
// docs/exports.md has the formats and their sources.
#pragma once

#include <string_view>
#include <vector>

#include "core/fields.h"

namespace nmt::stacks {

// Each `version` is that of the stack which is going to read the file; empty where it is not known.
//
// Open MPI's mca-params.conf: "name = value" (opal/util/keyval/keyval_lex.l).
Fields read_mca_params(std::string_view text, std::string_view what, std::string_view version = {});
// UCX's ucx.conf: sections with filters, "NAME=value" (src/ucs/config/parser.c).
Fields read_ucx_conf(std::string_view text, std::string_view what, std::string_view version = {});
// "export NAME=value", as a shell reads it.
Fields read_environment(std::string_view text, std::string_view what);
// NewMadeleine's sampling file: "size<TAB>MiB/s", powers of two from 1 without a gap
// (nmad/src/nm_sampling.c).
std::vector<double> read_nm_ns(std::string_view text, std::string_view what);

}  // namespace nmt::stacks
