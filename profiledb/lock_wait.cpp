// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/lock_wait.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "core/units.h"

namespace nmt::profiledb {
namespace {

// The bytes that SQLite locks (sqlite.org/fileformat2.html, 1.8 "the lock-byte page"): pending,
// reserved, and the range of the shared lock.
constexpr std::uint64_t kLockFirst = 0x40000000;
constexpr std::uint64_t kLockLast = kLockFirst + 511;

std::string first_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace

std::optional<pid_t> lock_holder(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  const std::string inode =
      fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
  std::optional<pid_t> reader;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    // "1: POSIX  ADVISORY  WRITE 1234 fe:00:56789 1073741825 1073741825"; "->" marks a waiting
    // process
    std::istringstream words(line);
    std::string number, type, mode, access, where;
    pid_t pid = 0;
    std::uint64_t first = 0;
    words >> number >> type >> mode >> access >> pid >> where >> first;
    const bool ours = words && type == "POSIX" && where == inode && pid > 0;
    if (!ours || first < kLockFirst || first > kLockLast) continue;
    if (access == "WRITE") return pid;
    if (pid != ::getpid()) reader = pid;
  }
  return reader;
}

std::string describe_process(pid_t pid) {
  const std::string name = first_line(fmt::format("/proc/{}/comm", pid));
  const std::string state = first_line(fmt::format("/proc/{}/stat", pid));
  const std::size_t after_name = state.rfind(')');
  const bool stopped = after_name != std::string::npos && state.substr(after_name, 3) == ") T";
  return fmt::format("{} (process {}{})", name.empty() ? "a process" : name, pid,
                     stopped ? ", stopped" : "");
}

LockWait::LockWait(std::string file, double wait_ns, std::function<void(const std::string&)> notice)
    : file_(std::move(file)),
      limit_(static_cast<std::int64_t>(std::clamp(wait_ns, 0.0, 1e18))),
      notice_(std::move(notice)) {}

bool LockWait::wait(int attempt) {
  using std::chrono::milliseconds;
  constexpr milliseconds kNoticeAfter(500);
  constexpr milliseconds kSleepMax(50);
  const auto now = std::chrono::steady_clock::now();
  if (attempt == 0) {
    start_ = now;
    noticed_ = false;
  }
  const auto waited = now - start_;
  if (waited >= limit_) return false;
  if (!noticed_ && waited >= kNoticeAfter && notice_) {
    noticed_ = true;
    notice_(fmt::format("waiting for {}, which is using {}", holder(), file_));
  }
  const milliseconds pause = std::min(milliseconds(attempt + 1), kSleepMax);
  std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(pause, limit_ - waited));
  return true;
}

std::string LockWait::holder() const {
  const std::optional<pid_t> pid = lock_holder(file_);
  return pid ? describe_process(*pid) : "another process";
}

std::string LockWait::refusal() const {
  return fmt::format(
      "locked by {} for more than {}; wait until it ends, continue it if it is stopped (kill "
      "-CONT), or name another file with --db",
      holder(), format_duration(static_cast<double>(limit_.count())));
}

}  // namespace nmt::profiledb
