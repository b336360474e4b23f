// SPDX-License-Identifier: BSD-3-Clause
//
// Two hosts, as a user brings them together: one runs `TOOL --serve`, which prints the command for
// the other, that is `TOOL --peer HOST:PORT`; or the latter starts the former by --launcher.
//
// Both then hold a connection to a peer that has proven that it knows the secret
// (control/control.h), and say what they are (tools/peer/rail_negotiation.h).
//
// In reading order:
//   launcher           starts the other end on another node
//   peer_description   what a node tells its peer about itself
//   rail_negotiation   which rails the two nodes agree on
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "control/control.h"
#include "tools/command/command.h"
#include "tools/peer/launcher.h"

namespace nmt {

struct PeerOptions {
  bool serve = false;       // be the other end
  std::string address;      // to listen at; empty: the first interface's
  std::string peer;         // HOST[:PORT] of the other end; empty: this node alone
  std::string launcher;     // command that starts the other end; empty: it runs already
  std::string secret_file;  // empty: $NMADTUNE_SECRET
};

// What a tool says of its two ends in its help, and which of its options, declared before, make no
// sense with each.
struct PeerHelp {
  std::string tool;
  std::string peer, serve;
  std::vector<std::string> not_with_peer = {}, not_with_serve = {};
};
void declare(Options& options, PeerOptions& target, const PeerHelp& help);

// Error(kUsage) for options that need others.
void check(const PeerOptions& options);

// The other end, reached from the near one.
class ReachedPeer {
 public:
  // Starts it where a launcher is given. Error(kUsage), Error(kPeer).
  ReachedPeer(const PeerOptions& options, const std::string& tool);

  control::Connection& connection() { return *connection_; }

  // Hangs up, and waits for what was started.
  void leave();

 private:
  std::optional<Launcher> launcher_;
  std::optional<control::Connection> connection_;
};

// Listens, prints the command for the other host, and waits for who knows the secret; nullopt where
// `interrupted` says so. Error(kUsage), Error(kNoRail), Error(kPeer) where nobody comes.
std::optional<control::Connection> await_peer(const PeerOptions& options,
                                              const Invocation& invocation,
                                              std::function<bool()> interrupted = {});

}  // namespace nmt
