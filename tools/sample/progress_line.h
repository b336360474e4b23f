// SPDX-License-Identifier: BSD-3-Clause
//
// The progress of a campaign and its remaining time: one line on a terminal, nothing if standard
// error is no terminal.
//
// Rank 0 of a job cannot know whether its launcher has a terminal, so it writes a separate line for
// each tenth of the work.
#pragma once

#include <chrono>

#include "sampler/sampler.h"

namespace nmt::tools {

class ProgressLine {
 public:
  enum class Terminal { kSeen, kBehindLauncher };
  explicit ProgressLine(bool quiet, Terminal terminal = Terminal::kSeen);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const sampler::Progress& progress);  // at most ten times per second
  void clear();                                  // call before other output to standard error

 private:
  bool overwrites_;  // on a terminal
  bool adds_;        // behind a launcher
  int tenth_ = -1;   // last reported tenth
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace nmt::tools
