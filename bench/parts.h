// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a group of benchmarks: its arguments name those to run (scripts/bench --part); all
// parts run if none is named. If an argument is no part, nothing runs: the message names the parts
// that there are, and the exit code is 2.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace nmt::bench {

inline constexpr int kNoSuchPart = 2;  // exit code

struct Part {
  std::string_view name;
  void (*run)();
  bool only_by_name = false;  // does not run where no part is named
};

struct PartedGroup {
  const char* name;
  std::span<const Part> parts;
  bool needs_root = false;  // for scripts/lab
};

inline std::span<char* const> part_names(int argc, char** argv) {
  return std::span<char* const>(argv, static_cast<std::size_t>(argc)).subspan(1);
}

// Whether each name that is asked for is that of a part; prints the first that is not. A part is
// anything that has a `name`.
template <typename Parts>
bool are_parts(std::span<char* const> asked, const char* group, const Parts& parts) {
  for (const std::string_view name : asked) {
    if (std::ranges::any_of(parts, [&](const auto& part) { return part.name == name; })) continue;
    std::string names;
    for (const auto& part : parts) names += " " + std::string(part.name);
    std::fprintf(stderr, "%s: no part %s; parts are:%s\n", group, std::string(name).c_str(),
                 names.c_str());
    return false;
  }
  return true;
}

// Returns the exit code of the group.
inline int run_parts(const PartedGroup& group, int argc, char** argv) {
  const std::span<char* const> asked = part_names(argc, argv);
  if (!are_parts(asked, group.name, group.parts)) return kNoSuchPart;
  if (group.needs_root && ::geteuid() != 0) {
    std::fprintf(stderr, "%s: hosts on one machine need root; run it by sudo\n", group.name);
    return 1;
  }
  for (const std::string_view name : asked) {
    std::ranges::find(group.parts, name, &Part::name)->run();
  }
  for (const Part& part : group.parts) {
    if (asked.empty() && !part.only_by_name) part.run();
  }
  return 0;
}

}  // namespace nmt::bench
