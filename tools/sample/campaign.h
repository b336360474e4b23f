// SPDX-License-Identifier: BSD-3-Clause
//
// One launch's share of a campaign, whoever measures: begun in the profile, kept there block by
// block, ended, tuned and reported; and saved elsewhere where the profile takes it no more.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/command/command.h"
#include "tools/sample/interruption.h"
#include "tools/sample/options.h"
#include "tools/sample/progress_line.h"
#include "tools/sample/rail_choice.h"
#include "tools/sample/record.h"

namespace nmt {

using SamplesByRail = std::map<std::string, std::vector<Sample>>;

struct CampaignShare {
  const SampleOptions& options;  // with the sampling of whoever decides it
  const RailChoice& choice;
  std::optional<Counterpart> peer;
  Fields more;      // options of the campaign beside the typed ones
  Session session;  // its clock and seed; the rest is filled in
  std::function<CampaignReport(const SamplingOptions&, const SamplesByRail& earlier, Observer&)>
      measure;
};

// What all shares of one launch have in common.
struct Launch {
  const SampleOptions& options;
  const Invocation& invocation;
  const Location& profile;
  ProfileDb& db;
  ProgressLine& line;
  const Interruption& interruption;
};

// `session` by the clock that the rails are measured with.
Session describe_session(const RailChoice& choice, std::uint64_t seed);

std::uint64_t random_seed();  // short enough to be typed again

// Waits for another writer, and says so above the progress line.
ProfileDb open_for_writing(const Location& profile, const Invocation& invocation,
                           ProgressLine& line);

// All rails of this node that were chosen.
Report sample_rails(const RailChoice& choice, std::uint64_t seed, const Launch& launch);

Report run_share(const Launch& launch, CampaignShare share);

}  // namespace nmt
