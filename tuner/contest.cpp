// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/contest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/statistics.h"
#include "tuner/tuner.h"

namespace nmt {
namespace {

constexpr std::size_t kChangesMax = 8;

// What one more change must save, in squared standard errors of regret proven beyond the
// equivalence zone. An island in the middle costs two changes: 16, four standard errors if it
// rests on a single size, which noise reaches at fewer than one in ten thousand sizes.
constexpr double kChangePrice = 8;

// A handful of repetitions may agree by chance: no size is trusted more than twice as well as a
// typical one, and none beyond what any measurement can resolve.
double doubt_min(std::span<const Duel> duels) {
  constexpr double kFinest = 1e-4;
  std::vector<double> doubts;
  for (const Duel& duel : duels) doubts.push_back(duel.doubt);
  return std::max(kFinest, median(doubts) / 2);
}

bool may_be_one_outlier(const Duel& duel) {
  std::size_t below = 0;
  std::size_t above = 0;
  for (const Duel::Round& round : duel.rounds) {
    below += round.below.size();
    above += round.above.size();
  }
  return std::min(below, above) < 3;
}

// What speaks against this choice at this size, in squared standard errors. What may be one
// outlier cannot buy a change alone.
double evidence_against(const Bout& bout, bool chose_above) {
  const double loss = chose_above ? bout.duel.log_ratio : -bout.duel.log_ratio;
  const double errors = std::max(0.0, loss - std::log1p(kEquivalence)) / bout.doubt;
  const double evidence = errors * errors;
  return may_be_one_outlier(bout.duel) ? std::min(evidence, kChangePrice / 2) : evidence;
}

}  // namespace

std::vector<double> shares_of(std::span<const std::uint64_t> sizes_bytes) {
  const std::size_t n = sizes_bytes.size();
  if (n == 1) return {1};
  std::vector<double> positions;
  for (const std::uint64_t size : sizes_bytes) {
    positions.push_back(std::log1p(static_cast<double>(size)));
  }
  std::vector<double> shares(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double to_left = i == 0 ? 0 : positions[i] - positions[i - 1];
    const double to_right = i == n - 1 ? 0 : positions[i + 1] - positions[i];
    shares[i] = (to_left + to_right) / 2 / (positions.back() - positions.front());
  }
  return shares;
}

Contest make_contest(std::vector<Duel> duels) {
  if (duels.empty()) return {};
  std::vector<std::uint64_t> sizes_bytes;
  for (const Duel& duel : duels) sizes_bytes.push_back(duel.size_bytes);
  const std::vector<double> shares = shares_of(sizes_bytes);
  const double least = doubt_min(duels);
  Contest contest;
  for (std::size_t i = 0; i < duels.size(); ++i) {
    const double doubt = std::max(least, duels[i].doubt);
    contest.push_back({.duel = std::move(duels[i]), .share = shares[i], .doubt = doubt});
  }
  return contest;
}

// Dynamic programming over (size, changes so far, choice). A size measured worse than is typical
// weighs less, by its variance, so that one wild ratio does not pull a change towards itself.
Verdict best_verdict(const Contest& contest, std::span<const double> log_ratios,
                     std::size_t changes) {
  NMT_CHECK(!contest.empty() && log_ratios.size() == contest.size());
  const std::size_t n = contest.size();
  std::vector<double> doubts;
  for (const Bout& bout : contest) doubts.push_back(bout.doubt);
  const double typical_doubt = median(doubts);

  struct State {
    double cost = std::numeric_limits<double>::infinity();
    bool changed = false;  // from the other choice at the size before
  };
  std::vector<std::vector<std::array<State, 2>>> states(
      n, std::vector<std::array<State, 2>>(changes + 1));
  for (std::size_t i = 0; i < n; ++i) {
    const double trust = std::min(1.0, typical_doubt / doubts[i]);
    for (std::size_t used = 0; used <= changes; ++used) {
      for (const bool above : {false, true}) {
        State& state = states[i][used][above];
        if (i == 0) {
          if (used == 0) state.cost = 0;
        } else {
          state.cost = states[i - 1][used][above].cost;
          if (used > 0 && states[i - 1][used - 1][!above].cost < state.cost) {
            state = {states[i - 1][used - 1][!above].cost, true};
          }
        }
        state.cost += contest[i].share * trust * trust * slowdown(log_ratios[i], above);
      }
    }
  }

  std::size_t used = 0;
  bool above = false;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t u = 0; u <= changes; ++u) {
    for (const bool last : {false, true}) {
      if (states[n - 1][u][last].cost < least) {
        least = states[n - 1][u][last].cost;
        used = u;
        above = last;
      }
    }
  }
  Verdict verdict(n);
  for (std::size_t i = n; i-- > 0;) {
    verdict[i] = above;
    if (states[i][used][above].changed) {
      above = !above;
      --used;
    }
  }
  return verdict;
}

Verdict judge(const Contest& contest) {
  std::vector<double> log_ratios;
  for (const Bout& bout : contest) log_ratios.push_back(bout.duel.log_ratio);
  Verdict chosen;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t changes = 0; changes <= kChangesMax; ++changes) {
    const Verdict verdict = best_verdict(contest, log_ratios, changes);
    double cost = kChangePrice * static_cast<double>(count_changes(verdict));
    for (std::size_t i = 0; i < contest.size(); ++i) {
      cost += evidence_against(contest[i], verdict[i]);
    }
    if (cost < least) {
      least = cost;
      chosen = verdict;
    }
  }
  return chosen;
}

std::size_t count_changes(const Verdict& verdict) {
  std::size_t changes = 0;
  for (std::size_t i = 1; i < verdict.size(); ++i) changes += verdict[i] != verdict[i - 1];
  return changes;
}

}  // namespace nmt
