// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for another process that has the profile locked: for whom, how long, and what to say.
//
// SQLite locks by fcntl on fixed bytes of the file, and the kernel lists such locks with their
// owners in /proc/locks; that is read and not asked of the file, because closing a second
// descriptor of it would drop this process's own locks (POSIX). Deadlines are monotonic and count
// from the first refusal of each wait.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

namespace nmt {

// The process that keeps `file` locked against writers, else against the end of a write; nullopt
// where the kernel does not tell.
std::optional<pid_t> lock_holder(const std::string& file);

// "nmad-sample (process 1234)", with "stopped" where it is.
std::string describe_process(pid_t pid);

class LockWait {
 public:
  LockWait(std::string file, double wait_ns, std::function<void(const std::string&)> notice);

  bool wait(int attempt);       // sleeps a little, longer each attempt; false at the deadline
  std::string refusal() const;  // who, how long, and the way out; for after the deadline

 private:
  std::string holder() const;

  std::string file_;
  std::chrono::nanoseconds limit_;
  std::function<void(const std::string&)> notice_;
  std::chrono::steady_clock::time_point start_;
  bool noticed_ = false;
};

}  // namespace nmt
