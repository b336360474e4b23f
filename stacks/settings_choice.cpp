// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/settings_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/method.h"
#include "core/units.h"
#include "stacks/settings.h"
#include "tuner/tuner.h"

namespace nmt::stacks {
namespace {

// Comparisons of one value of a group in one campaign: with it, and with everything except it.
struct Comparison {
  const StackSamples* samples = nullptr;
  const StackKey* key = nullptr;  // with it
  const StackTimes* without = nullptr;
  const StackTimes* with = nullptr;
};

std::vector<std::uint64_t> sizes_of(const StackTimes& a, const StackTimes& b,
                                    const AffectedSizes& affected) {
  std::vector<std::uint64_t> sizes_bytes;
  for (const auto& [size_bytes, rounds] : a) {
    if (!b.contains(size_bytes)) continue;
    if (affected.from_bytes && size_bytes < *affected.from_bytes) continue;
    if (affected.to_bytes && size_bytes >= *affected.to_bytes) continue;
    sizes_bytes.push_back(size_bytes);
  }
  return sizes_bytes;
}

std::optional<std::uint64_t> number_at(const Fields& fields, const std::string& name) {
  const auto found = fields.find(name);
  if (found == fields.end() || found->second.empty()) return std::nullopt;
  if (found->second.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return parse_bytes(found->second);
}

// A moved limit affects the sizes between its two positions. Weights affect messages that are
// split. How eager messages are handed over affects eager ones (no stack reports where its default
// changes). All affected sizes are judged as one, by their mean in each round: an interval for each
// of them would find a gain by chance at one of many.
AffectedSizes affected_by(const std::string& group, const Fields& settings,
                          const StackSamples& samples) {
  const Fields& options = samples.campaign.options;
  const std::optional<std::uint64_t> eager = number_at(options, "eager " + samples.placement);
  if (group == kWeightsGroup) return {.from_bytes = eager};
  if (group == kZeroCopyGroup && eager) return {.to_bytes = *eager + 1};
  const std::string name = limit_among(settings);
  const std::optional<std::uint64_t> limit = number_at(settings, name);
  if (!limit || !eager) return {};
  const std::uint64_t header = number_at(options, "header " + samples.placement).value_or(1);
  const std::uint64_t moved = *limit - std::min(*limit, header);
  return {.from_bytes = std::min(*eager, moved) + 1, .to_bytes = std::max(*eager, moved) + 1};
}

Fields defaults_of(const Fields& settings, const Fields& options) {
  Fields defaults;
  for (const auto& [name, value] : settings) {
    const auto found = options.find("default " + name);
    if (found != options.end()) defaults[name] = found->second;
  }
  return defaults;
}

std::string describe_loss(const Ratio& ratio, std::uint64_t size_bytes,
                          const Comparison& comparison) {
  const StackKey& key = *comparison.key;
  return fmt::format(
      "{} slower at {} ({})", format_fraction(1 / ratio.value - 1), format_bytes(size_bytes),
      key.algorithm.empty() ? comparison.samples->rail
                            : fmt::format("{} on {} ranks", key.operation, key.ranks));
}

bool is_loss(const Ratio& ratio) { return ratio.rounds > 0 && ratio.high < 1 - kStackLoss; }

// A size that the settings make slower by more than the allowed loss, with statistical certainty.
// Affected sizes and those above are tested one by one; sizes below, where the settings should have
// no effect, all together.
std::string loss_of(const std::string& group, const Fields& settings,
                    const std::vector<Comparison>& comparisons) {
  for (const Comparison& each : comparisons) {
    const AffectedSizes affected = affected_by(group, settings, *each.samples);
    const std::uint64_t from_bytes = affected.from_bytes.value_or(0);
    const auto below = sizes_of(*each.without, *each.with, {.to_bytes = from_bytes});
    const auto above = sizes_of(*each.without, *each.with, {.from_bytes = from_bytes});
    const Ratio untouched = ratio_over(*each.without, *each.with, below);
    if (is_loss(untouched)) return describe_loss(untouched, below.front(), each);
    const std::vector<StackLoss> losses = losses_in(*each.without, *each.with, above);
    if (!losses.empty()) return describe_loss(losses[0].ratio, losses[0].size_bytes, each);
  }
  return {};
}

void note_best(const Comparison& comparison, const std::vector<std::uint64_t>& sizes_bytes,
               GroupVerdict* verdict) {
  for (const std::uint64_t size_bytes : sizes_bytes) {
    const Ratio ratio =
        ratio_of(comparison.without->at(size_bytes), comparison.with->at(size_bytes));
    if (verdict->best.rounds > 0 && ratio.value <= verdict->best.value) continue;
    verdict->best = ratio;
    verdict->best_size_bytes = size_bytes;
  }
}

// The gain on the rail where it is largest.
void gain_on_a_rail(const std::vector<Comparison>& comparisons, GroupVerdict* verdict) {
  for (const Comparison& each : comparisons) {
    const AffectedSizes affected = affected_by(verdict->group, verdict->settings, *each.samples);
    const std::vector<std::uint64_t> sizes_bytes = sizes_of(*each.without, *each.with, affected);
    if (sizes_bytes.empty()) continue;
    const Ratio gain = ratio_over(*each.without, *each.with, sizes_bytes);
    if (verdict->gain.rounds > 0 && gain.value <= verdict->gain.value) continue;
    verdict->gain = gain;
    verdict->rail = each.samples->rail;
    verdict->placement = each.samples->placement;
    verdict->best = {};
    note_best(each, sizes_bytes, verdict);
  }
}

GroupVerdict judge(const std::string& group, const Fields& settings,
                   const std::vector<Comparison>& comparisons) {
  GroupVerdict verdict{.group = group, .settings = settings};
  gain_on_a_rail(comparisons, &verdict);
  const StackSamples& first = *comparisons.front().samples;
  verdict.mpi = first.mpi;
  verdict.version = first.version;
  verdict.measured_utc = first.campaign.started_utc;
  const auto host = first.campaign.options.find("hosts");
  if (host != first.campaign.options.end()) verdict.host = host->second;
  verdict.defaults = defaults_of(settings, first.campaign.options);
  const std::string loss = loss_of(group, settings, comparisons);
  if (verdict.gain.rounds == 0) {
    verdict.reason = "no effect at any size that was measured";
  } else if (!loss.empty()) {
    verdict.reason = loss;
  } else if (!verdict.gain.faster() || verdict.gain.value < 1 + tuner::kEquivalence) {
    verdict.reason =
        fmt::format("no measurable gain: {:.2f} times ({:.2f} to {:.2f})", verdict.gain.value,
                    verdict.gain.low, std::min(verdict.gain.high, 99.99));
  } else {
    verdict.kept = true;
  }
  return verdict;
}

// Whether some size has enough rounds for a ratio with an interval. Fewer remain where a machine
// changed its state, and then an older campaign decides.
bool is_comparable(const StackTimes& without, const StackTimes& with) {
  return std::ranges::any_of(without, [&](const auto& size) {
    const auto other = with.find(size.first);
    if (other == with.end()) return false;
    const auto in_both = [&](const auto& round) { return other->second.contains(round.first); };
    return static_cast<std::size_t>(std::ranges::count_if(size.second, in_both)) >= kRoundsMin;
  });
}

// By the value of the group, within one campaign.
std::map<Fields, std::vector<Comparison>> comparisons_of(std::span<const StackSamples> campaign,
                                                         const std::string& group) {
  std::map<Fields, std::vector<Comparison>> all;
  for (const StackSamples& samples : campaign) {
    for (const auto& [key, times] : samples.times) {
      const bool forced = !key.algorithm.empty() && key.algorithm != kOwnChoice;
      if (!key.method.empty() || forced) continue;
      const Fields with = from_variant(key.variant);
      const Fields own = of_group(with, group);
      if (own.empty()) continue;
      StackKey reference = key;
      reference.variant = to_variant(without_group(with, group));
      const auto found = samples.times.find(reference);
      if (found == samples.times.end() || !is_comparable(found->second, times)) continue;
      all[own].push_back({&samples, &key, &found->second, &times});
    }
  }
  return all;
}

}  // namespace

std::vector<StackLoss> losses_in(const StackTimes& without, const StackTimes& with,
                                 std::span<const std::uint64_t> sizes_bytes) {
  std::vector<StackLoss> losses;
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    const std::size_t begin = i > 0 ? i - 1 : 0, end = std::min(sizes_bytes.size(), i + 2);
    const Ratio around = ratio_over(without, with, sizes_bytes.subspan(begin, end - begin));
    const Ratio alone = ratio_of(without.at(sizes_bytes[i]), with.at(sizes_bytes[i]));
    if (is_loss(around) && is_loss(alone)) losses.push_back({sizes_bytes[i], alone});
  }
  return losses;
}

std::optional<StackThreshold> choose_threshold(std::span<const StackProtocols> transports) {
  struct Regret {
    double eager = 0, rendezvous = 0;  // of sending this size so, over all transports
    double log = 0;                    // of rendezvous over eager: > 0 means eager is faster
  };
  std::map<std::uint64_t, Regret> by_size;
  for (const StackProtocols& each : transports) {
    const std::vector<std::uint64_t> sizes_bytes = sizes_of(each.eager, each.rendezvous, {});
    const std::vector<double> shares = tuner::shares_of(sizes_bytes);
    for (std::size_t k = 0; k < sizes_bytes.size(); ++k) {
      const std::uint64_t size = sizes_bytes[k];
      const double log = -std::log(ratio_of(each.eager.at(size), each.rendezvous.at(size)).value);
      const double share = shares[k] / static_cast<double>(transports.size());
      Regret& regret = by_size[size];
      regret.eager += share * std::max(0.0, -log);
      regret.rendezvous += share * std::max(0.0, log);
      regret.log += log;
    }
  }
  if (by_size.size() < 2) return std::nullopt;
  double cost = 0, least = 0;  // of a change below all sizes, and behind each of them
  for (const auto& [size_bytes, regret] : by_size) cost += regret.rendezvous;
  least = cost;
  auto next = by_size.begin();  // the first that is not eager
  for (auto size = by_size.begin(); size != by_size.end(); ++size) {
    cost += size->second.eager - size->second.rendezvous;
    if (cost >= least) continue;
    least = cost;
    next = std::next(size);
  }
  StackThreshold threshold{.regret = std::exp(least) - 1};
  if (next == by_size.end()) {
    threshold.eager_bytes_max = by_size.rbegin()->first;
  } else if (next != by_size.begin()) {
    // The crossing between the last eager size and the next one.
    const auto& [low_bytes, last] = *std::prev(next);
    const double below = std::max(0.0, last.log), above = std::max(0.0, -next->second.log);
    const double place = below + above > 0 ? below / (below + above) : 0;
    const auto low = static_cast<double>(low_bytes);
    const auto high = static_cast<double>(next->first);
    threshold.eager_bytes_max =
        std::min(next->first - 1, static_cast<std::uint64_t>(low * std::pow(high / low, place)));
  }
  return threshold;
}

namespace {

StackProtocols protocols_in(const StackSamples& samples) {
  StackProtocols protocols;
  for (const auto& [key, times] : samples.times) {
    if (key.method == to_string(Method::kCopy)) {
      protocols.eager.insert(times.begin(), times.end());
    } else if (key.method == to_string(Method::kRendezvous)) {
      protocols.rendezvous.insert(times.begin(), times.end());
    }
  }
  return protocols;
}

// Rendezvous from the size on that costs all networks least, each as the newest campaign that sent
// both ways over it found them.
void share_among_networks(std::span<const StackSamples> samples, GroupVerdict* verdict) {
  std::map<std::string, StackProtocols> networks;
  for (const StackSamples& each : samples) {  // newest first
    if (each.placement != verdict->placement || networks.contains(each.rail)) continue;
    StackProtocols protocols = protocols_in(each);
    if (protocols.eager.empty() || protocols.rendezvous.empty()) continue;
    networks.emplace(each.rail, std::move(protocols));
  }
  if (networks.size() < 2) return;
  std::vector<StackProtocols> sent;
  std::string names;
  for (auto& [rail, protocols] : networks) {
    names += (names.empty() ? "" : " and ") + rail;
    sent.push_back(std::move(protocols));
  }
  const auto found = choose_threshold(sent);
  if (!found) return;
  const std::string measured = to_variant(verdict->settings);
  verdict->settings.begin()->second =
      std::to_string(std::max<std::uint64_t>(found->eager_bytes_max, 1) + 1);
  verdict->shared = fmt::format("one value for {}, which costs them {} together; measured as {}",
                                names, format_fraction(found->regret), measured);
}

}  // namespace

std::vector<GroupVerdict> judge_groups(std::span<const StackSamples> samples) {
  std::map<std::string, GroupVerdict> verdicts;
  for (std::size_t i = 0; i < samples.size();) {
    std::size_t end = i;
    while (end < samples.size() && samples[end].campaign.id == samples[i].campaign.id) ++end;
    const std::span<const StackSamples> campaign = samples.subspan(i, end - i);
    std::map<std::string, std::vector<GroupVerdict>> here;
    for (const StackSamples& each : campaign) {
      for (const auto& [key, times] : each.times) {
        for (const std::string& group : groups_of(from_variant(key.variant))) {
          if (group == kRulesGroup) continue;  // judged by size (stacks/collective_rules.h)
          if (verdicts.contains(group) || here.contains(group)) continue;
          for (const auto& [settings, comparisons] : comparisons_of(campaign, group)) {
            here[group].push_back(judge(group, settings, comparisons));
          }
        }
      }
    }
    for (const auto& [group, values] : here) {
      if (values.empty()) continue;
      const auto better = [](const GroupVerdict& a, const GroupVerdict& b) {
        return std::pair(a.kept, a.gain.value) < std::pair(b.kept, b.gain.value);
      };
      verdicts.emplace(group, *std::ranges::max_element(values, better));
    }
    i = end;
  }
  std::vector<GroupVerdict> all;
  for (auto& [group, verdict] : verdicts) {
    if (verdict.kept && group == kInterGroup) share_among_networks(samples, &verdict);
    all.push_back(std::move(verdict));
  }
  return all;
}

}  // namespace nmt::stacks
