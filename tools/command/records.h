// SPDX-License-Identifier: BSD-3-Clause
//
// Rows for programs, printed as CSV with a header row (quoted as RFC 4180 says, lines end as
// Unix's).
//
// Cells are JSON scalars: numbers in their shortest exact form, null as nothing. Text that a
// spreadsheet would take for a formula gets a leading apostrophe, since names may come from
// outside; numbers never do.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"

namespace nmt {

struct Records {
  std::vector<std::string> header;  // units last: "latency_ns"
  std::vector<std::vector<json::Value>> rows;
};

std::string to_csv(const Records& records);

}  // namespace nmt
