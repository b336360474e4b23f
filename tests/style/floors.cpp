// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/floors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace nmt::style {
namespace {

constexpr std::string_view kEverything = "everything";
constexpr std::string_view kNothing = "nothing";
constexpr std::string_view kInOneFile = " in one file";

// libc, the kernel and the compiler, beside the C++ standard library.
constexpr std::array<std::string_view, 35> kSystemHeaders = {
    "arpa/",    "asm/",      "cpuid.h",   "dirent.h",  "dlfcn.h",     "errno.h",  "fcntl.h",
    "fmt/",     "fnmatch.h", "gnu/",      "ifaddrs.h", "immintrin.h", "link.h",   "linux/",
    "net/",     "netdb.h",   "netinet/",  "poll.h",    "pthread.h",   "pwd.h",    "sched.h",
    "signal.h", "spawn.h",   "stdbool.h", "stddef.h",  "stdint.h",    "stdio.h",  "stdlib.h",
    "string.h", "strings.h", "sys/",      "termios.h", "time.h",      "unistd.h", "x86intrin.h"};

bool names_header(std::string_view allowed, std::string_view header) {
  return allowed.ends_with('/') ? header.starts_with(allowed) : header == allowed;
}

bool is_system(std::string_view header) {
  if (header.find_first_of("./") == std::string_view::npos) return true;  // <vector>
  return std::ranges::any_of(kSystemHeaders,
                             [&](std::string_view known) { return names_header(known, header); });
}

std::string_view without_backticks(std::string_view text) {
  if (text.size() >= 2 && text.front() == '`' && text.back() == '`') {
    text.remove_prefix(1);
    text.remove_suffix(1);
  }
  return text;
}

std::vector<Allowance> parse_allowances(std::string_view cell) {
  std::vector<Allowance> allowances;
  for (std::string_view clause : split(cell, ';')) {
    clause = trim(clause);
    const bool in_one_file = clause.ends_with(kInOneFile);
    if (in_one_file) clause.remove_suffix(kInOneFile.size());
    for (const std::string_view part : split(clause, ',')) {
      const std::string_view name = without_backticks(trim(part));
      if (name.empty() || name.find(' ') != std::string_view::npos) {
        throw std::runtime_error(fmt::format("cannot read \"{}\" in the cell \"{}\"", name, cell));
      }
      if (name != kNothing) allowances.push_back({std::string(name), in_one_file});
    }
  }
  return allowances;
}

const Floor* find(std::span<const Floor> floors, std::string_view folder) {
  const auto found = std::ranges::find(floors, folder, &Floor::folder);
  return found == floors.end() ? nullptr : &*found;
}

// "collectives/mpi/job.h" -> "collectives/mpi"; empty for what has no folder.
std::string path_of_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

// Holds one include after the other against the table, and remembers who used what may be used in
// one file only.
class Inspector {
 public:
  explicit Inspector(std::span<const Floor> floors) : floors_(floors) {}

  void inspect(const SourceFile& file) {
    const Floor* row = find(floors_, file.folder());
    if (row == nullptr) {
      violations_.push_back(
          fmt::format("{}: folder {} has no row in the table of floors", file.path, file.folder()));
      return;
    }
    for (const Include& include : includes_of(file)) {
      const std::string problem =
          include.quoted ? own_problem(*row, file, include) : foreign_problem(*row, file, include);
      if (!problem.empty()) {
        violations_.push_back(fmt::format("{}:{}: {}", file.path, include.line, problem));
      }
    }
  }

  // The same for a folder within another, if it has a row.
  void inspect_within(const SourceFile& file) {
    const std::string folder = path_of_folder(file.path);
    const Floor* row = find_within(folder);
    if (row == nullptr) {
      if (find_within(path_of_folder(folder)) == nullptr) return;
      violations_.push_back(
          fmt::format("{}: folder {} has no row in the table of floors", file.path, folder));
      return;
    }
    for (const Include& include : includes_of(file)) {
      const std::string problem = include.quoted ? sibling_problem(*row, file, include)
                                                 : foreign_problem(*row, file, include);
      if (!problem.empty()) {
        violations_.push_back(fmt::format("{}:{}: {}", file.path, include.line, problem));
      }
    }
  }

  std::vector<std::string> violations() {
    for (const auto& [key, files] : users_) {
      if (files.size() < 2) continue;
      violations_.push_back(fmt::format("{}: {} is for one file of this folder, and {} use it: {}",
                                        key.first, key.second, files.size(),
                                        fmt::join(files, ", ")));
    }
    return std::exchange(violations_, {});
  }

 private:
  const Floor* find_within(const std::string& folder) const {
    return folder.find('/') == std::string::npos ? nullptr : find(floors_, folder);
  }

  // What a folder may include of others that have a row; inspect() has seen to all else.
  std::string sibling_problem(const Floor& row, const SourceFile& file, const Include& include) {
    const std::string target = path_of_folder(include.name);
    if (target == row.folder || find_within(target) == nullptr ||
        allowed(row.folders, file, row.folder,
                [&](const Allowance& allowance) { return allowance.name == target; })) {
      return {};
    }
    return fmt::format("{} may not include {}", row.folder, target);
  }

  std::string own_problem(const Floor& row, const SourceFile& file, const Include& include) {
    const std::size_t slash = include.name.find('/');
    if (slash == std::string::npos) {
      return fmt::format("\"{}\" must start at the root of the repository", include.name);
    }
    const std::string target = include.name.substr(0, slash);
    if (target == row.folder || !row.level) return {};
    const Floor* target_row = find(floors_, target);
    if (target_row == nullptr || !target_row->level ||
        !allowed(row.folders, file, row.folder,
                 [&](const Allowance& allowance) { return allowance.name == target; })) {
      return fmt::format("{} may not include {}", row.folder, target);
    }
    const bool vocabulary = *target_row->level == 0;
    if (!vocabulary && include.name != fmt::format("{0}/{0}.h", target)) {
      return fmt::format("\"{}\" is private; the face of {} is {}/{}.h", include.name, target,
                         target, target);
    }
    return {};
  }

  std::string foreign_problem(const Floor& row, const SourceFile& file, const Include& include) {
    if (is_system(include.name) ||
        allowed(row.outside, file, row.folder, [&](const Allowance& allowance) {
          return names_header(allowance.name, include.name);
        })) {
      return {};
    }
    return fmt::format("<{}> is foreign and not in the row of {}", include.name, row.folder);
  }

  template <class Matches>
  bool allowed(const std::vector<Allowance>& allowances, const SourceFile& file,
               const std::string& folder, Matches matches) {
    for (const Allowance& allowance : allowances) {
      if (allowance.name != kEverything && !matches(allowance)) continue;
      if (allowance.in_one_file) users_[{folder, allowance.name}].insert(file.path);
      return true;
    }
    return false;
  }

  std::span<const Floor> floors_;
  std::vector<std::string> violations_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> users_;
};

constexpr std::string_view kDrivers = "drivers/";

// "drivers/tcp/endpoint.h" -> "tcp"; empty for what lies in drivers/ itself.
std::string_view driver_of(std::string_view path) {
  path.remove_prefix(kDrivers.size());
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool may_include_all_drivers(std::string_view path) {
  return path == "drivers/drivers.h" || path == "drivers/drivers.cpp";
}

}  // namespace

std::vector<Floor> parse_floors(std::string_view markdown) {
  std::vector<Floor> floors;
  bool in_table = false;
  for (const std::string_view line : split(markdown, '\n')) {
    if (!line.starts_with('|')) {
      in_table = false;
      continue;
    }
    std::vector<std::string_view> cells = split(line, '|');  // first and last are empty
    for (std::string_view& cell : cells) cell = trim(cell);
    if (line == "| floor | folder | job | may include | outside world |") {
      in_table = true;
    } else if (in_table && !line.starts_with("| ---")) {
      if (cells.size() != 7) {
        throw std::runtime_error(fmt::format("a row of {} cells: {}", cells.size() - 2, line));
      }
      std::optional<int> level;
      if (cells[1] != "-") level = std::stoi(std::string(cells[1]));
      for (const std::string_view folder : split(cells[2], ',')) {
        floors.push_back({level, std::string(trim(folder)), parse_allowances(cells[4]),
                          parse_allowances(cells[5])});
      }
    }
  }
  return floors;
}

std::vector<std::string> table_problems(std::span<const Floor> floors) {
  std::vector<std::string> problems;
  for (const Floor& floor : floors) {
    if (std::ranges::count(floors, floor.folder, &Floor::folder) > 1) {
      problems.push_back(fmt::format("{} has two rows", floor.folder));
    }
    for (const Allowance& allowance : floor.folders) {
      if (allowance.name == kEverything) continue;
      const Floor* below = find(floors, allowance.name);
      if (below == nullptr) {
        problems.push_back(
            fmt::format("{} may include {}, which has no row", floor.folder, allowance.name));
      } else if (floor.level && (!below->level || *below->level >= *floor.level)) {
        problems.push_back(
            fmt::format("{} may include {}, which is not below it", floor.folder, allowance.name));
      }
    }
  }
  return problems;
}

std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> includes;
  std::size_t number = 0;
  for (std::string_view line : split(file.text, '\n')) {
    ++number;
    line = trim(line);
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (!line.starts_with("include")) continue;
    line = trim(line.substr(std::string_view("include").size()));
    if (line.empty() || (line.front() != '"' && line.front() != '<')) continue;
    const bool quoted = line.front() == '"';
    const std::size_t end = line.find(quoted ? '"' : '>', 1);
    if (end == std::string_view::npos) continue;
    includes.push_back({number, std::string(line.substr(1, end - 1)), quoted});
  }
  return includes;
}

std::vector<std::string> include_violations(std::span<const Floor> floors,
                                            std::span<const SourceFile> files) {
  Inspector inspector(floors);
  for (const SourceFile& file : files) {
    if (!file.is_code()) continue;
    inspector.inspect(file);
    inspector.inspect_within(file);
  }
  return inspector.violations();
}

std::vector<std::string> driver_violations(std::span<const SourceFile> files) {
  std::vector<std::string> violations;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with(kDrivers) || !file.is_code()) continue;
    if (may_include_all_drivers(file.path)) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.name.starts_with(kDrivers)) continue;
      const std::string_view other = driver_of(include.name);
      if (other.empty() || other == driver_of(file.path)) continue;
      violations.push_back(
          fmt::format("{}:{}: {} is of driver {}", file.path, include.line, include.name, other));
    }
  }
  return violations;
}

}  // namespace nmt::style
