// SPDX-License-Identifier: BSD-3-Clause
//
// The rows that a group of benchmarks prints for scripts/bench: one JSON object per line on stdout.
//
// A row with a goal holds or does not; a row without is context. Values are printed as measured,
// never clipped to a goal.
#pragma once

#include <cstdio>
#include <string>

#include "core/json.h"

namespace nmt::bench {

enum class Goal { kNone, kAtMost, kAtLeast };

inline void print_row(const std::string& group, const std::string& name, double value,
                      const std::string& unit, Goal goal = Goal::kNone, double limit = 0) {
  json::Value row = json::Value::object();
  row.set("group", group).set("name", name).set("value", value).set("unit", unit);
  if (goal == Goal::kNone) {
    row.set("goal", nullptr).set("holds", nullptr);
  } else {
    char text[64];
    std::snprintf(text, sizeof text, "%s %g%s%s", goal == Goal::kAtMost ? "<=" : ">=", limit,
                  unit.empty() ? "" : " ", unit.c_str());
    row.set("goal", std::string(text));
    row.set("holds", goal == Goal::kAtMost ? value <= limit : value >= limit);
  }
  std::printf("%s\n", row.dump(-1).c_str());
  std::fflush(stdout);
}

}  // namespace nmt::bench
