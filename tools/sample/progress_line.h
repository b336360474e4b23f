// SPDX-License-Identifier: BSD-3-Clause
//
// One line on a terminal that says where a campaign stands and how long it will take; nothing
// where standard error is no terminal.
#pragma once

#include <chrono>

#include "sampler/sampler.h"

namespace nmt {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);  // at most ten times a second
  void clear();                         // before anything else is written there

 private:
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace nmt
