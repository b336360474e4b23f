// SPDX-License-Identifier: BSD-3-Clause
//
// Ctrl-C and its kin while measuring: the first asks to stop when what is being measured is on
// disk, the second ends the process at once.
//
// From construction on, for SIGINT, SIGTERM and SIGHUP (this one only where it is not ignored, as
// under nohup). One at a time, since signals belong to the process.
#pragma once

namespace nmt {

class Interruption {
 public:
  Interruption();
  ~Interruption();  // signals do again what they did
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  int signal() const;  // that asked to stop; 0 where none did
};

}  // namespace nmt
