// SPDX-License-Identifier: BSD-3-Clause
//
// The work of nmad-sample: choose rails, measure them into the profile, tune, report.
//
// In reading order:
//   nmad_sample        main()
//   options            the options
//   list               nmad-sample --list
//   rail_choice        the rails that --rails selects
//   campaign           one campaign: begin, measure, store, tune, report
//   confirm            nmad-sample --confirm: is the profile still true on this node
//   checked_profile    the cells of the profile that it compares with
//   check_rails        measures the cells that tell most, and judges them
//   check_findings     what it found, as a word, a line and a file for Prometheus
//   recorder           connects a running campaign to disk and terminal
//   record             what is written into the profile
//   progress_line      progress on a terminal
//   interruption       what Ctrl-C does
//   sample_report      the report at the end
//   peer               the two ends of a campaign between two nodes
//   sampling_config    the near end's configuration of such a campaign
//   job                nmad-sample in a job of an MPI
//   job_parts          the parts of a campaign in a job
//   job_campaign       such a campaign, from the view of one rank
//   job_shapes         shapes of the job on which collectives are sampled
//   job_shares         what several ranks measure at the same time
//   job_report         the report of a campaign in a job
//   links              which links between nodes are slower than the others
//   oversubscription   a warning for more ranks than cores
#pragma once

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt::tools {

Report sample(const SampleOptions& options, const Invocation& invocation);

}  // namespace nmt::tools
