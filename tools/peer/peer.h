// SPDX-License-Identifier: BSD-3-Clause
//
// Connects two hosts for a user. On one runs `TOOL --serve`, which prints the command for the other
// host, `TOOL --peer HOST:PORT`; or the second one starts the first by --launcher.
//
// Both then have a connection to a peer that has proven that it knows the secret
// (control/control.h), and describe themselves (tools/peer/rail_negotiation.h).
//
// In reading order:
//   launcher           starts the other end on another node
//   peer_description   what a node sends its peer about itself
//   rail_negotiation   how the two nodes agree on rails
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "control/control.h"
#include "tools/command/command.h"
#include "tools/peer/launcher.h"

namespace nmt::tools {

struct PeerOptions {
  bool serve = false;       // be the other end
  std::string address;      // to listen at; empty: that of the first interface
  std::string peer;         // HOST[:PORT] of the other end; empty: only this node
  std::string launcher;     // command that starts the other end; empty: it runs already
  std::string secret_file;  // empty: $NMADTUNE_SECRET
};

// A tool's help texts for its two ends, and its options (declared before) that cannot be combined
// with each end.
struct PeerHelp {
  std::string tool;
  std::string peer, serve;
  std::vector<std::string> not_with_peer = {}, not_with_serve = {};
};
void declare(Options& options, PeerOptions& target, const PeerHelp& help);

// Error(kUsage) for options that require others.
void check(const PeerOptions& options);

// The other end, as reached from the near end.
class ReachedPeer {
 public:
  // Starts the other end if a launcher is given. Error(kUsage), Error(kPeer).
  ReachedPeer(const PeerOptions& options, const std::string& tool);

  control::Connection& connection() { return *connection_; }

  // Hangs up, and waits for the launched command.
  void leave();

 private:
  std::optional<Launcher> launcher_;
  std::optional<control::Connection> connection_;
};

// Listens, prints the command for the other host, and waits for a peer that knows the secret;
// nullopt if `interrupted` returns true. Error(kUsage), Error(kNoRail), Error(kPeer) if no peer
// connects.
std::optional<control::Connection> await_peer(const PeerOptions& options,
                                              const Invocation& invocation,
                                              std::function<bool()> interrupted = {});

}  // namespace nmt::tools
