// SPDX-License-Identifier: BSD-3-Clause
//
// Rows for programs, printed as CSV with a header row (quoted as in RFC 4180, with Unix line ends).
//
// Cells are JSON scalars: numbers in their shortest exact form, null as an empty cell. Text that a
// spreadsheet would read as a formula gets an apostrophe in front, because names may come from
// outside; numbers never do.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"

namespace nmt::tools {

struct Records {
  std::vector<std::string> header;  // units last: "latency_ns"
  std::vector<std::vector<json::Value>> rows;
};

std::string to_csv(const Records& records);

}  // namespace nmt::tools
