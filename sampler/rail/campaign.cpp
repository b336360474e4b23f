// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/campaign.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/error.h"
#include "node/node.h"
#include "sampler/rail/multi_pair.h"
#include "sampler/rail/offload.h"
#include "sampler/rail/partner.h"
#include "sampler/rail/ping_pong.h"
#include "sampler/rail/rail_campaign.h"
#include "sampler/rail/rail_group.h"
#include "sampler/rail/rail_time.h"
#include "sampler/rail/registration.h"
#include "sampler/rail/remote.h"

namespace nmt::sampler {
namespace {

constexpr double kQualityMin = 0.9;          // a lower share of undisturbed repetitions is reported
constexpr double kUntrustedCellsMax = 0.1;   // with a higher share of all cells, do not trust it
constexpr double kTogetherWeight = 0.5;      // of all groups, compared with all rails alone
constexpr char kOtherNode[] = "other-node";  // placement of ends on different machines

// Reports the progress of the whole campaign while one rail is measured.
class ProgressReporter {
 public:
  ProgressReporter(const SamplingOptions& options, Observer& observer)
      : budget_ns_(options.budget_ns), observer_(observer) {}

  void start(std::string rail, const Clock& clock) {
    rail_ = std::move(rail);
    clock_ = &clock;
    start_ns_ = clock.now_ns();
  }
  void finish() {
    spent_ns_ += static_cast<double>(clock_->now_ns() - start_ns_);
    clock_ = nullptr;
  }
  void count(std::size_t cells) { cells_ += cells; }
  Progress report(std::string_view phase) const {
    const double now_ns = spent_ns_ + static_cast<double>(clock_->now_ns() - start_ns_);
    const Progress progress{.rail = rail_,
                            .phase = std::string(phase),
                            .done = std::clamp(now_ns / budget_ns_, 0.0, 1.0),
                            .left_ns = std::max(0.0, budget_ns_ - now_ns),
                            .cells = cells_};
    observer_.progress(progress);
    return progress;
  }

 private:
  double budget_ns_;
  Observer& observer_;
  std::string rail_;
  const Clock* clock_ = nullptr;
  std::uint64_t start_ns_ = 0;
  double spent_ns_ = 0;
  std::size_t cells_ = 0;
};

Variants variants_of(const RailToSample& rail) {
  Variants variants;
  for (const Method method : rail.driver->methods(rail.rail)) {
    auto known = rail.driver->variants(rail.rail, method);
    if (!known.empty()) variants[method] = std::move(known);
  }
  return variants;
}

// Measures groups of rails, one after the other.
class Runner {
 public:
  Runner(std::span<const RailToSample> rails, const SamplingOptions& options,
         const std::map<std::string, std::vector<Sample>>& earlier, Observer& observer,
         Companions companions)
      : rails_(rails),
        options_(options),
        earlier_(earlier),
        observer_(observer),
        companions_(companions),
        reporter_(options, observer),
        session_(rails.size()) {}

  // Measures what needs no rail; returns the time it took.
  double run_offload() {
    if (!real_) real_.emplace(options_);
    reporter_.start(std::string(kCores), real_->clock);
    reporter_.report("handing work over");
    const std::uint64_t start_ns = real_->clock.now_ns();
    const std::vector<Sample> samples =
        sample_offload(real_->clock, offload_budget_ns(options_.budget_ns));
    if (!samples.empty()) observer_.measured(cores_rail(), samples);
    reporter_.count(samples.size());
    reporter_.finish();
    return static_cast<double>(real_->clock.now_ns() - start_ns);
  }

  RailReport run(const RailGroup& group, double budget_ns) {
    const RailToSample& each = rails_[group.measured];
    RailReport report;
    const node::LinkErrors before = each.driver->link_errors(each.rail);
    try {
      report = each.driver->virtual_clock() != nullptr ? run_described(group, budget_ns)
                                                       : run_real(group, budget_ns);
    } catch (const Error& error) {
      if (error.fault() == Fault::kDatabase) throw;  // the measurements could not be stored
      report.failure = error.what();
      report.fault = error.fault();
    }
    report.link_errors = node::errors_since(before, each.driver->link_errors(each.rail));
    report.group = group;
    report.rail = each.rail.full_name();
    report.busy_rails = busy_names(group, rails_);
    if (each.peer != nullptr) close_remote(*each.peer, report.failure);
    return report;
  }

  const std::string& peer_lost() const { return peer_lost_; }

 private:
  using Cell = std::tuple<Condition, std::uint64_t, bool>;

  // If another end is lost, the first failure says more than a failure here.
  void close_remote(control::Connection& peer, const std::string& failure) {
    const auto close = [&](auto closing) {
      try {
        closing();
      } catch (const Error& error) {
        peer_lost_ = failure.empty() ? error.what() : failure;
      }
    };
    close([&] { close_remote_rail(peer); });
    close([&] { close_companions(companions_); });
  }

  RailReport run_described(const RailGroup& group, double budget_ns) {
    const Buffers buffers = Buffers::described(largest_exchange_bytes(options_));
    const auto partner = in_process_partner(group, rails_, buffers);
    PingPong ping_pong(*partner, buffers, nullptr);
    Sample prototype;
    prototype.origin = Origin::kDescribed;
    prototype.condition.placement = "described";
    return measure(group, ping_pong, std::move(prototype), false, budget_ns);
  }

  RailReport run_real(const RailGroup& group, double budget_ns) {
    if (!real_) real_.emplace(options_);
    const std::uint64_t start_ns = real_->clock.now_ns();
    const bool remote = rails_[group.measured].peer != nullptr;
    open_companions(companions_, rails_[group.measured].rail.full_name());
    const auto partner =
        remote ? remote_partner(group, rails_, real_->cores, real_->clock, options_.ranks_per_node)
               : fork_partner(group, rails_, real_->buffers, real_->cores, real_->clock);
    if (!companions_.empty()) return run_several(group, *partner, budget_ns);
    PingPong ping_pong(*partner, real_->buffers, &real_->meter);
    Sample prototype;
    prototype.condition.placement =
        remote ? kOtherNode : node::placement(real_->cores.near, real_->cores.far);
    if (group.busy.empty() && options_.landmarks != Landmarks::kOnly) {
      keep(group, sample_registration(*partner->rails().measured, real_->clock, prototype,
                                      options_.size_bytes_max, registration_budget_ns(budget_ns)));
    }
    const double spent_ns = static_cast<double>(real_->clock.now_ns() - start_ns);
    return measure(group, ping_pong, std::move(prototype), true, budget_ns - spent_ns);
  }

  RailReport run_several(const RailGroup& group, Partner& partner, double budget_ns) {
    PingPong own(partner, real_->buffers, &real_->meter, [this] { line_up(companions_); });
    MultiPair all(own, companions_);
    Sample prototype;
    prototype.condition.placement = kOtherNode;
    prototype.condition.ranks_per_node = options_.ranks_per_node;
    return measure(group, all, std::move(prototype), true, budget_ns);
  }

  RailReport measure(const RailGroup& group, Benchmark& benchmark, Sample prototype, bool real,
                     double budget_ns) {
    prototype.condition.busy_rails = busy_names(group, rails_);
    reporter_.start(name_of(group, rails_), benchmark.clock());
    RailCampaign campaign(
        benchmark, options_, setting(group, std::move(prototype), real),
        {.measured = [&](std::span<const Sample> cells) { keep(group, cells); },
         .progress = [&](std::string_view phase) { show(group, reporter_.report(phase)); },
         .interrupted = [&] { return observer_.interrupted(); }},
        budget_ns);
    RailReport report = campaign.run();
    reporter_.finish();
    return report;
  }

  RailCampaign::Setting setting(const RailGroup& group, Sample prototype, bool real) const {
    const RailToSample& each = rails_[group.measured];
    const auto earlier = earlier_.find(each.rail.full_name());
    RailCampaign::Setting setting{
        .space = {.methods = each.driver->methods(each.rail),
                  .size_bytes_max = options_.size_bytes_max,
                  .max_unexpected_bytes = options_.max_unexpected_bytes,
                  .contended = !group.busy.empty(),
                  .variants = variants_of(each)},
        .prototype = std::move(prototype),
        .earlier = earlier == earlier_.end() ? std::vector<Sample>{} : earlier->second,
        .real = real};
    for (const auto& [cell, sample] : session_[group.measured]) setting.session.push_back(sample);
    return setting;
  }

  // Stores cells on disk and at the other end, and keeps them for later groups of the rail.
  void keep(const RailGroup& group, std::span<const Sample> cells) {
    if (cells.empty()) return;
    const RailToSample& each = rails_[group.measured];
    observer_.measured(each.rail, cells);
    for (const Sample& cell : cells) {
      session_[group.measured].insert_or_assign(
          Cell{cell.condition, cell.size_bytes, cell.held_out}, cell);
      // One message per cell, each far below the size limit.
      if (each.peer != nullptr) {
        each.peer->send(remote::kCells, remote::to_text(group, std::span(&cell, 1)));
      }
    }
    reporter_.count(cells.size());
  }

  void show(const RailGroup& group, const Progress& progress) const {
    control::Connection* peer = rails_[group.measured].peer;
    if (peer != nullptr) peer->send(remote::kProgress, remote::to_text(progress));
  }

  std::span<const RailToSample> rails_;
  const SamplingOptions& options_;
  const std::map<std::string, std::vector<Sample>>& earlier_;
  Observer& observer_;
  Companions companions_;
  ProgressReporter reporter_;
  std::optional<RailTime> real_;                 // made for the first real rail
  std::vector<std::map<Cell, Sample>> session_;  // by rail number
  std::string peer_lost_;
};

// What remains to be measured, and its weight in the time.
struct Share {
  RailGroup group;
  double weight = 1;
};

std::vector<Share> alone(std::size_t rails) {
  std::vector<Share> shares;
  for (std::size_t i = 0; i < rails; ++i) shares.push_back({.group = {.measured = i}});
  return shares;
}

std::vector<Share> together(std::span<const RailToSample> rails, const std::vector<bool>& usable) {
  std::vector<Share> shares;
  for (RailGroup& group : contended_groups(rails, usable)) shares.push_back({std::move(group)});
  for (Share& share : shares) {
    share.weight =
        kTogetherWeight * static_cast<double>(rails.size()) / static_cast<double>(shares.size());
  }
  return shares;
}

double weight_of(std::span<const Share> shares) {
  double weight = 0;
  for (const Share& share : shares) weight += share.weight;
  return weight;
}

// Best effort: a lost peer does not receive it.
void tell_end(std::span<const RailToSample> rails, CampaignReport* report) {
  if (rails.empty() || rails.front().peer == nullptr || !report->peer_lost.empty()) return;
  try {
    rails.front().peer->send(remote::kEnd, remote::to_text(*report));
  } catch (const Error& error) {
    report->peer_lost = error.what();
  }
}

}  // namespace

CampaignReport run_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                            const std::map<std::string, std::vector<Sample>>& earlier,
                            Observer& observer, Companions companions) {
  NMT_CHECK(options.size_bytes_max >= 1 && options.budget_ns > 0 && options.precision > 0);
  CompanionsEnd end(companions);
  Runner runner(rails, options, earlier, observer, companions);
  CampaignReport report;
  double quality_ns = 0;
  std::size_t cells = 0;
  std::size_t untrusted_cells = 0;
  std::vector<bool> usable(rails.size(), true);
  // Unused time of one share goes to the shares after it.
  const auto run = [&](std::span<const Share> shares, double weight_later) {
    for (std::size_t i = 0; i < shares.size() && runner.peer_lost().empty(); ++i) {
      if (observer.interrupted()) break;
      const double left_ns = options.budget_ns - report.elapsed_ns;
      const double part = shares[i].weight / (weight_of(shares.subspan(i)) + weight_later);
      const RailReport& rail =
          report.rails.emplace_back(runner.run(shares[i].group, left_ns * part));
      if (!rail.failure.empty()) usable[rail.group.measured] = false;
      report.elapsed_ns += rail.elapsed_ns;
      quality_ns += rail.quality() * rail.elapsed_ns;
      cells += rail.cells;
      untrusted_cells += rail.untrusted_cells;
    }
  };
  if (options.offload) report.elapsed_ns += runner.run_offload();
  const bool pairs = options.pairs && rails.size() > 1;
  run(alone(rails.size()), pairs ? weight_of(together(rails, usable)) : 0);
  if (pairs) run(together(rails, usable), 0);
  report.interrupted = observer.interrupted();
  if (report.elapsed_ns > 0) report.quality = quality_ns / report.elapsed_ns;
  report.peer_lost = runner.peer_lost();
  report.disturbed = report.quality < kQualityMin;
  report.trusted =
      static_cast<double>(untrusted_cells) <= kUntrustedCellsMax * static_cast<double>(cells);
  tell_end(rails, &report);
  end.report(remote::to_text(report));
  return report;
}

}  // namespace nmt::sampler
