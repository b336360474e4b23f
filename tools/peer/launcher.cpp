// SPDX-License-Identifier: BSD-3-Clause
#include "tools/peer/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "core/deadline.h"
#include "core/error.h"
#include "tools/command/terminal.h"

namespace nmt {
namespace {

constexpr std::chrono::seconds kStartTimeout{60};  // somebody may have to type a password
constexpr std::size_t kOutputBytesMax = 4096;

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error(Fault::kFailed, "pipe2", errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// An address that this node knows is the one to listen at; a name that only the launcher knows
// leaves that to the other end.
std::vector<std::string> arguments(const std::string& command, const std::string& host,
                                   const std::string& tool) {
  std::vector<std::string> all = {
      "/bin/sh",       "-c", "exec " + command + " \"$@\"", "sh", host, tool, "--serve", "--quiet",
      "--secret-file", "-"};
  try {
    all.insert(all.end(), {"--address", control::resolve(host, 0).front().host()});
  } catch (const Error&) {
  }
  return all;
}

[[noreturn]] void execute(const std::vector<std::string>& all, const Pipe& input,
                          const Pipe& output) {
  ::dup2(input.read.get(), STDIN_FILENO);
  ::dup2(output.write.get(), STDOUT_FILENO);
  ::signal(SIGINT, SIG_IGN);  // this end finishes what it measures first, and then tells
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  std::vector<char*> argv;
  for (const std::string& argument : all) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

}  // namespace

Launcher::Launcher(const std::string& command, const std::string& host, const std::string& tool,
                   const control::Secret& secret)
    : what_(fmt::format("--launcher '{} {}'", command, host)), mark_(tool + " --peer ") {
  if (host.starts_with('-')) {
    throw Error(Fault::kUsage, fmt::format("'{}' is an option and no host", host));
  }
  const std::vector<std::string> all = arguments(command, host, tool);
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  process_ = ::fork();
  if (process_ < 0) throw system_error(Fault::kFailed, "fork", errno);
  if (process_ == 0) execute(all, input, output);
  output_ = std::move(output.read);
  write_all(input.write.get(), secret.hex() + "\n", what_);
}

Launcher::~Launcher() {
  if (process_ < 0) return;
  ::kill(process_, SIGTERM);
  output_ = Descriptor();
  const Deadline deadline(std::chrono::seconds(1));
  while (!ended()) {
    if (deadline.passed()) ::kill(process_, SIGKILL);
    ::usleep(10'000);
  }
}

bool Launcher::ended() {
  if (process_ >= 0 && ::waitpid(process_, nullptr, WNOHANG) != 0) process_ = -1;
  return process_ < 0;
}

control::HostPort Launcher::address() {
  const Deadline deadline(kStartTimeout);
  std::string said;
  while (said.size() < kOutputBytesMax) {
    const std::size_t mark = said.find(mark_);
    const std::size_t end = mark == std::string::npos ? mark : said.find('\n', mark);
    if (end != std::string::npos) {
      const std::size_t begin = mark + mark_.size();
      return control::parse_host_port(said.substr(begin, end - begin));
    }
    pollfd waiting{output_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, deadline.left_ms()) <= 0) {
      if (!deadline.passed()) continue;
      throw Error(Fault::kPeer, what_ + ": does not say where it serves");
    }
    char byte = 0;
    if (::read(output_.get(), &byte, 1) != 1) {
      throw Error(Fault::kPeer, what_ + ": ended without serving; what it said is above");
    }
    said += byte;
  }
  throw Error(Fault::kPeer, what_ + ": says much, but not where it serves");
}

void Launcher::wait(std::chrono::nanoseconds timeout) {
  const Deadline deadline(timeout);
  std::array<char, 4096> ignored;
  for (;;) {
    pollfd waiting{output_.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, deadline.left_ms());
    if (ready <= 0 && deadline.passed()) return;
    if (ready <= 0) continue;  // a signal; a read would wait for ever
    if (::read(output_.get(), ignored.data(), ignored.size()) <= 0) break;
  }
  while (!ended() && !deadline.passed()) ::usleep(10'000);
}

}  // namespace nmt
