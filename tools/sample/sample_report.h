// SPDX-License-Identifier: BSD-3-Clause
//
// The report of nmad-sample at its end: how each rail was measured, what was derived, where it is
// stored.
#pragma once

#include <optional>

#include "sampler/sampler.h"
#include "tools/command/report.h"
#include "tools/sample/options.h"
#include "tools/sample/rail_choice.h"
#include "tools/sample/record.h"

namespace nmt::tools {

struct SampleResult {
  const SampleOptions& options;
  const RailChoice& choice;
  const Record& record;
  profiledb::Location profile;
  bool resumed = false;
  sampler::CampaignReport campaign;
  Plan plan;
  std::optional<Problem> unsaved;  // the profile could not be written
  int signal = 0;                  // that ended it early
};

Report sample_report(const SampleResult& result);

}  // namespace nmt::tools
