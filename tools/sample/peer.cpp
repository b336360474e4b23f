// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/peer.h"

#include <optional>
#include <span>

#include "tools/peer/rail_negotiation.h"
#include "tools/sample/sampling_config.h"

namespace nmt::tools {
namespace {

using control::Connection;

// The negotiated rails and node in the form of a campaign; `peer` leads to the node.
RailChoice choice_of(RailNegotiation& negotiation, Connection& peer) {
  RailChoice choice{.drivers = std::move(negotiation.drivers)};
  for (const SharedRail& each : negotiation.rails) {
    choice.rails.push_back({each.driver, each.rail, &peer});
  }
  return choice;
}

Counterpart counterpart_of(const RailNegotiation& negotiation) {
  Counterpart counterpart{.platform = negotiation.platform, .node = negotiation.node};
  for (const SharedRail& each : negotiation.rails) counterpart.rails.push_back(each.theirs);
  return counterpart;
}

// Answers what a check orders, and stores nothing.
class NothingStored final : public sampler::Observer {
 public:
  explicit NothingStored(const Interruption& interruption) : interruption_(interruption) {}
  void measured(const Rail&, std::span<const Sample>) override {}
  void progress(const sampler::Progress&) override {}
  bool interrupted() override { return interruption_.signal() != 0; }

 private:
  const Interruption& interruption_;
};

Report answer_checks(const RailChoice& choice, const SamplingConfig& config, const Launch& launch) {
  NothingStored nothing(launch.interruption);
  const sampler::CampaignReport answered =
      sampler::answer_campaign(choice.rails, config.sampling, nothing);
  Report report;
  report.text.line("answered a check; nothing is stored here");
  report.payload.set("answered", answered.peer_lost.empty());
  report.summary = {{"answered", answered.peer_lost.empty() ? "yes" : "no"}};
  if (!answered.peer_lost.empty()) {
    report.problem = Problem(Fault::kPeer, "peer lost: " + answered.peer_lost);
  }
  return report;
}

// With the cost of handing a submission to another core, which each end measures on its own cores.
SampleOptions with_offload(SampleOptions options) {
  options.sampling.offload = true;
  return options;
}

}  // namespace

// One rank of each end measures the offload cost of its own cores, for its own profile.
Report sample_as_near(Connection& peer, const Launch& launch, sampler::Companions companions) {
  SampleOptions options = launch.options;
  options.sampling.offload &= companions.empty();
  if (options.sampling.landmarks == sampler::Landmarks::kNone && companions.empty()) {
    options.sampling.landmarks = sampler::Landmarks::kFirst;
  }
  RailNegotiation negotiation = negotiate_as_near(peer, launch.invocation.tool, options.rails);
  const RailChoice choice = choice_of(negotiation, peer);
  const Session session = describe_session(choice, options.seed ? *options.seed : random_seed());
  send_config(peer, to_json({.sampling = options.sampling, .session = session}));
  return run_share(launch,
                   {.options = options,
                    .choice = choice,
                    .peer = counterpart_of(negotiation),
                    .session = session,
                    .measure = [&](const sampler::SamplingOptions& sampling,
                                   const SamplesByRail& earlier, sampler::Observer& observer) {
                      return sampler::run_campaign(choice.rails, sampling, earlier, observer,
                                                   companions);
                    }});
}

Report accompany_near(Connection& leader, Connection& peer, const Launch& launch) {
  RailNegotiation negotiation =
      negotiate_as_near(peer, launch.invocation.tool, launch.options.rails);
  const RailChoice choice = choice_of(negotiation, peer);
  sampler::SamplingOptions sampling = launch.options.sampling;
  sampling.confirm = true;  // its far rank stores nothing either
  const std::uint64_t seed = launch.options.seed ? *launch.options.seed : random_seed();
  send_config(peer, to_json({.sampling = sampling, .session = describe_session(choice, seed)}));
  sampler::accompany_campaign(choice.rails, sampling, leader);
  return {};
}

Report sample_as_far(Connection& peer, const Launch& launch) {
  RailNegotiation negotiation = negotiate_as_far(peer, launch.invocation.tool);
  const RailChoice choice = choice_of(negotiation, peer);
  const SamplingConfig config = sampling_config_from(receive_config(peer));
  if (config.sampling.confirm) return answer_checks(choice, config, launch);
  SampleOptions theirs = launch.options;
  theirs.sampling = config.sampling;
  theirs.sampling.offload = launch.options.sampling.offload && config.sampling.ranks_per_node == 1;
  theirs.sampling.landmarks = launch.options.sampling.landmarks;
  theirs.seed = config.session.seed;
  return run_share(launch, {.options = theirs,
                            .choice = choice,
                            .peer = counterpart_of(negotiation),
                            .session = config.session,
                            .measure = [&](const sampler::SamplingOptions& sampling,
                                           const SamplesByRail&, sampler::Observer& observer) {
                              return sampler::answer_campaign(choice.rails, sampling, observer);
                            }});
}

Report sample_with_peer(const SampleOptions& options, const Invocation& invocation) {
  const profiledb::Location profile = profiledb::locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  profiledb::ProfileDb db = open_for_writing(profile, invocation, line);
  ReachedPeer peer(options.peer, invocation.tool);
  const Interruption interruption;
  const SampleOptions own = with_offload(options);
  Report report =
      sample_as_near(peer.connection(), {own, invocation, profile, db, line, interruption});
  peer.leave();
  return report;
}

Report serve(const SampleOptions& options, const Invocation& invocation) {
  const profiledb::Location profile = profiledb::locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  profiledb::ProfileDb db = open_for_writing(profile, invocation, line);
  const Interruption interruption;
  std::optional<Connection> peer =
      await_peer(options.peer, invocation, [&] { return interruption.signal() != 0; });
  if (!peer) {
    Report report;
    report.problem = Problem::signal(interruption.signal(), "interrupted before a peer connected");
    return report;
  }
  const SampleOptions own = with_offload(options);
  return sample_as_far(*peer, {own, invocation, profile, db, line, interruption});
}

}  // namespace nmt::tools
