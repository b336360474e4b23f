// SPDX-License-Identifier: BSD-3-Clause
//
// What a strategy is: a function that looks at the window and at the lanes that it may use, and
// sends what should go now. What it leaves waits.
//
// It is called whenever something may have changed: a rail became idle, a request was granted, or a
// new message waits. It has no state, so a wrong prediction costs one decision: the next decision
// starts from the state at that time.
//
// One file each in engine/strategies:
//   greedy      each idle rail takes the next message
//   aggregate   small packets go together over the fastest rail
//   iso         equal chunks over the idle rails
//   strip       large packets split by bandwidth
//   adaptive    the default: split by prediction, over busy rails too
//   offload     like adaptive, with eager chunks sent by other cores
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/advice.h"
#include "engine/pace.h"
#include "engine/window.h"

namespace nmt::engine {

// One live link, as a strategy sees it.
struct Lane {
  std::size_t link = 0;
  int path = kNoPath;
  const Paces* paces = nullptr;
  double release_ns = 0;     // predicted time from now until it is free
  bool takes_small = false;  // idle enough
  bool takes_large = false;
  bool probing = false;  // what it carries is the first of its kind
};

class Outlet {
 public:
  virtual ~Outlet() = default;
  virtual std::span<const Lane> lanes() const = 0;  // updated after each send
  virtual const Window& window() const = 0;
  virtual const Advice& advice() const = 0;

  // Sends the first `count` small units in one message, over a lane that takes_small.
  virtual void send_small(std::size_t lane, std::size_t count) = 0;
  // Sends the first `size_bytes` of a large unit over a lane that takes_large; true if nothing of
  // the unit is left. `curve_ns`: its duration by the profile, if the strategy knows better than
  // the curve of the rail alone.
  virtual bool send_large(std::size_t lane, std::size_t unit, std::uint64_t size_bytes,
                          std::optional<double> curve_ns = {}) = 0;
  // The lane on which a small packet of this size ends first.
  virtual std::size_t first_to_end(std::uint64_t size_bytes) = 0;
  // A message of this size could have gone over this lane in this way, and does not.
  virtual void pass_over(std::size_t lane, SentAs as, std::uint64_t size_bytes) = 0;

  // helpers(): how many threads on other cores are idle; helpers_placement(): how far they are.
  // send_chunk(): sends the first `size_bytes` of the first small unit over a lane that
  // takes_small. Without `begin_by_ns`, this thread sends them; else an idle helper does. If the
  // helper has not begun so many nanoseconds from now, this thread sends them after all.
  virtual std::size_t helpers() const = 0;
  virtual const std::string& helpers_placement() const = 0;
  virtual void send_chunk(std::size_t lane, std::uint64_t size_bytes,
                          std::optional<double> begin_by_ns = {}) = 0;
};

struct Strategy {
  std::string_view name;
  void (*schedule)(Outlet&);
  bool goes_ahead = false;    // large messages begin before their grants
  bool splits_eager = false;  // an eager message may go over several rails
  bool has_helpers = false;   // threads on other cores
};

// Null for an unknown name. `only` becomes the rail of "single:RAIL", else empty.
const Strategy* find_strategy(std::string_view name, std::string& only);

// Strategies (engine/strategies), and the parts they share.
void schedule_greedy(Outlet& outlet);
void schedule_aggregate(Outlet& outlet);
void schedule_iso(Outlet& outlet);
void schedule_strip(Outlet& outlet);
void schedule_adaptive(Outlet& outlet);
void schedule_offload(Outlet& outlet);

// Predicted end of a small packet over a lane, from now; without advice, the lane's release.
double end_ns(const Advice& advice, const Lane& lane, std::uint64_t size_bytes);

// The lane on which a small packet of this size ends first. A lane that has carried nothing of this
// size is given the benefit of the doubt once, because its profile may be wrong. A lane that was
// slow once is tried again (engine/pace.h).
std::size_t first_to_end(const Advice& advice, std::span<const Lane> lanes,
                         std::uint64_t size_bytes);

// How many small units, from the first on, go in one message over this path: decides repeatedly for
// the units so far and the next one (paper "sampling-based auto-tuning", II-D, III-B).
std::size_t aggregated(const Outlet& outlet, int path);

// A lane as nmt_split and nmt_eager_chunks take it, free at that time.
inline nmt_share share_of(const Lane& lane, double release_ns) {
  nmt_share share{};
  share.struct_bytes = sizeof share;
  share.path = lane.path;
  share.release_ns = release_ns;
  return share;
}

// Chunks of an eager message over idle lanes, all but one by other cores. nullopt if they do not
// pay beside the best rail alone.
struct ChunksElsewhere {
  std::array<std::size_t, NMT_SPLIT_RAILS_MAX> lanes;
  std::array<nmt_share, NMT_SPLIT_RAILS_MAX> shares;
  std::size_t count = 0;  // of both
  double end_ns = 0;      // from now
};
std::optional<ChunksElsewhere> chunks_elsewhere(const Outlet& outlet, std::uint64_t size_bytes);

// Sends small units together over the lane that ends first, as long as that lane is idle.
void send_small_together(Outlet& outlet);

// Gives whole large units to lanes that can take one, in order, until lanes or units run out.
void send_large_whole(Outlet& outlet);

}  // namespace nmt::engine
