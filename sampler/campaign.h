// SPDX-License-Identifier: BSD-3-Clause
//
// A campaign measures rails until everything asked is known well enough, or
// the budget is spent.
//
// One campaign, one rail after the other. Per rail: rounds of shuffled blocks, a block being one
// size with all competing methods back to back; anchor sizes return in every round, so that drift
// is estimated and not chased; a geometric grid first, then the sizes where interpolation fails
// or a decision is undecided (docs/method.md). Then, where asked, each rail again while others are
// busy. Real rails are measured between this process and a
// forked one on the two nearest cores; rails to another node between this process and one there
// that answers (answer_campaign); described rails in virtual time, within this process.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "control/control.h"
#include "core/error.h"
#include "core/sample.h"
#include "drivers/drivers.h"

namespace nmt {

struct SamplingOptions {
  double budget_ns = 60e9;  // for all rails together, verification included
  double precision = 0.02;  // asked relative half-width of the 95 % interval of each median
  std::uint64_t size_bytes_max = std::uint64_t{16} << 20;
  std::uint64_t max_unexpected_bytes = std::uint64_t{64} << 10;
  std::uint64_t seed = 1;  // of the shuffling and of the sizes held out
  bool verify = false;     // also measure sizes that are held out (Sample::held_out)
  bool pairs = false;      // also each rail while others are busy (RailGroup)
  bool offload = false;    // also what it costs to hand work to another core of this node
};

struct RailToSample {
  Driver* driver = nullptr;
  Rail rail;
  control::Connection* peer = nullptr;  // to the node with the rail's other end; null: this node
};

// What one measurement is about: a rail, by its number in the campaign, and those that are kept
// busy beside it for as long as its transfers last. Alone where there are none.
struct RailGroup {
  std::size_t measured = 0;
  std::vector<std::size_t> busy;
  bool operator==(const RailGroup&) const = default;
};

struct Progress {
  std::string rail;       // and those beside it
  std::string phase;      // "warming up", "sampling", "verifying", "waiting for quiet"
  double done = 0;        // fraction of the whole campaign
  double left_ns = 0;     // expected
  std::size_t cells = 0;  // measured so far
};

// Told what happens, as it happens. measured() returns when the cells are safe on disk.
class Observer {
 public:
  virtual ~Observer() = default;
  // After each block: its cells as they are now, all repetitions of this session included. What
  // belongs to no rail is told of cores_rail().
  virtual void measured(const Rail& rail, std::span<const Sample> cells) = 0;
  virtual void progress(const Progress& progress) = 0;
  virtual bool interrupted() = 0;  // asked between blocks; true ends the campaign early
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

// All rails of one campaign have one peer, or none. `earlier` holds what previous sessions of the
// same campaign measured, per rail's full name. A rail that fails is reported and the others go on;
// it is no part of any group.
// Throws only for what no rail survives.
CampaignReport run_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                            const std::map<std::string, std::vector<Sample>>& earlier,
                            Observer& observer);

// The other end's part of a campaign over `rails`, in the order that both ends agreed on: answers
// what run_campaign() over there orders through each rail's peer, and tells `observer` the same as
// there, so that both ends keep what was measured. Ends with the campaign, or where the peer is
// lost or this end interrupted.
CampaignReport answer_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                               Observer& observer);

}  // namespace nmt
