// SPDX-License-Identifier: BSD-3-Clause
//
// The work of nmad-sample: choose rails, measure them into the profile, tune, tell.
//
// In reading order:
//   nmad_sample        main()
//   options            the options
//   list               nmad-sample --list
//   rail_choice        which rails --rails means
//   campaign           one campaign: begun, measured, stored, tuned, reported
//   recorder           between a running campaign, the disk and the terminal
//   record             what is written into the profile
//   progress_line      progress on a terminal
//   interruption       what Ctrl-C does
//   sample_report      what is printed at the end
//   peer               the two ends of a campaign between two nodes
//   sampling_config    how such a campaign is measured, as the near end says
//   job                nmad-sample in a job of an MPI
//   job_parts          the parts of a campaign in a job
//   job_campaign       such a campaign, as each rank sees it
//   job_shares         what several ranks measure at the same time
//   job_report         what a campaign of a job prints
//   links              which links between nodes are slower than the others
//   oversubscription   a warning for more ranks than cores
#pragma once

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt {

Report sample(const SampleOptions& options, const Invocation& invocation);

}  // namespace nmt
