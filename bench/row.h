// SPDX-License-Identifier: BSD-3-Clause
//
// The rows that a group of benchmarks prints for scripts/bench: one JSON object per line on stdout.
//
// A row with a goal holds or does not; a row without is context. Values are printed as measured,
// never clipped to a goal.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "core/json.h"

namespace nmt::bench {

enum class Goal { kNone, kAtMost, kAtLeast };

inline json::Value row_of(const std::string& group, const std::string& name, double value,
                          const std::string& unit) {
  json::Value row = json::Value::object();
  row.set("group", group).set("name", name).set("value", value).set("unit", unit);
  return row;
}

inline std::string goal_text(Goal goal, double limit, const std::string& unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%s %g%s%s", goal == Goal::kAtMost ? "<=" : ">=", limit,
                unit.empty() ? "" : " ", unit.c_str());
  return text;
}

inline void print(const json::Value& row) {
  std::printf("%s\n", row.dump(-1).c_str());
  std::fflush(stdout);
}

inline void print_row(const std::string& group, const std::string& name, double value,
                      const std::string& unit, Goal goal = Goal::kNone, double limit = 0,
                      const std::string& note = "") {
  json::Value row = row_of(group, name, value, unit);
  if (goal == Goal::kNone) {
    row.set("goal", nullptr).set("holds", nullptr);
  } else {
    row.set("goal", goal_text(goal, limit, unit));
    row.set("holds", goal == Goal::kAtMost ? value <= limit : value >= limit);
  }
  if (!note.empty()) row.set("note", note);
  print(row);
}

// A goal that nothing was measured for counts as missed.
inline void print_missed(const std::string& group, const std::string& name, const std::string& unit,
                         Goal goal, double limit, const std::string& reason) {
  print(row_of(group, name, 0, unit)
            .set("goal", goal_text(goal, limit, unit))
            .set("holds", false)
            .set("note", reason));
}

// How many times as fast one thing is as another, with a 95 % interval.
struct TimesAsFast {
  double value = 1;
  double low = 1;
  double high = 1;
  std::string what;  // a size, an operation

  double half_width() const { return (high - low) / 2 / value; }
  // Well enough to tell whether it is slower.
  bool is_known() const { return half_width() <= 0.05; }
};

// With its interval.
inline json::Value row_of(const std::string& group, const std::string& name,
                          const TimesAsFast& times) {
  return row_of(group, name, times.value, "times").set("low", times.low).set("high", times.high);
}

// "Never slower": none of these lies beyond the limit with its whole interval, and each interval is
// narrow enough to tell. Prints the one that is nearest to proof of the contrary, and the widest.
// Of nothing at all it counts as missed.
inline void print_never_slower(const std::string& group, const std::string& name,
                               const std::vector<TimesAsFast>& all) {
  constexpr double kLeast = 0.98;
  if (all.empty()) {
    print_missed(group, name, "times", Goal::kAtLeast, kLeast, "nothing was compared");
    return;
  }
  const TimesAsFast& worst = *std::ranges::min_element(all, {}, &TimesAsFast::high);
  const TimesAsFast& widest = *std::ranges::max_element(all, {}, &TimesAsFast::half_width);
  char note[200];
  std::snprintf(note, sizeof note, "at %s; the widest interval, at %s: +- %.1f %%",
                worst.what.c_str(), widest.what.c_str(), 100 * widest.half_width());
  print(row_of(group, name, worst)
            .set("goal", goal_text(Goal::kAtLeast, kLeast, "times"))
            .set("holds", worst.high >= kLeast && widest.is_known())
            .set("note", std::string(note)));
}

}  // namespace nmt::bench
