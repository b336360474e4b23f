// SPDX-License-Identifier: BSD-3-Clause
//
// A whole profile as JSON ("nmadtune-profile"): one list per table, one object per row, the
// columns of docs/reference/schema.md as members.
//
// Lossless. Repetitions are lists of totals, batches and rounds of equal length, and the indices
// of the disturbed ones. Summaries are written for people and made again when read. `digest`
// covers the rest of the document, so that a flipped bit in a file is found; a document made or
// changed by hand leaves it out. Reading refuses the whole document where anything in it is not
// as it should be, with the place: unknown members, rows that point nowhere, doubled rows.
#pragma once

#include <string_view>

#include "core/json.h"
#include "profiledb/rows.h"

namespace nmt {

json::Value contents_to_json(const Contents& contents);
Contents contents_from_json(const json::Value& document, std::string_view what);

}  // namespace nmt
