// SPDX-License-Identifier: BSD-3-Clause
#include "node/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "core/deadline.h"
#include "core/error.h"

namespace nmt::node {
namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error(Fault::kFailed, "pipe2", errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Pipe make_pipe_if(bool wanted) { return wanted ? make_pipe() : Pipe{}; }

[[noreturn]] void execute(const SubprocessCommand& what, std::vector<char*>& argv, int input,
                          int output, int errors) {
  if (what.own_group) ::setpgid(0, 0);
  ::dup2(input >= 0 ? input : ::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  if (errors >= 0) ::dup2(errors, STDERR_FILENO);
  if (what.ignores_interrupts) ::signal(SIGINT, SIG_IGN);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  for (const auto& [name, value] : what.environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

bool take(const Descriptor& from, std::string* into) {
  std::array<char, 4096> piece;
  const ssize_t n = ::read(from.get(), piece.data(), piece.size());
  if (n > 0) into->append(piece.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

}  // namespace

Subprocess::Subprocess(const SubprocessCommand& what)
    : own_group_(what.own_group), end_timeout_(what.end_timeout) {
  std::vector<std::string> words = {"/bin/sh", "-c", "exec " + what.command + " \"$@\"", "sh"};
  words.insert(words.end(), what.arguments.begin(), what.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe input = make_pipe_if(what.takes_input), output = make_pipe();
  Pipe errors = make_pipe_if(what.reads_errors);
  process_ = ::fork();
  if (process_ < 0) throw system_error(Fault::kFailed, "fork", errno);
  if (process_ == 0) {
    execute(what, argv, input.read.get(), output.write.get(), errors.write.get());
  }
  if (own_group_) ::setpgid(process_, process_);
  input_ = std::move(input.write);
  output_ = std::move(output.read);
  errors_ = std::move(errors.read);
}

Subprocess::~Subprocess() {
  if (process_ < 0) return;
  const pid_t all = own_group_ ? -process_ : process_;
  const Deadline deadline(end_timeout_);
  ::kill(all, SIGTERM);
  // A single process should notice that no process reads; the launcher of a group may still have to
  // write.
  if (!own_group_) output_ = Descriptor();
  while (!status()) {
    if (deadline.passed()) ::kill(all, SIGKILL);
    ::usleep(10'000);
  }
}

bool Subprocess::read(std::chrono::milliseconds timeout, std::string* output, std::string* errors) {
  if (!output_ && !errors_) return false;
  std::array<pollfd, 2> both = {pollfd{output_.get(), POLLIN, 0}, pollfd{errors_.get(), POLLIN, 0}};
  if (::poll(both.data(), both.size(), static_cast<int>(timeout.count())) > 0) {
    if (both[0].revents != 0 && !take(output_, output)) output_ = Descriptor();
    if (both[1].revents != 0 && !take(errors_, errors)) errors_ = Descriptor();
  }
  return output_ || errors_;
}

std::optional<int> Subprocess::status() {
  int status = 0;
  if (process_ >= 0 && ::waitpid(process_, &status, WNOHANG) != 0) {
    process_ = -1;
    status_ = status;
  }
  return status_;
}

}  // namespace nmt::node
