// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/peer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "core/error.h"
#include "tools/command/terminal.h"
#include "tools/sample/campaign.h"
#include "tools/sample/launcher.h"
#include "tools/sample/meeting.h"

namespace nmt {
namespace {

using control::Connection;
using control::Secret;

constexpr std::chrono::seconds kConnectTimeout{10};
constexpr std::chrono::minutes kServeTimeout{10};  // for somebody to type the command over there

std::uint16_t port_of(const control::HostPort& peer) {
  if (peer.port) return *peer.port;
  throw Error(Fault::kUsage, fmt::format("--peer {}: which port? nmad-sample --serve over there "
                                         "prints it, or --launcher ssh starts that",
                                         peer.host));
}

Secret secret_of_peer(const SampleOptions& options) {
  if (const auto secret = control::find_secret(options.secret_file)) return *secret;
  throw Error(Fault::kUsage, fmt::format("--peer needs the secret that nmad-sample --serve printed "
                                         "over there: in ${} or --secret-file",
                                         control::kSecretVariable));
}

Connection connect_to(const control::HostPort& where, const Secret& secret) {
  return control::connect(where.host, port_of(where), secret, kConnectTimeout);
}

// Rails to the peer are all over interfaces; the first of them leads there as well as any.
std::string first_address() {
  for (const auto& driver : make_drivers()) {
    for (const Port& port : driver->ports()) {
      return port.address.substr(0, port.address.find('/'));
    }
  }
  throw Error(Fault::kNoRail,
              "no interface that leads to another node is up; nmad-sample --list "
              "says why, --address names another address to listen at");
}

control::Listener listen(const SampleOptions& options) {
  if (options.address.empty()) return {first_address(), 0};
  const control::HostPort where = control::parse_host_port(options.address);
  return {where.host, where.port.value_or(0)};
}

// On standard output, where the launcher of the other end reads it; beside it where that is for
// one JSON or CSV document.
void print_command(const control::Listener& listener, const std::optional<Secret>& made,
                   const Invocation& invocation) {
  const std::string secret =
      made ? fmt::format("{}={} ", control::kSecretVariable, made->hex()) : "";
  write_all(invocation.text ? STDOUT_FILENO : STDERR_FILENO,
            fmt::format("{}nmad-sample --peer {}\n", secret, listener.address().text()));
}

Report run(const Meeting& meeting, const Invocation& invocation, const Location& profile,
           ProfileDb& db, ProgressLine& line, const Interruption& interruption,
           decltype(Share::measure) measure) {
  return run_share(db,
                   {.options = meeting.options,
                    .invocation = invocation,
                    .choice = meeting.choice,
                    .profile = profile,
                    .peer = meeting.peer,
                    .session = meeting.session,
                    .measure = std::move(measure)},
                   line, interruption);
}

}  // namespace

Report sample_with_peer(const SampleOptions& options, const Invocation& invocation) {
  const control::HostPort named = control::parse_host_port(options.peer);
  const Location profile = locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  ProfileDb db = open_for_writing(profile, invocation, line);
  std::optional<Launcher> launcher;
  std::optional<Connection> peer;
  if (options.launcher.empty()) {
    port_of(named);  // what is missing there is told first
    peer.emplace(connect_to(named, secret_of_peer(options)));
  } else {
    const Secret secret = Secret::random();
    launcher.emplace(options.launcher, named.host, secret);
    peer.emplace(connect_to(launcher->address(), secret));
  }
  const Meeting meeting = meet_as_near(*peer, options);
  const Interruption interruption;
  Report report =
      run(meeting, invocation, profile, db, line, interruption,
          [&](const SamplingOptions& sampling, const SamplesByRail& earlier, Observer& observer) {
            return run_campaign(meeting.choice.rails, sampling, earlier, observer);
          });
  peer.reset();
  if (launcher) launcher->wait();
  return report;
}

Report serve(const SampleOptions& options, const Invocation& invocation) {
  const Location profile = locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  ProfileDb db = open_for_writing(profile, invocation, line);
  const std::optional<Secret> given = control::find_secret(options.secret_file);
  const Secret secret = given ? *given : Secret::random();
  control::Listener listener = listen(options);
  print_command(listener, given ? std::nullopt : std::optional(secret), invocation);
  const Interruption interruption;
  std::optional<Connection> peer = listener.accept(
      secret, kServeTimeout,
      {.refused = [&](const std::string& who) { invocation.notice("refused " + who); },
       .interrupted = [&] { return interruption.signal() != 0; }});
  if (!peer) {
    Report report;
    report.problem = Problem::signal(interruption.signal(), "interrupted; nobody was served");
    return report;
  }
  const Meeting meeting = meet_as_far(*peer, options);
  return run(meeting, invocation, profile, db, line, interruption,
             [&](const SamplingOptions& sampling, const SamplesByRail&, Observer& observer) {
               return answer_campaign(meeting.choice.rails, sampling, observer);
             });
}

}  // namespace nmt
