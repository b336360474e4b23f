// SPDX-License-Identifier: BSD-3-Clause
//
// The report of a campaign: for each rail how complete, disturbed and precise its measurements are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"

namespace nmt::sampler {

// The subject of a measurement: a rail, by its number in the campaign, and the rails that are kept
// busy during its transfers. If there are none, the rail is alone.
struct RailGroup {
  std::size_t measured = 0;
  std::vector<std::size_t> busy;
  bool operator==(const RailGroup&) const = default;
};

struct RailReport {
  RailGroup group;
  std::string rail;
  std::string busy_rails;  // as in Condition
  bool complete = false;
  std::string failure;           // why the rail could not be completed; empty if it was
  Fault fault = Fault::kFailed;  // fault code of the failure
  std::size_t cells = 0;
  std::size_t repetitions = 0;
  std::size_t disturbed = 0;          // in disturbed blocks: kept and marked
  std::size_t watch_repetitions = 0;  // besides those, of sentinels: not kept
  std::size_t untrusted_cells = 0;    // never measured undisturbed
  double precision = 0;               // 90th percentile of the cells' relative half-widths
  double drift = 0;                   // largest deviation of a round's speed from the usual
  // What this node's port counted of errors while the rail was measured: "symbol_error" -> 12.
  std::map<std::string, std::uint64_t> link_errors;
  double elapsed_ns = 0;
  double waited_ns = 0;  // part of it spent waiting for other work to end

  std::string name() const;      // "tcp:r0", "tcp:r0 beside tcp:r1"
  bool has_link_errors() const;  // beyond the retransmits that any loaded TCP has
  double quality() const;  // share of undisturbed repetitions, and of the time not spent waiting
};

struct CampaignReport {
  std::vector<RailReport> rails;  // each rail alone, then each group
  bool interrupted = false;
  std::string peer_lost;   // why the peer is lost; empty if it is not
  double quality = 1;      // of all rails together, weighted by their time
  bool disturbed = false;  // lower than on a quiet machine: worth a warning
  bool trusted = true;     // nearly every cell has undisturbed repetitions
  double elapsed_ns = 0;
};

}  // namespace nmt::sampler
