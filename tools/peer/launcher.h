// SPDX-License-Identifier: BSD-3-Clause
//
// Starting the other end on another node, as by ssh.
//
// Runs `COMMAND HOST TOOL --serve --quiet --secret-file - [--address ADDRESS]`, which must connect
// that program's standard input and output with its own. The secret goes through the former; where
// to connect to comes back through the latter. Nothing secret is on a command line.
#pragma once

#include <chrono>
#include <string>

#include "control/control.h"
#include "node/node.h"

namespace nmt {

class Launcher {  // ends the command with its own end
 public:
  // `command` as a shell would take it; `tool` as it is called there.
  Launcher(const std::string& command, const std::string& host, const std::string& tool,
           const control::Secret& secret);

  // Where the other end listens. Error(kPeer) where it does not say so in time.
  control::HostPort address();

  // For the other end to be through, as long as that usually takes: a sampling one stores and
  // tunes.
  void wait(std::chrono::nanoseconds timeout = std::chrono::seconds(10));

 private:
  std::string what_;
  std::string mark_;  // what stands before the address
  Subprocess process_;
};

}  // namespace nmt
