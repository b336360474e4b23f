// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/evidence.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/drift.h"
#include "core/statistics.h"

namespace nmt::sampler {
namespace {

// The experiment of a stored sample; false for one that this version does not measure.
bool experiment_of(const Sample& sample, const Variants& variants, Experiment* experiment) {
  const Condition& c = sample.condition;
  for (std::size_t i = 0; i < std::size(kTraffics); ++i) {
    if (kTraffics[i].benchmark != c.benchmark) continue;
    experiment->traffic = static_cast<std::uint8_t>(i);
    experiment->method = parse_method(c.method).value_or(Method::kCopy);
    if (const auto known = variants.find(experiment->method); known != variants.end()) {
      const auto found = std::ranges::find(known->second, c.variant);
      if (found == known->second.end()) return false;
      experiment->variant = static_cast<std::uint8_t>(found - known->second.begin());
    }
    experiment->regime = c.regime == to_string(Regime::kCold) ? Regime::kCold : Regime::kHot;
    experiment->contended = !c.busy_rails.empty();
    experiment->size_bytes = sample.size_bytes;
    return true;
  }
  return false;
}

// Median and uncertainty of one cell: from the rank interval of all its repetitions or from the
// differences of its rounds, whichever is wider (a whole round may be slow for this cell alone).
Estimate estimate(const std::vector<Sample>& parts, const DriftFactors& drift, double precision) {
  std::vector<double> durations_ns;
  std::vector<double> rounds_ns;
  StoppingRule rule(precision);
  bool disturbed = false;
  for (const Sample& part : parts) {
    for (const Repetition& repetition : trusted(part.repetitions)) {
      durations_ns.push_back(repetition.each_ns() / drift.at(repetition.round));
      disturbed = disturbed || repetition.disturbed;
      rule.add(durations_ns.back());
    }
    for (const RoundDurations& round : by_round(part, drift)) rounds_ns.push_back(round.median_ns);
  }
  Estimate result;
  if (durations_ns.empty()) return result;
  result.duration_ns = median(durations_ns);
  result.relative_half_width = rule.half_width();
  result.rounds = rounds_ns.size();
  result.disturbed = disturbed;
  result.state = rule.state();
  if (rounds_ns.size() >= 2 && result.duration_ns > 0) {
    const double spread = median_absolute_deviation(rounds_ns) / result.duration_ns;
    result.relative_half_width =
        std::max(result.relative_half_width, 2 * spread / std::sqrt(double(rounds_ns.size())));
  }
  return result;
}

}  // namespace

Evidence::Evidence(Sample prototype, double precision, std::vector<Sample> earlier,
                   const std::vector<Sample>& session, Variants variants)
    : prototype_(std::move(prototype)),
      precision_(precision),
      variants_(std::move(variants)),
      earlier_(std::move(earlier)) {
  const auto count_rounds = [&](const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) {
      for (const Repetition& repetition : sample.repetitions) {
        next_round_ = std::max(next_round_, repetition.round + 1);
      }
    }
  };
  count_rounds(earlier_);
  count_rounds(session);
  const auto beside_others = [&](const Sample& sample) {
    const std::string& busy = sample.condition.busy_rails;
    return !busy.empty() && busy != prototype_.condition.busy_rails;
  };
  std::erase_if(earlier_, beside_others);
  for (const Sample& sample : session) {
    Experiment experiment;
    if (beside_others(sample) || !experiment_of(sample, variants_, &experiment)) continue;
    index_[{experiment, sample.held_out}] = session_.size();
    session_.push_back(sample);
  }
  refresh();
}

Condition Evidence::condition(const Experiment& experiment) const {
  const Traffic& traffic = kTraffics[experiment.traffic];
  Condition condition = prototype_.condition;
  condition.benchmark = traffic.benchmark;
  if (!traffic.local) {
    condition.method = to_string(experiment.method);
    if (const auto known = variants_.find(experiment.method); known != variants_.end()) {
      condition.variant = known->second.at(experiment.variant);
    }
    condition.header_bytes = kHeaderBytes;
  }
  condition.regime = to_string(experiment.regime);
  if (!experiment.contended) condition.busy_rails.clear();
  return condition;
}

const Sample& Evidence::add(const Experiment& experiment, bool held_out,
                            const std::vector<Repetition>& repetitions, double run_delay_ns) {
  const auto [entry, fresh] = index_.try_emplace({experiment, held_out}, session_.size());
  if (fresh) {
    Sample& sample = session_.emplace_back(prototype_);
    sample.condition = condition(experiment);
    sample.size_bytes = experiment.size_bytes;
    sample.held_out = held_out;
  }
  Sample& sample = session_[entry->second];
  sample.repetitions.insert(sample.repetitions.end(), repetitions.begin(), repetitions.end());
  sample.run_delay_ns += run_delay_ns;
  return sample;
}

bool Evidence::mark(const Experiment& experiment, bool held_out, std::size_t first,
                    std::size_t count, bool disturbed) {
  std::vector<Repetition>& all = session_[index_.at({experiment, held_out})].repetitions;
  bool news = false;
  for (std::size_t i = first; i < first + count; ++i) {
    news = news || all[i].disturbed != disturbed;
    all[i].disturbed = disturbed;
  }
  return news;
}

const Sample& Evidence::sample(const Experiment& experiment, bool held_out) const {
  return session_[index_.at({experiment, held_out})];
}

void Evidence::refresh() {
  std::vector<Sample> all = earlier_;
  all.insert(all.end(), session_.begin(), session_.end());
  const DriftFactors factors = estimate_drift(all);
  drift_ = 0;
  for (const auto& [round, factor] : factors) drift_ = std::max(drift_, std::abs(factor - 1));

  std::map<std::pair<Experiment, bool>, std::vector<Sample>> cells;
  for (Sample& sample : all) {
    Experiment experiment;
    if (!experiment_of(sample, variants_, &experiment)) continue;
    cells[{experiment, sample.held_out}].push_back(std::move(sample));
  }
  estimates_.clear();
  held_out_estimates_.clear();
  for (const auto& [cell, parts] : cells) {
    const auto& [experiment, held_out] = cell;
    (held_out ? held_out_estimates_ : estimates_)[experiment] =
        estimate(parts, factors, precision_);
  }

  std::set<std::uint64_t> sizes[2][2];
  for (const auto& [experiment, estimate] : estimates_) {
    if (kTraffics[experiment.traffic].benchmark != benchmark::kTransfer) continue;
    sizes[experiment.contended][static_cast<std::size_t>(experiment.regime)].insert(
        experiment.size_bytes);
  }
  for (const bool contended : {false, true}) {
    for (std::size_t i = 0; i < 2; ++i) {
      sizes_bytes_[contended][i].assign(sizes[contended][i].begin(), sizes[contended][i].end());
    }
  }
}

const Estimate* Evidence::find(const Experiment& experiment, bool held_out) const {
  const std::map<Experiment, Estimate>& known = held_out ? held_out_estimates_ : estimates_;
  const auto found = known.find(experiment);
  return found == known.end() ? nullptr : &found->second;
}

void Evidence::note_guess(const Experiment& experiment, double duration_ns) {
  guesses_ns_[experiment] = duration_ns;
}

double Evidence::guess_ns(const Experiment& experiment) const {
  if (const Estimate* known = find(experiment)) return known->duration_ns;
  // The size is the last key of the order, so neighbours in the map are the nearest sizes.
  const auto same_kind = [&](const Experiment& other) {
    return other.traffic == experiment.traffic && other.method == experiment.method &&
           other.variant == experiment.variant && other.regime == experiment.regime &&
           other.contended == experiment.contended;
  };
  const auto above = guesses_ns_.lower_bound(experiment);
  if (above != guesses_ns_.end() && same_kind(above->first)) return above->second;
  if (above == guesses_ns_.begin() || !same_kind(std::prev(above)->first)) return 0;
  const auto& [below, duration_ns] = *std::prev(above);
  return duration_ns * static_cast<double>(experiment.size_bytes) /
         static_cast<double>(std::max<std::uint64_t>(below.size_bytes, 1));
}

}  // namespace nmt::sampler
