// SPDX-License-Identifier: BSD-3-Clause
//
// Running a command as a user would: arguments, environment, a place to be, what came out of it and
// how it ended. A command that does not end within its deadline is killed and fails the test.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nmt::testing {

struct Result {
  int exit_code = 0;  // 128+N where signal N ended it
  std::string out;
  std::string err;
  std::string last_line() const;  // of standard output
};

struct Setting {
  std::map<std::string, std::string> environment;  // beside PATH and HOME
  std::string stdout_file;                         // instead of a pipe; "-" : closed
  std::function<void()> in_child;                  // after the fork; limits, another user ...
};

// A running command. Its output is collected while it is waited for.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const Setting& setting = {});
  ~Process();  // kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  void close_stdout();  // as a reader that leaves
  Result wait(double deadline_s = 60);

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

Result run(const std::vector<std::string>& arguments, const Setting& setting = {});

// The same on a terminal of 80 columns; `out` holds all that appeared there.
Result run_on_terminal(const std::vector<std::string>& arguments, const Setting& setting = {});

}  // namespace nmt::testing
