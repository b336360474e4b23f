// SPDX-License-Identifier: BSD-3-Clause
//
// A command run as a child process. The destructor ends it if it still runs.
//
// No call here waits longer than its caller says. The caller keeps time limits over several reads.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"
#include "core/fields.h"

namespace nmt::node {

struct SubprocessCommand {
  std::string command;                          // as in a shell: "mpirun -n 2"
  std::vector<std::string> arguments;           // words after it
  Fields environment;                           // added to this process's own
  bool takes_input = false;                     // else its standard input is empty
  bool reads_errors = false;                    // else its standard error is this process's
  bool own_group = false;                       // its own process group, which ends as a whole
  bool ignores_interrupts = false;              // of the terminal
  std::chrono::milliseconds end_timeout{1000};  // from SIGTERM to SIGKILL
};

class Subprocess {
 public:
  // Error(kFailed) if fork fails. A command that does not exist ends with status 127.
  explicit Subprocess(const SubprocessCommand& what);
  ~Subprocess();  // ends the process if it still runs
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  // The descriptor that writes to the standard input of the process; closing it closes that input.
  Descriptor take_input() { return std::move(input_); }

  // Appends what arrives within `timeout`, at most a few KiB. False once the process has closed all
  // that is read. A signal may end the wait early.
  bool read(std::chrono::milliseconds timeout, std::string* output, std::string* errors = nullptr);

  // The status of waitpid(), once the process has ended. It may run on after it closed its outputs.
  std::optional<int> status();

 private:
  pid_t process_ = -1;  // -1 once it has ended
  std::optional<int> status_;
  bool own_group_;
  std::chrono::milliseconds end_timeout_;
  Descriptor input_, output_, errors_;
};

}  // namespace nmt::node
