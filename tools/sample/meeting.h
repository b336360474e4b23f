// SPDX-License-Identifier: BSD-3-Clause
//
// Two nodes agree on a campaign: each says what it is and which rails leave it, the near one (which
// measures) chooses those that meet and says how they are to be measured.
//
//   near                                        far
//   kIntroduction  host, platform, ports   ->
//                                          <-   kIntroduction
//   kAgreement  pairs of ports, options    ->
//
// After that they talk as sampler/sampler.h does. A rail is called by its own name at each end;
// where its port meets several of the other node, "RAIL/PEERRAIL".
#pragma once

#include "control/control.h"
#include "tools/sample/options.h"
#include "tools/sample/rail_choice.h"
#include "tools/sample/record.h"

namespace nmt {

struct Meeting {
  RailChoice choice;  // this end's rails, each with its peer
  Counterpart peer;
  SampleOptions options;  // with the near end's sampling, on both ends
  Session session;        // clock and seed of the near end
};

// Both throw Error(kPeer) where the other end is lost or breaks the rules. The near end also
// throws Error(kNoRail) where no rails meet, Error(kUsage) for --rails that are not there, and
// tells the far end. `peer` must outlive the meeting.
Meeting meet_as_near(control::Connection& peer, const SampleOptions& options);
Meeting meet_as_far(control::Connection& peer, const SampleOptions& options);

}  // namespace nmt
