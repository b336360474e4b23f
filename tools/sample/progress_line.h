// SPDX-License-Identifier: BSD-3-Clause
//
// Where a campaign stands and how long it will take: one line on a terminal, nothing where standard
// error is none.
//
// A job's rank 0 cannot see whether its launcher has a terminal; it writes a line of its own for
// each tenth that is done.
#pragma once

#include <chrono>

#include "sampler/sampler.h"

namespace nmt {

class ProgressLine {
 public:
  enum class Terminal { kSeen, kBehindLauncher };
  explicit ProgressLine(bool quiet, Terminal terminal = Terminal::kSeen);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);  // at most ten times a second
  void clear();                         // before anything else is written there

 private:
  bool overwrites_;  // on a terminal
  bool adds_;        // behind a launcher
  int tenth_ = -1;   // that the last line told of
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace nmt
