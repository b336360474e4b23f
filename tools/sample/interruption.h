// SPDX-License-Identifier: BSD-3-Clause
//
// Ctrl-C and similar signals during a measurement: the first one asks to stop when the current
// measurement is on disk, the second one ends the process at once.
//
// Active from construction on, for SIGINT, SIGTERM and SIGHUP (the last only if it is not ignored,
// as under nohup). One object at a time, because signals belong to the process.
#pragma once

namespace nmt::tools {

class Interruption {
 public:
  Interruption();
  ~Interruption();  // restores the previous actions
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  int signal() const;  // that asked to stop; 0 if none did
};

}  // namespace nmt::tools
