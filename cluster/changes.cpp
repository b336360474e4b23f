// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/changes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>

#include "cluster/rank_sum.h"

namespace nmt::cluster {
namespace {

constexpr double kTrimmed = 0.2;            // of the launches, at each end
constexpr std::size_t kCellsOfRailMin = 6;  // that tell the rail's change from theirs
constexpr std::size_t kRelabellingsMax = 2000;
const double kMissing = std::numeric_limits<double>::quiet_NaN();

// One question: a value for each launch, before and after in one row; NaN where not measured.
struct Question {
  std::vector<double> values;
  double usual = 0;  // deviation between launches, of all questions of a kind
};

double trimmed_mean(std::vector<double>& values) {
  std::ranges::sort(values);
  const auto cut = static_cast<std::size_t>(kTrimmed * static_cast<double>(values.size()));
  const auto end = values.end() - static_cast<std::ptrdiff_t>(cut);
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(cut);
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

// The launches in which it was measured.
std::vector<double> present(const Question& question) {
  std::vector<double> values;
  for (const double each : question.values) {
    if (!std::isnan(each)) values.push_back(each);
  }
  return values;
}

// The mean distance of launches from their median.
double variation(const Question& question) {
  const std::vector<double> values = present(question);
  const double middle = median(values);
  double sum = 0;
  for (const double each : values) sum += std::abs(each - middle);
  return sum / static_cast<double>(values.size());
}

// The cells whose median is that of their rail: the half that varies least. So where many cells of
// a rail changed, and others did not, the rail is what did not change.
std::vector<const Question*> steadiest(const std::vector<Question*>& cells) {
  std::vector<std::pair<double, const Question*>> by_variation;
  for (const Question* cell : cells) by_variation.emplace_back(variation(*cell), cell);
  std::ranges::stable_sort(by_variation, {}, &std::pair<double, const Question*>::first);
  std::vector<const Question*> kept;
  for (std::size_t i = 0; i < (cells.size() + 1) / 2; ++i) kept.push_back(by_variation[i].second);
  return kept;
}

struct Split {
  std::vector<double> before, after;
};

Split split(const Question& question, const std::vector<bool>& after) {
  Split split;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (std::isnan(question.values[i])) continue;
    (after[i] ? split.after : split.before).push_back(question.values[i]);
  }
  return split;
}

// How far apart the sides of these labels are, in deviations. A cell's own deviation counts half,
// the usual one of all cells the other half: few launches say little of the former.
double distance(const Question& question, const std::vector<bool>& after) {
  Split both = split(question, after);
  if (both.before.empty() || both.after.empty()) return 0;
  const double before = trimmed_mean(both.before), now = trimmed_mean(both.after);
  double sum = 0;
  for (const double each : both.before) sum += std::abs(each - before);
  for (const double each : both.after) sum += std::abs(each - now);
  const double own = sum / static_cast<double>(both.before.size() + both.after.size());
  return std::abs(now - before) / ((own + question.usual) / 2);
}

double ways(std::size_t before, std::size_t after) {
  return 1 / least_rank_sum_probability(before, after);
}

// All relabellings, or some at random; the true one is among them.
std::vector<std::vector<bool>> relabellings(const std::vector<bool>& truth, std::uint64_t seed) {
  const auto number = static_cast<std::size_t>(std::ranges::count(truth, true));
  std::vector<std::vector<bool>> all = {truth};
  if (ways(truth.size() - number, number) > static_cast<double>(kRelabellingsMax)) {
    std::mt19937_64 random(seed);
    std::vector<bool> labels = truth;
    for (std::size_t i = 1; i < kRelabellingsMax; ++i) {
      for (std::size_t last = labels.size(); last > 1; --last) {  // Fisher and Yates
        const std::size_t other = random() % last;
        const bool kept = labels[other];
        labels[other] = labels[last - 1];
        labels[last - 1] = kept;
      }
      all.push_back(labels);
    }
    return all;
  }
  std::vector<bool> labels(truth.size(), false);
  std::fill(labels.end() - static_cast<std::ptrdiff_t>(number), labels.end(), true);
  do {
    if (labels != truth) all.push_back(labels);
  } while (std::next_permutation(labels.begin(), labels.end()));
  return all;
}

// Cells by launches, in logarithms, each around its cell's median.
class Launches {
 public:
  Launches(std::span<const std::size_t> rail_of_cell, std::span<const LaunchTime> times)
      : rail_of_cell_(rail_of_cell) {
    for (const LaunchTime& time : times) {
      std::size_t& number = time.after ? after_ : before_;
      number = std::max(number, time.launch + 1);
    }
    for (std::size_t i = 0; i < before_ + after_; ++i) truth_.push_back(i >= before_);
    for (const LaunchTime& time : times) {
      if (!(time.duration_ns > 0) || !std::isfinite(time.duration_ns)) continue;
      Question& cell = cells_[time.cell];
      cell.values.resize(truth_.size(), kMissing);
      cell.values[time.after ? before_ + time.launch : time.launch] = std::log(time.duration_ns);
    }
  }

  std::size_t before() const { return before_; }
  std::size_t after() const { return after_; }
  const std::vector<bool>& truth() const { return truth_; }

  // Drops the cells that were measured in too few launches.
  void keep_cells(const ChangeOptions& options) {
    std::erase_if(cells_, [&](const auto& entry) {
      const Split both = split(entry.second, truth_);
      return both.before.size() < 2 || both.after.empty() ||
             !are_enough(both.before.size(), both.after.size(), options);
    });
  }

  // Moves what the cells of a rail share in each launch from the cells into the rail.
  void separate_rails() {
    std::map<std::size_t, std::vector<Question*>> by_rail;
    for (auto& [cell, question] : cells_) {
      const double middle = median(present(question));
      for (double& each : question.values) each -= middle;
      by_rail[rail_of_cell_[cell]].push_back(&question);
    }
    for (auto& [rail, cells] : by_rail) {
      if (cells.size() < kCellsOfRailMin) continue;
      Question& whole = rails_[rail];
      whole.values.assign(truth_.size(), kMissing);
      const std::vector<const Question*> of_rail = steadiest(cells);
      for (std::size_t launch = 0; launch < truth_.size(); ++launch) {
        std::vector<double> measured;
        for (const Question* cell : of_rail) {
          if (!std::isnan(cell->values[launch])) measured.push_back(cell->values[launch]);
        }
        if (measured.empty()) continue;
        whole.values[launch] = median(measured);
        for (Question* cell : cells) cell->values[launch] -= whole.values[launch];
      }
    }
    set_usual(&cells_);
    set_usual(&rails_);
  }

  const std::map<std::size_t, Question>& cells() const { return cells_; }
  const std::map<std::size_t, Question>& rails() const { return rails_; }
  std::optional<std::size_t> rail_of(std::size_t cell) const {
    const std::size_t rail = rail_of_cell_[cell];
    return rails_.contains(rail) ? std::optional(rail) : std::nullopt;
  }

 private:
  // Of all launches together, so that no labels are preferred.
  static void set_usual(std::map<std::size_t, Question>* questions) {
    std::vector<double> own;
    for (const auto& [number, question] : *questions) {
      own.push_back(variation(question));
    }
    if (own.empty()) return;
    for (auto& [number, question] : *questions) question.usual = std::max(median(own), 1e-9);
  }

  std::span<const std::size_t> rail_of_cell_;
  std::size_t before_ = 0, after_ = 0;
  std::vector<bool> truth_;
  std::map<std::size_t, Question> cells_, rails_;
};

// Both directions count, so each split has a mirror image.
double least_chance(std::size_t before, std::size_t after) {
  return before > 0 && after > 0 ? 2 / ways(before, after) : 1;
}

}  // namespace

bool are_enough(std::size_t before, std::size_t after, const ChangeOptions& options) {
  return least_chance(before, after) <= options.chance_of_few;
}

Changes find_changes(std::span<const std::size_t> rail_of_cell, std::span<const LaunchTime> times,
                     const ChangeOptions& options) {
  Launches launches(rail_of_cell, times);
  Changes changes{.cells = {},
                  .launches_before = launches.before(),
                  .launches_after = launches.after(),
                  .evidence = Evidence::kTooFewLaunches};
  if (!are_enough(launches.before(), launches.after(), options)) return changes;
  const bool few = least_chance(launches.before(), launches.after()) > options.chance_max;
  const double chance_max = few ? options.chance_of_few : options.chance_max;
  launches.keep_cells(options);
  changes.evidence = launches.cells().empty() ? Evidence::kTooFewOfEachCell : Evidence::kEnough;
  if (launches.cells().empty()) return changes;
  launches.separate_rails();

  std::vector<double> largest;  // of each relabelling, in deviations
  for (const std::vector<bool>& labels : relabellings(launches.truth(), options.seed)) {
    double most = 0;
    for (const auto* questions : {&launches.cells(), &launches.rails()}) {
      for (const auto& [number, question] : *questions) {
        most = std::max(most, distance(question, labels));
      }
    }
    largest.push_back(most);
  }
  const double total = static_cast<double>(largest.size());
  std::ranges::sort(largest);
  const auto chance_of = [&](const Question& question) {
    const double size = distance(question, launches.truth());
    const auto as_large = largest.end() - std::ranges::lower_bound(largest, size * (1 - 1e-12));
    return static_cast<double>(as_large) / total;
  };
  std::map<std::size_t, double> rail_chance;
  for (const auto& [rail, question] : launches.rails()) rail_chance[rail] = chance_of(question);
  for (const auto& [cell, question] : launches.cells()) {
    Change change{.cell = cell, .chance = chance_of(question)};
    Question sum = question;
    const auto rail = launches.rail_of(cell);
    if (rail && rail_chance[*rail] <= chance_max) {  // the cell changed with its rail
      const Question& whole = launches.rails().at(*rail);
      for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += whole.values[i];
      change.chance = std::min(change.chance, rail_chance[*rail]);
    }
    const Split both = split(sum, launches.truth());
    const Shift shift = shift_between(both.after, both.before);
    change.ratio = std::exp(shift.middle);
    change.interval = {std::exp(shift.interval.low), std::exp(shift.interval.high)};
    change.beyond_noise =
        change.chance <= chance_max && (change.interval.low > 1 || change.interval.high < 1);
    changes.cells.push_back(change);
  }
  return changes;
}

}  // namespace nmt::cluster
