// SPDX-License-Identifier: BSD-3-Clause
//
// What a campaign reports at its end: for each rail how complete, disturbed and precise it is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/error.h"

namespace nmt {

// What one measurement is about: a rail, by its number in the campaign, and those that are kept
// busy beside it for as long as its transfers last. Alone where there are none.
struct RailGroup {
  std::size_t measured = 0;
  std::vector<std::size_t> busy;
  bool operator==(const RailGroup&) const = default;
};

struct RailReport {
  RailGroup group;
  std::string rail;
  std::string busy_rails;  // beside it, as in Condition
  bool complete = false;
  std::string failure;           // why the rail could not be sampled to its end; empty if it was
  Fault fault = Fault::kFailed;  // of the failure
  std::size_t cells = 0;
  std::size_t repetitions = 0;
  std::size_t disturbed = 0;          // of them, in disturbed blocks: kept and marked
  std::size_t watch_repetitions = 0;  // beside them, of sentinels: watched, not kept
  std::size_t untrusted_cells = 0;    // never measured undisturbed
  double precision = 0;               // 90th percentile of the cells' relative half-widths
  double drift = 0;                   // largest departure of a round's speed from the usual
  double elapsed_ns = 0;
  double waited_ns = 0;  // of it, for other work to end

  std::string name() const;  // "tcp:r0", "tcp:r0 beside tcp:r1"
  double quality() const;    // share of repetitions, and of the time, that nothing disturbed
};

struct CampaignReport {
  std::vector<RailReport> rails;  // each rail alone, then each group
  bool interrupted = false;
  std::string peer_lost;   // why the other node is not there any more; empty where it is
  double quality = 1;      // of its rails together, by their time
  bool disturbed = false;  // less of it than a quiet machine gives: worth a warning
  bool trusted = true;     // nearly every cell has repetitions that nothing disturbed
  double elapsed_ns = 0;
};

}  // namespace nmt
