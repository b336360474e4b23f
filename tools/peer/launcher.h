// SPDX-License-Identifier: BSD-3-Clause
//
// Starts the other end on another node, for example by ssh.
//
// Runs `COMMAND HOST TOOL --serve --quiet --secret-file - [--address ADDRESS]`. COMMAND must
// connect that program's standard input and output with its own. The secret goes in through the
// former; the address to connect to comes back through the latter. No secret is on a command line.
#pragma once

#include <chrono>
#include <string>

#include "control/control.h"
#include "node/node.h"

namespace nmt::tools {

class Launcher {  // its destructor ends the command
 public:
  // `command` as in a shell; `tool` is the program's name there.
  Launcher(const std::string& command, const std::string& host, const std::string& tool,
           const control::Secret& secret);

  // The address at which the other end listens. Error(kPeer) if it is not reported in time.
  control::HostPort address();

  // Waits until the other end has finished, for as long as that usually takes: when sampling, it
  // stores and tunes.
  void wait(std::chrono::nanoseconds timeout = std::chrono::seconds(10));

 private:
  std::string what_;
  std::string mark_;  // text before the address
  node::Subprocess process_;
};

}  // namespace nmt::tools
