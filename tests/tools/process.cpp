// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

namespace nmt::testing {
namespace {

using SteadyClock = std::chrono::steady_clock;

[[noreturn]] void execute(const std::vector<std::string>& arguments, const Setting& setting) {
  for (const char* name : {"NMADTUNE_DB", "XDG_DATA_HOME", "NO_COLOR", "TMPDIR"}) ::unsetenv(name);
  for (const auto& [name, value] : setting.environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  if (setting.stdout_file == "-") {
    ::close(STDOUT_FILENO);
  } else if (!setting.stdout_file.empty()) {
    const int file = ::open(setting.stdout_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(file, STDOUT_FILENO);
    ::close(file);
  }
  if (setting.in_child) setting.in_child();
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

// False at the end of the stream, which is then closed.
bool collect(int* descriptor, std::string* text) {
  std::array<char, 65536> buffer;
  const ssize_t size = ::read(*descriptor, buffer.data(), buffer.size());
  if (size > 0) {
    text->append(buffer.data(), static_cast<std::size_t>(size));
    return true;
  }
  ::close(*descriptor);
  *descriptor = -1;
  return false;
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::string Result::last_line() const {
  const std::size_t end = out.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t begin = out.rfind('\n', end);
  return out.substr(begin + 1, end - begin);
}

Process::Process(const std::vector<std::string>& arguments, const Setting& setting) {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) std::abort();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    execute(arguments, setting);
  }
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Process::~Process() {
  close_stdout();
  if (err_ >= 0) ::close(err_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Process::signal(int number) const { ::kill(pid_, number); }

void Process::close_stdout() {
  if (out_ >= 0) ::close(out_);
  out_ = -1;
}

Result Process::wait(double deadline_s) {
  const auto end = SteadyClock::now() + std::chrono::duration<double>(deadline_s);
  Result result;
  while (out_ >= 0 || err_ >= 0) {
    pollfd ready[] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - SteadyClock::now());
    if (left.count() <= 0 || ::poll(ready, 2, static_cast<int>(left.count())) == 0) {
      ADD_FAILURE() << "still running after " << deadline_s << " s; so far:\n" << result.err;
      ::kill(pid_, SIGKILL);
      break;
    }
    if (ready[0].revents != 0) collect(&out_, &result.out);
    if (ready[1].revents != 0) collect(&err_, &result.err);
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  result.exit_code = exit_code_of(status);
  return result;
}

Result run(const std::vector<std::string>& arguments, const Setting& setting) {
  return Process(arguments, setting).wait();
}

Result run_on_terminal(const std::vector<std::string>& arguments, const Setting& setting) {
  const winsize size = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) execute(arguments, setting);
  Result result;
  while (collect(&terminal, &result.out)) {
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  result.exit_code = exit_code_of(status);
  return result;
}

}  // namespace nmt::testing
