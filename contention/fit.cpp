// SPDX-License-Identifier: BSD-3-Clause
#include "contention/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "contention/bound.h"
#include "contention/ratios.h"
#include "contention/resampling.h"
#include "contention/uplink.h"
#include "core/error.h"
#include "core/units.h"

namespace nmt::contention {
namespace {

constexpr double kSignificant = 0.05;
constexpr double kNoEnd = 0.999;      // of a growth: as good as proportional to n
constexpr double kLargeError = 0.25;  // left out: more than twice what the paper calls good

std::set<std::int64_t> ranks_of(std::span<const AlltoallCell> cells) {
  std::set<std::int64_t> ranks;
  for (const AlltoallCell& cell : cells) ranks.insert(cell.ranks);
  return ranks;
}

struct Choice {
  Shape shape;
  Fitted fit;
  std::vector<std::uint64_t> delta_sizes;
  std::optional<double> error_left_out;
};

// The growth of gamma that best predicts numbers of ranks left out, with the form of delta that
// does. Where one gamma holds for all, nothing grows. Two numbers of ranks say nothing about
// growth: what is left of them when one is left out is one number.
Choice choose_shape(std::span<const AlltoallCell> cells, std::vector<std::uint64_t> sizes_bytes,
                    const FitOptions& options) {
  constexpr std::size_t kForGrowth = 3;
  Choice choice{.delta_sizes = std::move(sizes_bytes)};
  const std::size_t numbers_of_ranks = ranks_of(cells).size();
  std::vector<DeltaForm> deltas = {options.delta_form.value_or(DeltaForm::kPerCommunication)};
  if (!options.delta_form && !choice.delta_sizes.empty()) deltas.push_back(DeltaForm::kOnce);
  choice.shape.delta = deltas.front();
  // Whether it predicts better than what was tried before.
  const auto try_growth = [&](GrowthShape growth) {
    bool better = false;
    for (const DeltaForm delta : deltas) {
      const Shape shape{delta, growth};
      const double error = error_left_out(shape, cells, choice.delta_sizes);
      if (choice.error_left_out && !(error < *choice.error_left_out)) continue;
      choice.error_left_out = error;
      choice.shape = shape;
      better = true;
    }
    return better;
  };
  if (numbers_of_ranks >= 2) try_growth(GrowthShape::kMeasured);
  choice.fit = fitted(choice.shape, cells, choice.delta_sizes);
  const bool grows = !choice.fit.model.rises.empty();
  if (numbers_of_ranks >= kForGrowth && grows && try_growth(GrowthShape::kSaturating)) {
    choice.fit = fitted(choice.shape, cells, choice.delta_sizes);
  }
  return choice;
}

// Mean and error, over the numbers of ranks, of ln(measured / model) at the smallest size.
struct Departure {
  double mean = 0;
  double error = 0;
};
Departure departure_at(std::uint64_t size_bytes, const Fitted& fit,
                       std::span<const AlltoallCell> cells) {
  Departure departure;
  double count = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].size_bytes != size_bytes) continue;
    departure.mean += log_error(fit.model, cells[i]);
    departure.error += cells[i].spread * cells[i].spread;
    count += 1;
  }
  return {departure.mean / count, std::sqrt(departure.error) / count};
}

// Small messages behave differently (the paper's figure 5). From the smallest size on, sizes that
// the fit of the larger ones misses keep their own measured ratios.
Choice fit_above_small(std::vector<AlltoallCell>* cells, const FitOptions& options,
                       std::vector<std::uint64_t>* small) {
  constexpr std::size_t kSizesLeft = 6;
  constexpr double kMissed = 0.1;
  std::vector<std::uint64_t> candidates = delta_sizes(*cells, options);
  while (true) {
    std::set<std::uint64_t> sizes;
    for (const AlltoallCell& cell : *cells) sizes.insert(cell.size_bytes);
    if (!options.delta_from_bytes) {
      std::erase_if(candidates, [&](std::uint64_t size) { return size <= *sizes.begin(); });
    }
    Choice choice = choose_shape(*cells, candidates, options);
    if (sizes.size() <= kSizesLeft) return choice;
    const std::uint64_t least = *sizes.begin();
    const Departure departure = departure_at(least, choice.fit, *cells);
    if (std::abs(departure.mean) < std::max(kMissed, 3 * departure.error)) return choice;
    small->push_back(least);
    std::erase_if(*cells, [&](const AlltoallCell& cell) { return cell.size_bytes == least; });
  }
}

bool has_two_numbers(std::span<const ConnectionProbe> probes) {
  return std::ranges::any_of(probes, [&](const ConnectionProbe& probe) {
    return probe.connections != probes.front().connections;
  });
}

// Of what predicts: gamma, or the ratios of all sizes.
std::string remark_on_growth(const SignatureFit& fit) {
  const Signature& signature = fit.signature;
  const std::optional<RatioGrowth>& ratios = signature.ratio_growth;
  const double growth = ratios ? ratios->growth : signature.growth;
  const bool saturates = ratios ? ratios->growth_saturates : signature.growth_saturates;
  std::string text = fmt::format("not saturated at n = {}: ", fit.ranks.back());
  if (!saturates || growth <= 0) {
    return text + fmt::format("{} with n, so more ranks are likely to contend more",
                              ratios ? "the ratios still change" : "gamma still changes");
  }
  const double end = 1 / (1 - std::min(growth, kNoEnd));
  if (!ratios) {
    return text + fmt::format("gamma still grows with n, on a curve that ends at {:.3g}",
                              signature.gamma * end);
  }
  return text +
         fmt::format("the ratios still grow with n, on a curve that ends at {:.3g} times as much",
                     end);
}

void remark_on(SignatureFit& fit, const Choice& choice) {
  const auto say = [&](std::string text) { fit.remarks.push_back(std::move(text)); };
  if (fit.ranks.size() < 2) {
    say(fmt::format("fitted only at n = {}: it is unknown whether that saturates the network",
                    fit.ranks.front()));
  } else if (!fit.signature.saturated) {
    say(remark_on_growth(fit));
  }
  if (choice.delta_sizes.empty()) {
    say("fewer than six sizes: M was not searched, so delta was not fitted; give M with --from");
  }
  if (fit.signature.processor_ns > 0) {
    say(
        fmt::format("ranks share {} cores: {} n (n - 1) / cores is processor time, not contention "
                    "of the network",
                    fit.signature.cores, format_duration(fit.signature.processor_ns)));
  }
  if (fit.error_left_out && std::expm1(*fit.error_left_out) > kLargeError) {
    say(fmt::format(
        "prediction error at numbers of ranks that were left out: {}; expect the same for "
        "numbers that were not measured",
        format_fraction(std::expm1(*fit.error_left_out))));
  }
  if (!choice.fit.model.rises.empty() && fit.saturated_from > 0) {
    say("the smaller numbers of ranks do not saturate the network: each has its own gamma");
  }
}

// Relative half of the 95 % interval of a prediction at the fit's own points.
double prediction_error(const SignatureFit& fit) {
  const Uncertainty& u = *fit.signature.uncertainty;
  const double gamma = u.gamma_variance / (fit.signature.gamma * fit.signature.gamma);
  return u.quantile *
         std::sqrt(gamma + u.sessions * u.sessions + std::pow(std::max(u.misfit, u.left_out), 2));
}

// A growth as a signature has it: with all numbers of ranks, also where nothing grows.
std::vector<Rise> rises_at(std::span<const std::int64_t> ranks, const Growth& growth) {
  std::vector<Rise> rises;
  for (const std::int64_t each : ranks) {
    rises.push_back({each, rise_at(growth.rises, growth.exponent, growth.saturates, each)});
  }
  return rises;
}

void add_model(const Choice& choice, std::span<const AlltoallCell> cells, SignatureFit* fit) {
  const Model& model = choice.fit.model;
  Signature& signature = fit->signature;
  signature.gamma = model.gamma();
  signature.delta_ns = model.delta_ns();
  signature.delta_per_message = model.form == DeltaForm::kPerCommunication;
  signature.delta_from_bytes = model.delta_from_bytes == kNoDelta ? 0 : model.delta_from_bytes;
  signature.saturated = model.saturated_from > 0;
  fit->saturated_from = model.saturated_from;
  signature.processor_ns = model.processor_ns();
  signature.growth = model.growth;
  signature.growth_saturates = model.growth_saturates;
  signature.uncertainty->growth = model.growth_error;
  signature.rises = rises_at(
      fit->ranks,
      {.rises = model.rises, .exponent = model.growth, .saturates = model.growth_saturates});
  for (const GammaOf& each : gamma_by_ranks(model, cells, choice.fit.spreads.variances)) {
    const double half = signature.uncertainty->quantile * each.error * each.gamma;
    fit->gamma_by_ranks.push_back(
        {each.ranks, each.gamma, {std::max(0.0, each.gamma - half), each.gamma + half}});
  }
}

void add_range(std::span<const AlltoallCell> cells, SignatureFit* fit) {
  const std::set<std::int64_t> ranks = ranks_of(cells);
  std::set<std::uint64_t> sizes;
  for (const AlltoallCell& cell : cells) sizes.insert(cell.size_bytes);
  fit->ranks.assign(ranks.begin(), ranks.end());
  fit->sizes_bytes.assign(sizes.begin(), sizes.end());
  Signature& signature = fit->signature;
  signature.ranks_min = *ranks.begin();
  signature.ranks_max = *ranks.rbegin();
  signature.size_bytes_min = *sizes.begin();
  signature.size_bytes_max = *sizes.rbegin();
}

// nullopt: the signature predicts.
std::optional<RatioForm> ratio_form(const Choice& choice, std::span<const AlltoallCell> cells,
                                    std::span<const AlltoallCell> all, const FitOptions& options) {
  if (options.predicted_by == PredictedBy::kSignature) return {};
  const Model& model = choice.fit.model;
  std::vector<std::uint64_t> delta_sizes = choice.delta_sizes;
  if (model.delta_from_bytes == kNoDelta) delta_sizes.clear();
  const bool demanded = options.predicted_by == PredictedBy::kRatios;
  return ratio_form(choice.shape, model, cells, delta_sizes, all, demanded);
}

// Of all sizes, in place of gamma and delta, which remain as the description of the network.
void predict_by(const RatioForm& ratios, SignatureFit* fit) {
  Signature& signature = fit->signature;
  std::string errors;
  if (ratios.error_upward > 0) {
    errors = fmt::format(" (error at a larger number of ranks that was left out: {} instead of {})",
                         format_fraction(std::expm1(ratios.error_upward)),
                         format_fraction(std::expm1(ratios.signature_error_upward)));
  }
  fit->remarks.push_back(
      "predictions: each size keeps its own measured ratio to the bound, in place of gamma and "
      "delta" +
      errors);
  signature.small = ratios.by_size;
  signature.ratio_growth = RatioGrowth{.rises = rises_at(fit->ranks, ratios.growth),
                                       .growth = ratios.growth.exponent,
                                       .growth_error = ratios.growth.error,
                                       .growth_saturates = ratios.growth.saturates};
  signature.saturated = ratios.growth.saturated_from > 0;
  std::vector<double> spreads;
  for (const SmallRatio& ratio : signature.small) spreads.push_back(ratio.spread);
  signature.error = signature.uncertainty->quantile *
                    std::hypot(signature.uncertainty->sessions, median(spreads));
}

// Keeps the delta of a choice only if chance would not have given as large a one.
void test_delta(std::span<const AlltoallCell> cells, const AlltoallTable& table,
                const FitOptions& options, std::mt19937_64& random, Choice* choice,
                SignatureFit* fit) {
  Intervals intervals =
      intervals_of(choice->fit, table, cells, choice->delta_sizes, options.resamples, random);
  fit->delta_ns = intervals.delta_ns;
  fit->delta_from_bytes = intervals.delta_from_bytes;
  if (choice->fit.model.delta_ns() > 0) {
    fit->no_delta_probability =
        no_delta_probability(choice->fit, cells, choice->delta_sizes, options.resamples, random);
  }
  if (fit->no_delta_probability > kSignificant && !choice->delta_sizes.empty()) {
    choice->fit = fitted(choice->shape, cells, {});
    if (choice->error_left_out) choice->error_left_out = error_left_out(choice->shape, cells, {});
    intervals = intervals_of(choice->fit, table, cells, {}, options.resamples, random);
    fit->delta_ns.low = 0;
    fit->delta_from_bytes = {};
  }
  fit->gamma = intervals.gamma;
  fit->error_left_out = choice->error_left_out;
  fit->signature.uncertainty = intervals.uncertainty;
  fit->signature.uncertainty->left_out = choice->error_left_out.value_or(0);
}

}  // namespace

std::string_view to_string(DeltaForm form) {
  return form == DeltaForm::kOnce ? "once" : "per_communication";
}

std::optional<DeltaForm> parse_delta_form(std::string_view text) {
  for (const DeltaForm form : {DeltaForm::kPerCommunication, DeltaForm::kOnce}) {
    if (to_string(form) == text) return form;
  }
  return std::nullopt;
}

SignatureFit fit_signature(const AlltoallTimes& given, const FitOptions& options) {
  const UplinkSearch search = with_uplinks(given);
  const AlltoallTimes& measured = search.times;
  const AlltoallTable table(measured, options);
  std::mt19937_64 random(options.seed);
  std::vector<AlltoallCell> cells = table.cells();
  std::vector<std::uint64_t> small;
  Choice choice = fit_above_small(&cells, options, &small);

  SignatureFit fit{.signature = {.algorithm = measured.algorithm,
                                 .ranks_per_node = measured.ranks_per_node,
                                 .bound = measured.message.monotone(),
                                 .cores = measured.cores},
                   .times = table.times(),
                   .outliers = table.outliers(),
                   .sessions = table.sessions(),
                   .connections = measured.probes,
                   .topology = measured.topology,
                   .uplink_fitted = search.found.has_value(),
                   .groups_measured = measured.groups_measured,
                   .uplink_measured = measured.uplink_measured,
                   .remarks = measured.remarks};
  for (const AlltoallCell& cell : table.cells()) {
    fit.measured.push_back({cell.ranks, cell.size_bytes, cell.duration_ns, cell.bound_ns});
  }
  if (has_two_numbers(fit.connections)) {
    fit.two_states = two_states(fit.connections, fit.signature.bound.at(0));
  }
  test_delta(cells, table, options, random, &choice, &fit);
  add_range(cells, &fit);
  add_model(choice, cells, &fit);
  const Model& model = choice.fit.model;
  for (const std::uint64_t size_bytes : small) {
    fit.signature.small.push_back(ratio_at(size_bytes, model.processor_ns(), {}, table.cells()));
  }
  fit.signature.error = prediction_error(fit);
  const std::optional<RatioForm> ratios = ratio_form(choice, cells, table.cells(), options);
  if (ratios && fit.error_left_out) fit.error_left_out = ratios->error_left_out;
  if (ratios) predict_by(*ratios, &fit);
  remark_on(fit, choice);
  if (!search.remark.empty()) fit.remarks.push_back(search.remark);
  return fit;
}

SignatureFit taken_as_given(const Signature& signature) {
  SignatureFit fit{.signature = signature,
                   .gamma = {signature.gamma, signature.gamma},
                   .delta_ns = {signature.delta_ns, signature.delta_ns}};
  if (signature.ranks_max > 0) fit.ranks = {signature.ranks_min, signature.ranks_max};
  return fit;
}

}  // namespace nmt::contention
