// SPDX-License-Identifier: BSD-3-Clause
//
// One launch's part of a campaign, for every kind of measuring: it is begun in the profile, stored
// there block by block, finished, tuned and reported; and saved elsewhere if the profile cannot be
// written.
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

namespace nmt::tools {

using SamplesByRail = std::map<std::string, std::vector<Sample>>;

struct CampaignShare {
  const SampleOptions& options;  // with the sampling options of the deciding end
  const RailChoice& choice;
  std::optional<Counterpart> peer;
  Fields more;      // further options of the campaign
  Session session;  // clock and seed; the rest is filled in
  std::function<sampler::CampaignReport(const sampler::SamplingOptions&,
                                        const SamplesByRail& earlier, sampler::Observer&)>
      measure;
};

// Shared by all parts of one launch.
struct Launch {
  const SampleOptions& options;
  const Invocation& invocation;
  const profiledb::Location& profile;
  profiledb::ProfileDb& db;
  ProgressLine& line;
  const Interruption& interruption;
};

// A session with the clock that measures these rails.
Session describe_session(const RailChoice& choice, std::uint64_t seed);

std::uint64_t random_seed();  // short enough to type again

// Waits for another writer, and reports that above the progress line.
profiledb::ProfileDb open_for_writing(const profiledb::Location& profile,
                                      const Invocation& invocation, ProgressLine& line);

// All chosen rails of this node.
Report sample_rails(const RailChoice& choice, std::uint64_t seed, const Launch& launch);

Report run_share(const Launch& launch, CampaignShare share);

}  // namespace nmt::tools
