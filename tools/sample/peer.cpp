// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/peer.h"

#include <optional>

#include "tools/peer/meeting.h"
#include "tools/sample/terms.h"

namespace nmt {
namespace {

using control::Connection;

// The meeting's rails and node, as a campaign wants them; `peer` leads there.
RailChoice choice_of(Meeting& meeting, Connection& peer) {
  RailChoice choice{.drivers = std::move(meeting.drivers)};
  for (const SharedRail& each : meeting.rails) {
    choice.rails.push_back({each.driver, each.rail, &peer});
  }
  return choice;
}

Counterpart counterpart_of(const Meeting& meeting) {
  Counterpart counterpart{.platform = meeting.platform, .node = meeting.node};
  for (const SharedRail& each : meeting.rails) counterpart.rails.push_back(each.theirs);
  return counterpart;
}

}  // namespace

// Each end measures what handing over costs among its own cores, for its own profile.
Report sample_as_near(Connection& peer, const Launch& launch) {
  SampleOptions options = launch.options;
  options.sampling.offload = true;
  Meeting meeting = meet_as_near(peer, launch.invocation.tool, options.rails);
  const RailChoice choice = choice_of(meeting, peer);
  const Session session = describe_session(choice, options.seed ? *options.seed : random_seed());
  tell_terms(peer, to_json({.sampling = options.sampling, .session = session}));
  return run_share(launch, {.options = options,
                            .choice = choice,
                            .peer = counterpart_of(meeting),
                            .session = session,
                            .measure = [&](const SamplingOptions& sampling,
                                           const SamplesByRail& earlier, Observer& observer) {
                              return run_campaign(choice.rails, sampling, earlier, observer);
                            }});
}

Report sample_as_far(Connection& peer, const Launch& launch) {
  Meeting meeting = meet_as_far(peer, launch.invocation.tool);
  const RailChoice choice = choice_of(meeting, peer);
  const SamplingTerms terms = sampling_terms_from(hear_terms(peer));
  SampleOptions theirs = launch.options;
  theirs.sampling = terms.sampling;
  theirs.sampling.offload = true;
  theirs.seed = terms.session.seed;
  return run_share(launch, {.options = theirs,
                            .choice = choice,
                            .peer = counterpart_of(meeting),
                            .session = terms.session,
                            .measure = [&](const SamplingOptions& sampling, const SamplesByRail&,
                                           Observer& observer) {
                              return answer_campaign(choice.rails, sampling, observer);
                            }});
}

Report sample_with_peer(const SampleOptions& options, const Invocation& invocation) {
  const Location profile = locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  ProfileDb db = open_for_writing(profile, invocation, line);
  ReachedPeer peer(options.peer, invocation.tool);
  const Interruption interruption;
  Report report =
      sample_as_near(peer.connection(), {options, invocation, profile, db, line, interruption});
  peer.leave();
  return report;
}

Report serve(const SampleOptions& options, const Invocation& invocation) {
  const Location profile = locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  ProfileDb db = open_for_writing(profile, invocation, line);
  const Interruption interruption;
  std::optional<Connection> peer =
      await_peer(options.peer, invocation, [&] { return interruption.signal() != 0; });
  if (!peer) {
    Report report;
    report.problem = Problem::signal(interruption.signal(), "interrupted before a peer connected");
    return report;
  }
  return sample_as_far(*peer, {options, invocation, profile, db, line, interruption});
}

}  // namespace nmt
