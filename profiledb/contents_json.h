// SPDX-License-Identifier: BSD-3-Clause
//
// A whole profile as JSON ("nmadtune-profile"): one list per table, one object per row. The members
// are the columns of docs/reference/schema.md.
//
// The form is lossless. Repetitions are lists of totals, batches and rounds of equal length, and
// the indices of the disturbed ones. Summaries are written for people; reading computes them again.
// `digest` covers the rest of the document, so that a flipped bit is found. A document that was
// made or edited by hand has no `digest`. Reading refuses the whole document if anything in it is
// wrong (unknown members, dangling or duplicate rows), and names the place.
#pragma once

#include <string_view>

#include "core/json.h"
#include "profiledb/rows.h"

namespace nmt::profiledb {

json::Value contents_to_json(const Contents& contents);
Contents contents_from_json(const json::Value& document, std::string_view what);

}  // namespace nmt::profiledb
