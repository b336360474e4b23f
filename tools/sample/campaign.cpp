// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/campaign.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "node/node.h"
#include "tools/command/this_machine.h"
#include "tools/command/tune_profile.h"
#include "tools/sample/recorder.h"
#include "tools/sample/sample_report.h"

namespace nmt::tools {
namespace {

// The results of earlier sessions, for a resumed campaign.
struct Earlier {
  SamplesByRail samples;  // by rail
  double elapsed_ns = 0;
};

Earlier read_earlier(const profiledb::ProfileDb& db, const Record& record) {
  Earlier earlier;
  std::map<Id, double> elapsed_ns;  // by session; each measured several rails
  for (SampleSet& set : db.sample_sets(record.campaign.id)) {
    elapsed_ns[set.session.id] = set.session.elapsed_ns;
    // A rail whose fingerprint has changed is another rail.
    if (std::ranges::find(record.paths, set.path.id, &Path::id) == record.paths.end()) continue;
    std::vector<Sample>& of_rail = earlier.samples[set.path.from.full_name()];
    std::ranges::move(set.samples, std::back_inserter(of_rail));
  }
  for (const auto& [session, taken_ns] : elapsed_ns) earlier.elapsed_ns += taken_ns;
  return earlier;
}

// Stores this machine, the rails, the campaign (resumed if requested and possible) and the session
// in the profile, and keeps them in memory.
Record begin(const Launch& launch, const CampaignShare& share) {
  profiledb::ProfileDb& db = launch.db;
  Record record;
  record.platform = db.ensure_platform(this_platform());
  record.node = db.ensure_node(this_node(), record.platform.id);
  record.peer = share.peer;
  if (record.peer) {
    record.peer->platform = db.ensure_platform(record.peer->platform);
    record.peer->node = db.ensure_node(record.peer->node, record.peer->platform.id);
  }
  for (std::size_t i = 0; i < share.choice.rails.size(); ++i) {
    const Rail& rail = share.choice.rails[i].rail;
    record.paths.push_back(
        db.ensure_path({.id = Id::random(),
                        .from_node = record.node.id,
                        .to_node = record.peer ? record.peer->node.id : record.node.id,
                        .from = rail,
                        .to = record.peer ? record.peer->rails[i] : rail}));
  }
  if (share.options.sampling.offload) {
    record.paths.push_back(db.ensure_path({.id = Id::random(),
                                           .from_node = record.node.id,
                                           .to_node = record.node.id,
                                           .from = cores_rail(),
                                           .to = cores_rail()}));
  }
  Fields fields = campaign_options(share.options, share.choice.names());
  if (record.peer) fields["peer"] = record.peer->node.host;
  fields.insert(share.more.begin(), share.more.end());
  const auto resumable =
      share.options.resume ? db.find_resumable(record.platform.id, fields) : std::nullopt;
  if (resumable) {
    record.campaign = *resumable;
  } else {
    if (share.options.resume) {
      launch.invocation.notice("found no campaign of these options to resume; starting a new one");
    }
    record.campaign = {.id = Id::random(),
                       .platform = record.platform.id,
                       .started_utc = utc_now(),
                       .tool_version = NMT_VERSION,
                       .command_line = launch.invocation.command_line,
                       .options = fields};
    db.begin_campaign(record.campaign);
  }
  record.session = share.session;
  record.session.id = Id::random();
  record.session.started_utc = utc_now();
  db.begin_session(record.session, record.campaign.id);
  return record;
}

// Fills in the campaign's result, for storing.
void settle(Campaign& campaign, const sampler::CampaignReport& report) {
  campaign.complete = !report.interrupted && report.peer_lost.empty();
  campaign.quality = report.quality;
  campaign.remark = !report.peer_lost.empty() ? "peer lost: " + report.peer_lost
                    : report.interrupted      ? "interrupted"
                    : report.disturbed        ? "disturbed"
                                              : "";
  for (const sampler::RailReport& rail : report.rails) {
    if (!rail.complete) campaign.complete = false;
    const auto remark = [&](const std::string& text) {
      campaign.remark += campaign.remark.empty() ? "" : "; ";
      campaign.remark += rail.name() + ": " + text;
    };
    if (!rail.failure.empty()) remark(rail.failure);
    if (rail.has_link_errors()) remark("counted " + node::to_text(rail.link_errors));
  }
  if (campaign.complete) campaign.finished_utc = utc_now();
}

// For a campaign without its own report: reports what was stored.
void report_from(const Record& record, sampler::CampaignReport* campaign) {
  for (const Path& path : record.paths) {
    if (path.from.driver != kCores) campaign->rails.push_back(record.report(path));
  }
}

// Used when the profile cannot be written: derives the plan in memory, and saves everything in
// another file, a profile that can be imported.
void save_elsewhere(const Error& cause, Record& record, const tuner::TuneOptions& tuning,
                    SampleResult* result) {
  if (result->campaign.rails.empty()) {  // this error stopped the campaign
    record.campaign.remark = "the profile could not be written";
    report_from(record, &result->campaign);
  }
  profiledb::ProfileDb memory = profiledb::ProfileDb::in_memory();
  record.write(memory);
  result->plan = tune(memory, record.platform.id, tuning);
  const auto file = write_next_to(result->profile.file, memory.file_content());
  const std::string way_out =
      file
          ? fmt::format("the results are in {0}; import them with nmad-tune db import {0} --db {1}",
                        *file, result->profile.file)
          : "the results are lost: there is no space next to the profile or in $TMPDIR either";
  result->unsaved = Problem(Fault::kDatabase, fmt::format("{}; {}", cause.what(), way_out));
}

}  // namespace

Session describe_session(const RailChoice& choice, std::uint64_t seed) {
  Session session{.seed = seed};
  const auto describe_clock = [&](const Clock& clock) {
    session.clock = clock.name();
    session.clock_cost_ns = clock.cost_ns();
    session.clock_resolution_ns = clock.resolution_ns();
  };
  const auto real = std::ranges::find_if(choice.rails, [](const sampler::RailToSample& each) {
    return each.driver->virtual_clock() == nullptr;
  });
  if (real != choice.rails.end()) {
    describe_clock(RealClock());
  } else {
    describe_clock(*choice.rails.front().driver->virtual_clock());
  }
  return session;
}

std::uint64_t random_seed() {  // short enough to type again
  constexpr std::uint64_t kSeeds = 1'000'000'000;
  return Digest().add(Id::random().hex()).value() % kSeeds;
}

profiledb::ProfileDb open_for_writing(const profiledb::Location& profile,
                                      const Invocation& invocation, ProgressLine& line) {
  return profiledb::ProfileDb(profile.file, {.mode = profiledb::ProfileDb::Mode::kWrite,
                                             .notice = [&](const std::string& message) {
                                               line.clear();
                                               invocation.notice(message);
                                             }});
}

Report sample_rails(const RailChoice& choice, std::uint64_t seed, const Launch& launch) {
  SampleOptions with_cores = launch.options;
  with_cores.sampling.offload = std::ranges::any_of(
      choice.rails,
      [](const sampler::RailToSample& each) { return each.driver->virtual_clock() == nullptr; });
  return run_share(launch,
                   {.options = with_cores,
                    .choice = choice,
                    .session = describe_session(choice, seed),
                    .measure = [&](const sampler::SamplingOptions& sampling,
                                   const SamplesByRail& earlier, sampler::Observer& observer) {
                      return sampler::run_campaign(choice.rails, sampling, earlier, observer);
                    }});
}

Report run_share(const Launch& launch, CampaignShare share) {
  profiledb::ProfileDb& db = launch.db;
  Record record = begin(launch, share);
  const Earlier earlier = read_earlier(db, record);
  sampler::SamplingOptions sampling = share.options.sampling;
  sampling.seed = share.session.seed;
  // The rest of the budget, but enough to finish.
  constexpr double kShareMin = 0.1;
  sampling.budget_ns =
      std::max(kShareMin * sampling.budget_ns, sampling.budget_ns - earlier.elapsed_ns);
  const tuner::TuneOptions tuning{.max_unexpected_bytes = sampling.max_unexpected_bytes};

  SampleResult result{.options = share.options,
                      .choice = share.choice,
                      .record = record,
                      .profile = launch.profile};
  result.resumed = !earlier.samples.empty();
  try {
    Recorder recorder(db, record, launch.line, launch.interruption, sampling.budget_ns);
    result.campaign = share.measure(sampling, earlier.samples, recorder);
    if (share.peer && result.campaign.rails.empty()) report_from(record, &result.campaign);
    settle(record.campaign, result.campaign);
    db.note_elapsed(record.session.id, result.campaign.elapsed_ns);
    db.finish_campaign(record.campaign);
    result.plan = tune(db, record.platform.id, tuning);
  } catch (const Error& error) {
    if (error.fault() != Fault::kDatabase || !record.has_samples()) throw;
    save_elsewhere(error, record, tuning, &result);
  }
  launch.line.clear();
  if (result.campaign.interrupted) result.signal = launch.interruption.signal();
  return sample_report(result);
}

}  // namespace nmt::tools
