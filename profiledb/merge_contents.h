// SPDX-License-Identifier: BSD-3-Clause
//
// The union of a profile with another: what merge and import do.
//
// Rows with one identifier are one row. Platforms with equal fingerprints are folded into the one
// that is here, and so are nodes (by host), rails (by fingerprint), paths and groups below them.
// Of two versions of a campaign the complete one stays, of two versions of a sample the one with
// more repetitions; else what is here stays. Plans come along only with platforms that are new
// here: for others they have to be derived again.
#pragma once

#include "profiledb/rows.h"
#include "profiledb/sqlite.h"

namespace nmt {

void merge_contents(const sqlite::Database& database,
                    Contents other);  // within the caller's transaction

}  // namespace nmt
