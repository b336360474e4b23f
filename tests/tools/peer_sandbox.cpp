// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/peer_sandbox.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <sstream>
#include <thread>

namespace nmt::testing {

using std::chrono::milliseconds;

void PeerSandbox::SetUp() {
  if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
  lab_.emplace(std::vector<unsigned>{1000, 600});
  ::chmod(write("secret", std::string(64, '7') + "\n").c_str(), 0600);
}

Setting PeerSandbox::setting_with_path() const {
  const std::string tool = NMAD_SAMPLE;
  Setting with_path = setting();
  with_path.environment["PATH"] =
      tool.substr(0, tool.rfind('/')) + ":" + std::string(::getenv("PATH"));
  return with_path;
}

Process PeerSandbox::start_serving(std::vector<std::string> command) const {
  Setting with_output = setting();
  with_output.stdout_file = path("served");
  return Process(lab_->in("one", std::move(command)), with_output);
}

std::string PeerSandbox::served_at(const std::string& tool) const {
  const std::string command = tool + " --peer ";
  for (int i = 0; i < 500; ++i) {
    const std::string out = read("served");
    const std::size_t at = out.find(command);
    const std::size_t end = at == std::string::npos ? at : out.find('\n', at);
    if (end != std::string::npos) {
      return out.substr(at + command.size(), end - at - command.size());
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
  ADD_FAILURE() << "the server does not say where it is";
  return "";
}

void PeerSandbox::await_meeting(const std::string& address) const {
  constexpr std::string_view kListening = " 0A ";
  const std::string port =
      fmt::format(":{:04X} ", std::stoi(address.substr(address.find(':') + 1)));
  for (int i = 0; i < 500; ++i) {
    std::istringstream sockets(run(lab_->in("one", {"cat", "/proc/net/tcp"})).out);
    bool listens = false;
    for (std::string line; std::getline(sockets, line);) {
      listens |= line.find(port) != line.npos && line.find(kListening) != line.npos;
    }
    if (!listens) return;
  }
  ADD_FAILURE() << "nobody has met at " << address;
}

void PeerSandbox::cut(const std::string& host, const std::string& rail) const {
  run(lab_->in(host, {"ip", "link", "set", "dev", rail, "down"}));
}

}  // namespace nmt::testing
