// SPDX-License-Identifier: BSD-3-Clause
//
// A command as a child process: started, read from, and ended with its object at the latest.
//
// Nothing here waits longer than its caller says; time limits over several reads are the caller's.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"
#include "core/fields.h"

namespace nmt {

struct SubprocessCommand {
  std::string command;                          // as a shell would take it: "mpirun -n 2"
  std::vector<std::string> arguments;           // words after it
  Fields environment;                           // beside this process's own
  bool takes_input = false;                     // else its standard input is empty
  bool reads_errors = false;                    // else its standard error is this process's
  bool own_group = false;                       // a process group of its own, which ends as a whole
  bool ignores_interrupts = false;              // of the terminal
  std::chrono::milliseconds end_timeout{1000};  // from SIGTERM to SIGKILL
};

class Subprocess {
 public:
  // Error(kFailed) where no process can be made; a command that does not exist ends with 127.
  explicit Subprocess(const SubprocessCommand& what);
  ~Subprocess();  // ends it where it still runs
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  // What writes to its standard input; closed with the descriptor.
  Descriptor take_input() { return std::move(input_); }

  // Adds what comes within `timeout`, a few KiB at most. False once it has closed all that is read.
  // A signal may end the wait early.
  bool read(std::chrono::milliseconds timeout, std::string* output, std::string* errors = nullptr);

  // As waitpid() tells it, once it has ended. It may go on after it has closed what is read.
  std::optional<int> status();

 private:
  pid_t process_ = -1;  // none once it has ended
  std::optional<int> status_;
  bool own_group_;
  std::chrono::milliseconds end_timeout_;
  Descriptor input_, output_, errors_;
};

}  // namespace nmt
