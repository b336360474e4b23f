// SPDX-License-Identifier: BSD-3-Clause
#include "tools/peer/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <vector>

#include "core/deadline.h"
#include "core/error.h"
#include "tools/command/terminal.h"

namespace nmt::tools {
namespace {

constexpr std::chrono::seconds kStartTimeout{60};  // a user may have to type a password
constexpr std::size_t kOutputBytesMax = 4096;

// An address that this node can resolve is where the other end listens. For a name that only the
// launcher knows, the other end chooses.
std::vector<std::string> arguments(const std::string& host, const std::string& tool) {
  if (host.starts_with('-')) {
    throw Error(Fault::kUsage,
                fmt::format("--peer: '{}' is an option, not a host; write --peer HOST", host));
  }
  std::vector<std::string> all = {host, tool, "--serve", "--quiet", "--secret-file", "-"};
  try {
    all.insert(all.end(), {"--address", control::resolve(host, 0).front().host()});
  } catch (const Error&) {
  }
  return all;
}

}  // namespace

// When interrupted, this end finishes its measurement, and then notifies the other one.
Launcher::Launcher(const std::string& command, const std::string& host, const std::string& tool,
                   const control::Secret& secret)
    : what_(fmt::format("--launcher '{} {}'", command, host)),
      mark_(tool + " --peer "),
      process_({.command = command,
                .arguments = arguments(host, tool),
                .takes_input = true,
                .ignores_interrupts = true}) {
  write_all(process_.take_input().get(), secret.hex() + "\n", what_);
}

control::HostPort Launcher::address() {
  const Deadline deadline(kStartTimeout);
  std::string said;
  bool serves = true;
  while (said.size() < kOutputBytesMax) {
    const std::size_t mark = said.find(mark_);
    const std::size_t end = mark == std::string::npos ? mark : said.find('\n', mark);
    if (end != std::string::npos) {
      const std::size_t begin = mark + mark_.size();
      return control::parse_host_port(said.substr(begin, end - begin));
    }
    if (!serves) {
      throw Error(Fault::kPeer, what_ +
                                    ": ended before the other end printed its address; the "
                                    "messages above name the cause");
    }
    if (deadline.passed()) {
      throw Error(Fault::kPeer, what_ +
                                    ": the other end did not print its address in time; run this "
                                    "command by hand to see why");
    }
    serves = process_.read(std::chrono::milliseconds(deadline.left_ms()), &said);
  }
  throw Error(
      Fault::kPeer,
      what_ +
          ": printed other text, but not the address of the other end; keep login messages off its "
          "standard output");
}

void Launcher::wait(std::chrono::nanoseconds timeout) {
  const Deadline deadline(timeout);
  std::string ignored;
  while (process_.read(std::chrono::milliseconds(deadline.left_ms()), &ignored)) {
    if (deadline.passed()) return;
    ignored.clear();
  }
  while (!process_.status() && !deadline.passed()) ::usleep(10'000);
}

}  // namespace nmt::tools
