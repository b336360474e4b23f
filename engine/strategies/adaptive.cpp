// SPDX-License-Identifier: BSD-3-Clause
//
// The default strategy: small packets together over the rail that ends first; large ones split by
// prediction over idle and busy rails, so that all chunks end at the same time (papers
// "sampling-based auto-tuning", III-C, and "multirail on multicore", II-B).
//
// Packets are planned in order. Each plan starts from the rails as the packets before will leave
// them. Chunks for idle rails go now. A chunk for a busy rail waits; it is planned again when that
// rail is idle, from the state at that time. A packet also waits if no idle rail would end it
// sooner than a busy one.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/strategy.h"

namespace nmt::engine {
namespace {

// Packets planned at most: there are few rails, and later packets are planned again anyway.
constexpr std::size_t kPlannedMax = 16;

// Newton's steps towards the common end of all chunks: curves are nearly straight between two
// steps.
constexpr int kSplitRounds = 4;
constexpr double kSplitTolerance = 0.001;

// The way that was not tried yet, all rails or one, is tried if it may be so much faster than
// predicted: chunks and whole messages of one rail differ by less in general.
constexpr double kDoubt = 1.2;

class Planner {
 public:
  explicit Planner(Outlet& outlet) : outlet_(outlet) {}

  // Plans and sends as much as possible; false if the rails were not measured.
  bool plan_all() {
    std::size_t unit = 0;
    for (std::size_t planned = 0; planned < kPlannedMax; ++planned) {
      if (unit == outlet_.window().large.size() || !any_idle()) return true;
      if (!plan(unit)) return false;
    }
    return true;
  }

 private:
  bool any_idle() const {
    return std::ranges::any_of(outlet_.lanes(), [](const Lane& lane) { return lane.takes_large; });
  }

  // Splits a message so that its chunks end together at the paces of their lanes.
  //
  // nmt_split knows the curves alone. A lane that starts at s and whose pace is f carries until the
  // end T what its curve carries in (T - s) / f. So it is told the release r = T - (T - s) / f:
  // then its answer ends at T too, if T is the right one. If not, T moves by the difference over
  // the derivative of the answer's end, which is the mean of 1 - 1 / f, weighted by bandwidth.
  // Curves and paces may have cliffs on which that does not settle, but each answer is a split, so
  // the one that ends first is taken.
  bool split(std::uint64_t size_bytes, std::size_t lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      const Lane& lane = outlet_.lanes()[i];
      starts_ns_[i] = std::max(lane.release_ns, planned_ns_[i]);
      factors_[i] = lane.paces->factor(SentAs::kChunk, size_bytes / lanes);
    }
    Split best;
    double end_ns = 0;
    for (int round = 0; round < kSplitRounds; ++round) {
      double earliest_ns = 0;
      for (std::size_t i = 0; i < lanes; ++i) {
        const double release_ns = starts_ns_[i] + (1 - 1 / factors_[i]) * (end_ns - starts_ns_[i]);
        shares_[i] = share_of(outlet_.lanes()[i], release_ns);
        earliest_ns = std::min(earliest_ns, shares_[i].release_ns);
      }
      for (std::size_t i = 0; i < lanes; ++i) shares_[i].release_ns -= earliest_ns;
      nmt_split_result result;
      const std::span<nmt_share> shares = std::span(shares_).first(lanes);
      if (!outlet_.advice().split(size_bytes, shares, result)) return false;
      for (std::size_t i = 0; i < lanes && round == 0; ++i) first_bytes_[i] = shares_[i].bytes;
      double weight = 0, weighted = 0, all_end_ns = 0;
      for (std::size_t i = 0; i < lanes; ++i) {
        if (shares_[i].bytes == 0) continue;
        curves_ns_[i] = shares_[i].end_ns - shares_[i].release_ns;
        const double bandwidth = static_cast<double>(shares_[i].bytes) / curves_ns_[i];
        weight += bandwidth;
        weighted += bandwidth * (1 - 1 / factors_[i]);
        factors_[i] = outlet_.lanes()[i].paces->factor(SentAs::kChunk, shares_[i].bytes);
        all_end_ns = std::max(all_end_ns, starts_ns_[i] + curves_ns_[i] * factors_[i]);
      }
      if (round == 0 || all_end_ns < best.end_ns) best = {shares_, curves_ns_, all_end_ns};
      const double gap_ns = result.end_ns + earliest_ns - end_ns;
      if (round > 0 && std::abs(gap_ns) <= kSplitTolerance * end_ns) break;
      end_ns += gap_ns / (1 - weighted / weight);
    }
    shares_ = best.shares;
    curves_ns_ = best.curves_ns;
    end_ns_ = best.end_ns;
    return true;
  }

  // Takes one rail for the whole message instead, where that ends sooner by what transfers showed.
  void join(std::uint64_t size_bytes, std::size_t lanes) {
    std::size_t chunks = 0, best = 0;
    bool chunks_known = true;
    for (std::size_t i = 0; i < lanes; ++i) {
      if (shares_[i].bytes == 0) continue;
      ++chunks;
      chunks_known &= outlet_.lanes()[i].paces->knows(SentAs::kChunk, shares_[i].bytes);
    }
    if (chunks < 2) return;
    double best_ns = 0, best_curve_ns = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
      const Lane& lane = outlet_.lanes()[i];
      const std::optional<double> curve_ns = outlet_.advice().duration_ns(lane.path, size_bytes);
      if (!curve_ns) continue;
      const bool known = lane.paces->knows(SentAs::kWhole, size_bytes);
      const double doubt = known == chunks_known ? 1 : known ? kDoubt : 1 / kDoubt;
      const double end_ns =
          starts_ns_[i] + doubt * *curve_ns * lane.paces->factor(SentAs::kWhole, size_bytes);
      if (best_ns != 0 && end_ns >= best_ns) continue;
      best = i;
      best_ns = end_ns;
      best_curve_ns = *curve_ns;
    }
    if (best_ns == 0 || best_ns >= end_ns_) return;
    for (std::size_t i = 0; i < lanes; ++i) shares_[i].bytes = 0;
    shares_[best].bytes = size_bytes;
    curves_ns_[best] = best_curve_ns;
    whole_ = true;
  }

  // Splits one unit; moves on to the next if a part of it has to wait.
  bool plan(std::size_t& unit) {
    const std::size_t lanes = std::min<std::size_t>(outlet_.lanes().size(), NMT_SPLIT_RAILS_MAX);
    const Unit& packet = outlet_.window().large[unit];
    const std::uint64_t size_bytes = packet.label.body_bytes;
    const bool is_new = !packet.cut;
    whole_ = false;
    if (!split(size_bytes, lanes)) return false;
    for (std::size_t i = 0; i < lanes; ++i) chunks_bytes_[i] = shares_[i].bytes;
    if (is_new) join(size_bytes, lanes);
    bool begun = false, gone = false;
    for (std::size_t i = 0; i < lanes && i < outlet_.lanes().size(); ++i) {
      if (shares_[i].bytes == 0) continue;
      const Lane& lane = outlet_.lanes()[i];
      if (lane.takes_large && planned_ns_[i] == 0) {
        gone = outlet_.send_large(i, unit, shares_[i].bytes, curves_ns_[i]);
        begun = true;
      } else {
        const double factor =
            lane.paces->factor(whole_ ? SentAs::kWhole : SentAs::kChunk, shares_[i].bytes);
        planned_ns_[i] = starts_ns_[i] + curves_ns_[i] * factor;
      }
    }
    if (!gone) ++unit;
    if (begun && is_new) pass_over_the_rest(size_bytes, lanes);
    return true;
  }

  // The ways in which this message could have gone over each rail, and does not.
  void pass_over_the_rest(std::uint64_t size_bytes, std::size_t lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      const bool is_whole = shares_[i].bytes == size_bytes;
      const bool is_chunk = shares_[i].bytes > 0 && !is_whole;
      if (!is_whole) outlet_.pass_over(i, SentAs::kWhole, size_bytes);
      if (is_chunk) continue;
      if (chunks_bytes_[i] > 0) {
        outlet_.pass_over(i, SentAs::kChunk, chunks_bytes_[i]);
        continue;
      }
      // Two sizes whose paces helped to decide that it gets no chunk.
      outlet_.pass_over(i, SentAs::kChunk, size_bytes / lanes);
      if (first_bytes_[i] > 0) outlet_.pass_over(i, SentAs::kChunk, first_bytes_[i]);
    }
  }

  using Shares = std::array<nmt_share, NMT_SPLIT_RAILS_MAX>;
  using Times = std::array<double, NMT_SPLIT_RAILS_MAX>;
  struct Split {
    Shares shares;
    Times curves_ns;
    double end_ns = 0;
  };

  Outlet& outlet_;
  Shares shares_;
  std::array<std::uint64_t, NMT_SPLIT_RAILS_MAX> first_bytes_;   // of the first round of split()
  std::array<std::uint64_t, NMT_SPLIT_RAILS_MAX> chunks_bytes_;  // of the split, before join()
  Times starts_ns_{};                                            // of the shares, from now
  Times factors_{};                                              // paces of the lanes
  Times curves_ns_{};   // durations of the shares by the profile
  Times planned_ns_{};  // release after planned chunks; 0: none
  double end_ns_ = 0;   // of the split
  bool whole_ = false;  // one rail takes it all
};

}  // namespace

void schedule_adaptive(Outlet& outlet) {
  send_small_together(outlet);
  if (outlet.window().large.empty()) return;
  if (!Planner(outlet).plan_all()) send_large_whole(outlet);
}

}  // namespace nmt::engine
