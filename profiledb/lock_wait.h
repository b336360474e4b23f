// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for another process that has locked the profile, and words the messages about it.
//
// SQLite locks by fcntl on fixed bytes of the file, and the kernel lists such locks with their
// owners in /proc/locks. This reads that list instead of asking the file, because closing a second
// descriptor of the file would drop this process's own locks (POSIX). Deadlines are monotonic. They
// count from the first refusal of each wait.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

namespace nmt::profiledb {

// The process that locks `file` against writers, or else against the end of a write; nullopt if the
// kernel does not report it.
std::optional<pid_t> lock_holder(const std::string& file);

// "nmad-sample (process 1234)", with ", stopped" if it is stopped.
std::string describe_process(pid_t pid);

class LockWait {
 public:
  LockWait(std::string file, double wait_ns, std::function<void(const std::string&)> notice);

  bool wait(int attempt);       // sleeps, longer each attempt; false at the deadline
  std::string refusal() const;  // names the process, the time and the way out

 private:
  std::string holder() const;

  std::string file_;
  std::chrono::nanoseconds limit_;
  std::function<void(const std::string&)> notice_;
  std::chrono::steady_clock::time_point start_;
  bool noticed_ = false;
};

}  // namespace nmt::profiledb
