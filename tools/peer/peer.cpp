// SPDX-License-Identifier: BSD-3-Clause
#include "tools/peer/peer.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "core/error.h"
#include "drivers/drivers.h"
#include "tools/command/terminal.h"

namespace nmt::tools {
namespace {

using control::Connection;
using control::Secret;

constexpr std::chrono::seconds kConnectTimeout{10};
constexpr std::chrono::minutes kServeTimeout{10};  // a user types the command on the other host

std::uint16_t port_of(const control::HostPort& peer, const std::string& tool) {
  if (peer.port) return *peer.port;
  throw Error(
      Fault::kUsage,
      fmt::format(
          "--peer {}: the port is missing; {} --serve on that host prints it, or --launcher ssh "
          "starts it there",
          peer.host, tool));
}

Secret secret_of_peer(const PeerOptions& options, const std::string& tool) {
  if (const auto secret = control::find_secret(options.secret_file)) return *secret;
  throw Error(
      Fault::kUsage,
      fmt::format(
          "--peer: the secret is missing; {} --serve on the peer prints it; pass it in ${} or "
          "--secret-file",
          tool, control::kSecretVariable));
}

// Of a tcp rail: other rails may have no address to listen at.
std::string first_address() {
  for (const auto& driver : drivers::make_drivers()) {
    if (driver->name() != "tcp") continue;
    for (const drivers::Port& port : driver->ports()) {
      return port.address.substr(0, port.address.find('/'));
    }
  }
  throw Error(
      Fault::kNoRail,
      "no interface that leads to another node is up; nmad-sample --list says why; or name an "
      "address to listen at with --address");
}

control::Listener listen(const PeerOptions& options) {
  if (options.address.empty()) return {first_address(), 0};
  const control::HostPort where = control::parse_host_port(options.address);
  return {where.host, where.port.value_or(0)};
}

// Prints on standard output, where the launcher of the other end reads it; or on standard error if
// standard output is for one JSON or CSV document.
void print_command(const control::Listener& listener, const std::optional<Secret>& made,
                   const Invocation& invocation) {
  const std::string secret =
      made ? fmt::format("{}={} ", control::kSecretVariable, made->hex()) : "";
  write_all(invocation.text ? STDOUT_FILENO : STDERR_FILENO,
            fmt::format("{}{} --peer {}\n", secret, invocation.tool, listener.address().text()));
}

// Whether the reader of our output is gone: a pipe without a reader, or a closed socket.
bool reader_gone(int descriptor) {
  pollfd waiting{descriptor, 0, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace

void declare(Options& options, PeerOptions& target, const PeerHelp& help) {
  options.text("--peer", target.peer, "HOST[:PORT]", help.peer);
  for (const std::string& other : help.not_with_peer) options.excludes(other);
  options.text(
      "--launcher", target.launcher, "COMMAND",
      fmt::format(
          "with --peer: command to start the other end, e.g. ssh\n"
          "Runs COMMAND HOST {} --serve ... COMMAND must run the rest on HOST and connect its "
          "standard input and output. The secret is passed on standard input.",
          help.tool));
  options.flag("--serve", target.serve, help.serve).excludes("--peer");
  for (const std::string& other : help.not_with_serve) options.excludes(other);
  options
      .text("--address", target.address, "ADDR[:PORT]",
            "with --serve: where to listen (default: first interface)\n"
            "Listens at this address only. Without a port, the kernel chooses one.")
      .rare();
  options
      .text(
          "--secret-file", target.secret_file, "FILE",
          "secret of both ends; - for stdin (default: $NMADTUNE_SECRET)\n"
          "A file of mode 0600 with 64 hex digits. Without a secret, --serve makes one and prints "
          "it with the command.")
      .rare();
}

void check(const PeerOptions& options) {
  if (options.peer.empty() && !options.launcher.empty()) {
    throw Error(Fault::kUsage, "--launcher needs --peer HOST");
  }
  if (!options.serve && !options.address.empty()) {
    throw Error(Fault::kUsage, "--address needs --serve");
  }
}

ReachedPeer::ReachedPeer(const PeerOptions& options, const std::string& tool) {
  const control::HostPort named = control::parse_host_port(options.peer);
  if (options.launcher.empty()) {
    const std::uint16_t port = port_of(named, tool);  // reports a missing port first
    const Secret secret = secret_of_peer(options, tool);
    connection_.emplace(control::connect(named.host, port, secret, kConnectTimeout));
    return;
  }
  const Secret secret = Secret::random();
  launcher_.emplace(options.launcher, named.host, tool, secret);
  const control::HostPort there = launcher_->address();
  connection_.emplace(control::connect(there.host, port_of(there, tool), secret, kConnectTimeout));
}

void ReachedPeer::leave() {
  connection_.reset();
  if (launcher_) launcher_->wait();
}

std::optional<Connection> await_peer(const PeerOptions& options, const Invocation& invocation,
                                     std::function<bool()> interrupted) {
  const std::optional<Secret> given = control::find_secret(options.secret_file);
  const Secret secret = given ? *given : Secret::random();
  control::Listener listener = listen(options);
  print_command(listener, given ? std::nullopt : std::optional(secret), invocation);
  // If the secret comes on standard input, a launcher started this end and reads its output while
  // it lives (tools/peer/launcher.h).
  const bool launched = options.secret_file == "-";
  return listener.accept(
      secret, kServeTimeout,
      {.refused = [&](const std::string& who) { invocation.notice("refused " + who); },
       .interrupted =
           [&] {
             if (launched && reader_gone(STDOUT_FILENO)) {
               throw Error(Fault::kPeer, "the command that started this end has ended");
             }
             return interrupted && interrupted();
           }});
}

}  // namespace nmt::tools
