// SPDX-License-Identifier: BSD-3-Clause
//
// Who may include whom: read from the tables of docs/architecture.md ("Folders are floors"), held
// against the #include lines of the sources, so that the page and the code cannot disagree.
//
// A cell of `may include` lists folders, one of `outside world` header names (`NAME.h`, or `NAME/`
// for all below it); "; ... in one file" limits what stands in its clause to one file of the
// folder. Whatever is not allowed is forbidden: a foreign header that no row names is a violation.
//
// A row of a folder within another ("collectives/mpi/report") says what it may include of those
// that have such a row too. If a folder has one, so has each folder in it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/style/source_tree.h"

namespace nmt::style {

struct Allowance {
  std::string name;  // folder, header, or "everything"
  bool in_one_file = false;
  bool operator==(const Allowance&) const = default;
};

struct Floor {
  std::optional<int> level;  // none for what stands beside the floors: tests, bench
  std::string folder;
  std::vector<Allowance> folders;
  std::vector<Allowance> outside;
};

struct Include {
  std::size_t line = 0;
  std::string name;
  bool quoted = false;
};

// All rows of all tables that have the columns floor, folder, job, may include, outside world.
// Throws std::runtime_error for a row that cannot be read.
std::vector<Floor> parse_floors(std::string_view markdown);

// What is wrong with the table itself: a folder named twice or never, a row that does not point
// down.
std::vector<std::string> table_problems(std::span<const Floor> floors);

std::vector<Include> includes_of(const SourceFile& file);

// "node/NAME.cpp:3: ..." for each include that its row does not allow, and for code in a folder
// that has no row.
std::vector<std::string> include_violations(std::span<const Floor> floors,
                                            std::span<const SourceFile> files);

// Drivers do not include each other: a driver is a folder below drivers/, and what lies in drivers/
// itself is for all. drivers.h and drivers.cpp, the face and the table, may include them all.
std::vector<std::string> driver_violations(std::span<const SourceFile> files);

}  // namespace nmt::style
