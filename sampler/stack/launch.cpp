// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/stack/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "core/deadline.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "core/units.h"

namespace nmt {
namespace {

constexpr std::size_t kOutBytesMax = std::size_t{16} << 20;
constexpr std::size_t kWordsBytes = 1500;  // of its standard error, the last ones
constexpr int kLookMs = 100;
constexpr useconds_t kEndLookUs = 1000;  // how much longer a job may seem
constexpr std::chrono::seconds kEndTimeout{5};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error(Fault::kFailed, "pipe2", errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

[[noreturn]] void execute(const JobCommand& what, const Pipe& out, const Pipe& err) {
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out.write.get(), STDOUT_FILENO);
  ::dup2(err.write.get(), STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  for (const auto& [name, value] : what.environment) ::setenv(name.c_str(), value.c_str(), 1);
  const std::string command = "exec " + what.launcher + " \"$@\"";
  std::vector<std::string> all = {"/bin/sh", "-c", command, "sh"};
  all.insert(all.end(), what.program.begin(), what.program.end());
  std::vector<char*> argv;
  for (std::string& argument : all) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

// A process group, and what it says.
class Group {
 public:
  explicit Group(const JobCommand& what) {
    Pipe out = make_pipe(), err = make_pipe();
    process_ = ::fork();
    if (process_ < 0) throw system_error(Fault::kFailed, "fork", errno);
    if (process_ == 0) execute(what, out, err);
    ::setpgid(process_, process_);
    out_ = std::move(out.read);
    err_ = std::move(err.read);
  }
  ~Group() {
    if (process_ > 0) end();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Reads what comes within a moment; false once both ends are closed.
  bool listen() {
    std::array<pollfd, 2> both = {pollfd{out_.get(), POLLIN, 0}, pollfd{err_.get(), POLLIN, 0}};
    ::poll(both.data(), both.size(), kLookMs);
    if (both[0].revents != 0 && !take(out_, said)) out_ = Descriptor();
    if (both[1].revents != 0 && !take(err_, words)) err_ = Descriptor();
    if (said.size() > kOutBytesMax) throw Error(Fault::kFailed, "the job says too much");
    if (words.size() > 2 * kWordsBytes) words.erase(0, words.size() - kWordsBytes);
    return out_ || err_;
  }

  // Its status once it has ended. It may go on after it has closed what it says things through.
  std::optional<int> ended() {
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) == 0) return std::nullopt;
    process_ = -1;
    return status;
  }

  std::string said, words;

 private:
  static bool take(const Descriptor& from, std::string& into) {
    std::array<char, 4096> piece;
    const ssize_t n = ::read(from.get(), piece.data(), piece.size());
    if (n > 0) into.append(piece.data(), static_cast<std::size_t>(n));
    return n > 0 || (n < 0 && errno == EINTR);
  }

  void end() {
    const Deadline deadline(kEndTimeout);
    ::kill(-process_, SIGTERM);
    while (::waitpid(process_, nullptr, WNOHANG) == 0) {
      if (deadline.passed()) ::kill(-process_, SIGKILL);
      ::usleep(20'000);
    }
  }

  pid_t process_ = -1;
  Descriptor out_, err_;
};

std::string last_words(const std::string& words) {
  const std::string tail =
      words.size() > kWordsBytes ? words.substr(words.size() - kWordsBytes) : words;
  return tail.empty() ? "it said nothing" : "it said: " + tail;
}

}  // namespace

Launched launch(const JobCommand& what) {
  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline{std::chrono::duration<double, std::nano>(what.patience_ns)};
  Group group(what);
  const auto fail = [&](const std::string& how) {
    throw Error(Fault::kFailed,
                fmt::format("--launcher '{}' {}; {}", what.launcher, how, last_words(group.words)));
  };
  const auto fail_where_due = [&] {
    if (what.interrupted && what.interrupted()) fail("was interrupted");
    if (deadline.passed()) fail("has not ended after " + format_duration(what.patience_ns));
  };
  while (group.listen()) fail_where_due();
  std::optional<int> status;
  while (!(status = group.ended())) {
    fail_where_due();
    ::usleep(kEndLookUs);
  }
  if (WIFSIGNALED(*status)) fail(fmt::format("was ended by signal {}", WTERMSIG(*status)));
  if (WEXITSTATUS(*status) != 0) fail(fmt::format("failed with {}", WEXITSTATUS(*status)));
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
  return {.out = std::move(group.said), .elapsed_ns = static_cast<double>(elapsed.count())};
}

}  // namespace nmt
