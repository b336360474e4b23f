// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/split.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "include/nmadtune.h"
#include "runtime/split_solver.h"

namespace nmt::runtime {
namespace {

using Mask = std::uint64_t;

class Splitter {
 public:
  Splitter(const View& view, std::uint64_t size_bytes, std::span<SplitRail> rails)
      : view_(view), size_bytes_(size_bytes), rails_(rails) {
    origin_ns_ = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rails.size(); ++i) {
      const PathBlock& block = view.paths[rails[i].path];
      if (block.measured == 0) continue;
      usable_ |= Mask{1} << i;
      origin_ns_ = std::min(origin_ns_, rails[i].release_ns);
      companions_ = companions_ || block.companions > 0;
      // A message too small for a chunk may still go whole over that rail.
      exempt_ = exempt_ || block.chunk_bytes_min > size_bytes;
    }
  }

  SplitAnswer answer(std::size_t chunks_max) {
    if (usable_ == 0) return unmeasured();
    solve(chunks_max);
    if (!std::isfinite(best_ns_)) return unmeasured();  // times that a float cannot represent
    while (carrying() > chunks_max) {
      const Mask least = Mask{1} << least_carrying();
      usable_ &= ~least;
      without_core_ |= least;
      best_ns_ = std::numeric_limits<double>::infinity();
      solve(chunks_max);
    }
    explain();
    return {best_ns_, simultaneous_};
  }

 private:
  SplitAnswer unmeasured() {
    for (SplitRail& rail : rails_) rail = {rail.path, rail.release_ns, 0, NMT_LEFT_UNMEASURED, 0};
    return {};
  }

  void solve(std::size_t chunks_max) {
    if (size_bytes_ == 0 || chunks_max == 1) {
      try_alone();
    } else if (companions_ || !attempt(usable_)) {
      settle_by_choosing();
    } else if (exempt_) {
      try_alone();
    }
  }

  std::size_t carrying() const {
    return static_cast<std::size_t>(std::count_if(
        rails_.begin(), rails_.end(), [](const SplitRail& rail) { return rail.bytes > 0; }));
  }

  std::size_t least_carrying() const {
    std::size_t least = rails_.size();
    for (std::size_t i = 0; i < rails_.size(); ++i) {
      if (rails_[i].bytes == 0) continue;
      if (least == rails_.size() || rails_[i].bytes < rails_[least].bytes) least = i;
    }
    return least;
  }

  void settle_by_choosing() {
    try_alone();
    if (rails_.size() <= kTriedMax) {
      for (Mask some = usable_; some > 0; some = (some - 1) & usable_) {
        if ((some & (some - 1)) != 0) attempt(some);
      }
      return;
    }
    for (Mask some = usable_; (some & (some - 1)) != 0;) {
      attempt(some);
      some = without_the_least(some);
    }
  }

  // Tries each rail for the whole message.
  void try_alone() {
    for (std::size_t i = 0; i < rails_.size(); ++i) {
      if ((usable_ >> i & 1) == 0) continue;
      const TimeTable& table = view_.paths[rails_[i].path].inverse;
      const double end_ns =
          rails_[i].release_ns + static_cast<double>(time_for(table, size_bytes_));
      if (end_ns >= best_ns_) continue;
      best_ns_ = end_ns;
      simultaneous_ = false;
      carrier_ = i;
      for (std::size_t j = 0; j < rails_.size(); ++j) rails_[j].bytes = j == i ? size_bytes_ : 0;
      rails_[i].end_ns = end_ns;
    }
  }

  // Tries these rails together. False if their smallest chunks exceed the message.
  bool attempt(Mask some) {
    SplitSolver solver(origin_ns_);
    std::size_t index[SplitSolver::kRailsMax];
    bool simultaneous = false;
    for (std::size_t i = 0; i < rails_.size(); ++i) {
      if ((some >> i & 1) == 0) continue;
      const std::uint32_t path = companions_ ? companion_in(i, some) : rails_[i].path;
      const PathBlock& block = view_.paths[path];
      simultaneous = simultaneous || path != rails_[i].path;
      index[solver.rails()] = i;
      solver.add(block.inverse, rails_[i].release_ns, block.chunk_bytes_min);
    }
    const double end_ns = solver.solve(size_bytes_, guess(index, solver.rails()));
    if (end_ns < 0) return false;
    if (end_ns >= best_ns_) return true;
    // These curves are for simultaneous use of all these rails. If one of them gets nothing, the
    // attempt without that rail has the right curves.
    if (simultaneous && !all_carry(solver)) return true;
    best_ns_ = end_ns;
    simultaneous_ = simultaneous;
    carrier_ = rails_.size();
    for (SplitRail& rail : rails_) rail.bytes = 0;
    for (std::size_t k = 0; k < solver.rails(); ++k) {
      rails_[index[k]].bytes = solver.chunk(k);
      rails_[index[k]].end_ns = solver.chunk_end_ns(k);
    }
    return true;
  }

  double guess(const std::size_t index[], std::size_t count) const {
    if (count == 2 && !view_.pairs.empty()) {  // which are empty while they are being made
      const SplitRail& first = rails_[index[0]];
      const SplitRail& second = rails_[index[1]];
      bool in_order = false;
      const PairTable* table = pair_table(view_, first.path, second.path, &in_order);
      if (table != nullptr)
        return by_table(*table, in_order ? first : second, in_order ? second : first);
    }
    double guess_ns = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < count; ++k) {
      const SplitRail& rail = rails_[index[k]];
      guess_ns =
          std::min(guess_ns, rail.release_ns + view_.paths[rail.path].duration.at(size_bytes_));
    }
    return guess_ns;
  }

  // When both rails, idle, have carried the message, later by what each of their releases takes
  // away.
  double by_table(const PairTable& table, const SplitRail& first, const SplitRail& second) const {
    const std::uint32_t piece = table.index.piece_at(size_bytes_);
    const double of_first = static_cast<double>(table.share[piece]) / PairTable::kOne;
    return table.end_at(piece, size_bytes_) + second.release_ns +
           of_first * (first.release_ns - second.release_ns);
  }

  static bool all_carry(const SplitSolver& solver) {
    for (std::size_t k = 0; k < solver.rails(); ++k) {
      if (solver.chunk(k) == 0) return false;
    }
    return true;
  }

  std::uint32_t companion_in(std::size_t rail, Mask some) const {
    std::uint32_t others[SplitSolver::kRailsMax];
    std::size_t count = 0;
    for (std::size_t i = 0; i < rails_.size(); ++i) {
      if (i != rail && (some >> i & 1) != 0) others[count++] = rails_[i].path;
    }
    return companion(view_, rails_[rail].path, std::span(others, count));
  }

  // Drops the rail that would finish its smallest chunk last.
  Mask without_the_least(Mask some) const {
    std::size_t latest = 0;
    double latest_ns = -1;
    for (std::size_t i = 0; i < rails_.size(); ++i) {
      if ((some >> i & 1) == 0) continue;
      const PathBlock& block = view_.paths[rails_[i].path];
      const std::uint64_t least = std::max<std::uint64_t>(1, block.chunk_bytes_min);
      const double end_ns =
          rails_[i].release_ns + static_cast<double>(time_for(block.inverse, least));
      if (end_ns > latest_ns) latest = i, latest_ns = end_ns;
    }
    return some & ~(Mask{1} << latest);
  }

  void explain() {
    for (std::size_t i = 0; i < rails_.size(); ++i) {
      SplitRail& rail = rails_[i];
      if ((usable_ >> i & 1) != 0) {
        rail.left_out = i == carrier_ || rail.bytes > 0 ? std::uint32_t{NMT_TAKES_PART}
                                                        : left_out_reason(view_, rail, best_ns_);
      } else {
        rail.bytes = 0;
        rail.left_out = (without_core_ >> i & 1) != 0 ? NMT_LEFT_NO_CORE : NMT_LEFT_UNMEASURED;
      }
    }
  }

  const View& view_;
  std::uint64_t size_bytes_;
  std::span<SplitRail> rails_;
  Mask usable_ = 0;  // measured, and with a core
  Mask without_core_ = 0;
  bool companions_ = false;
  bool exempt_ = false;
  double origin_ns_ = 0;
  std::size_t carrier_ = SIZE_MAX;  // of the whole message, which may be empty
  double best_ns_ = std::numeric_limits<double>::infinity();
  bool simultaneous_ = false;
};

}  // namespace

SplitAnswer split_exactly(const View& view, std::uint64_t size_bytes, std::span<SplitRail> rails,
                          std::size_t chunks_max) {
  return Splitter(view, size_bytes, rails).answer(chunks_max);
}

std::uint32_t companion(const View& view, std::uint32_t path,
                        std::span<const std::uint32_t> others) {
  const PathBlock& block = view.paths[path];
  std::uint32_t best = path;
  std::uint32_t most = 0;
  for (const CompanionRecord& record :
       view.companions.subspan(block.companions_from, block.companions)) {
    const auto busy = std::span(record.busy_paths).first(record.busy);
    const bool all_there = std::all_of(busy.begin(), busy.end(), [&](std::uint32_t other) {
      return std::find(others.begin(), others.end(), other) != others.end();
    });
    if (all_there && record.busy > most) best = record.measured, most = record.busy;
  }
  return best;
}

}  // namespace nmt::runtime
