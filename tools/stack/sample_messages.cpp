// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/sample_messages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <string_view>

#include "core/error.h"
#include "core/method.h"
#include "core/statistics.h"
#include "core/units.h"
#include "sampler/sampler.h"
#include "tools/sample/campaign.h"
#include "tools/sample/interruption.h"
#include "tools/sample/oversubscription.h"
#include "tools/sample/progress_line.h"
#include "tools/stack/installed_version.h"
#include "tools/stack/limit_candidates.h"
#include "tools/stack/report_settings.h"
#include "tools/stack/sample_collectives.h"
#include "tools/stack/stack_recorder.h"

namespace nmt::tools {
namespace {

// The two ways of sending eagerly, in UCX's words, if one of them was forced.
constexpr std::string_view kBuffered = "bcopy", kUncopied = "zcopy";

constexpr std::string_view kProtocolsPart = "protocols";  // of --parts: no limit is tried

constexpr std::uint64_t kAskedBytes = 16;  // room for the first bytes, which a rendezvous brings
constexpr std::uint64_t kMoved = 4;  // times as small or as large a size shows that forcing it acts
constexpr std::uint64_t kRaisedBytes = 4096;  // of a limit that is too small to be lowered

constexpr std::uint64_t kRounds = 7;
// Rounds for protocols and limits, whose launches are short: if two protocols are nearly equal,
// their difference is about 2 %.
constexpr std::uint64_t kThresholdRounds = 11;
constexpr std::uint64_t kLimitsBytesMax = 1 << 20;  // above, limits are not looked at
constexpr std::uint64_t kInterfaceRounds = 5;

class StackCampaign {
 public:
  StackCampaign(const SampleOptions& options, const Invocation& invocation,
                profiledb::ProfileDb& db)
      : options_(options),
        invocation_(invocation),
        db_(db),
        line_(invocation.quiet),
        job_(sampler::stack_job(stacks::find_stack(options.stack), options.peer.launcher)),
        sizes_bytes_(sampler::stack_grid(options.sampling.size_bytes_max)),
        random_(options.seed.value_or(random_seed())) {
    job_.interrupted = [this] { return interruption_.signal() != 0; };
    job_.installed = [this] { return installed_version(job_.stack.name); };
  }

  Report run(const profiledb::Location& profile);

 private:
  struct Stage {
    std::string name;
    std::vector<StackVariant> variants;
    std::vector<std::uint64_t> sizes_bytes;
    std::uint64_t rounds = 0;
    bool again_if_moved = false;  // rounds in which the cores moved are made up for
  };

  void begin();
  void prove_effect();
  std::map<std::string, std::uint64_t> eager_under(const Fields& settings);
  void announce() const;
  void measure(const Stage& stage);
  void weigh_interfaces();
  std::optional<stacks::GroupVerdict> verdict_on(std::string_view group) const;
  void force_protocols();
  void try_limits();
  LimitCandidates candidates() const { return {job_.stack, first_, recorder_->samples()}; }
  std::vector<StackVariant> variants_of(const std::vector<Fields>& limits) const;
  bool weighs() const {
    return job_.stack.weighs_interfaces && first_.network == stacks::Transport::kTcp &&
           first_.interfaces.size() > 1;
  }
  bool tries_limits() const { return options_.parts != kProtocolsPart; }
  bool copies() const { return !job_.stack.copied_up_to(0).empty(); }
  std::uint64_t header(stacks::Transport transport) const;
  Fields ask_first() const { return eager_up_to(kAskedBytes); }
  Fields eager_up_to(std::uint64_t bytes) const;
  std::uint64_t rounds() const { return options_.rounds.value_or(kRounds); }
  std::uint64_t threshold_rounds() const { return options_.rounds.value_or(kThresholdRounds); }
  std::vector<std::uint64_t> sizes_up_to(std::uint64_t most_bytes) const;
  double launch_ns(std::uint64_t most_bytes) const;
  std::size_t cores_of_a_pair() const;
  std::size_t weights_launches() const;
  std::size_t thresholds_launches() const;
  std::size_t launches() const {
    return 2 + proofs_ + weights_launches() + thresholds_launches() + again_;
  }
  void add_protocols(std::span<const stacks::GroupVerdict> verdicts, Report* report) const;
  Report report(const profiledb::Location& profile) const;

  const SampleOptions& options_;
  const Invocation& invocation_;
  profiledb::ProfileDb& db_;
  ProgressLine line_;
  Interruption interruption_;
  sampler::StackJob job_;
  std::vector<std::uint64_t> sizes_bytes_;
  std::mt19937_64 random_;
  sampler::LaunchedRound first_;
  sampler::LaunchedRound usual_;  // the quicker one of two
  std::optional<StackRecorder> recorder_;
  Fields weights_;  // if they were kept
  std::uint32_t round_ = 0;
  std::size_t launched_ = 0;
  std::size_t proofs_ = 0;  // launches that show whether limits act
  std::size_t again_ = 0;   // launches for rounds in which the cores moved, and those that try
                            // limits in place of those that lost
  double elapsed_ns_ = 0;
};

// Launches with defaults, to find what can be measured and how long a launch takes. Two launches,
// because the first one may wait for things that later ones have.
void StackCampaign::begin() {
  first_ = sampler::probe_stack(job_, sizes_bytes_);
  job_.stack = stacks::for_ucx_version(job_.stack, first_.ucx_version);
  elapsed_ns_ += first_.elapsed_ns;
  prove_effect();
  Fields facts = sampler::facts_of(job_.stack, first_);
  facts["part"] = "messages";
  recorder_.emplace(db_, job_, first_, facts, invocation_);
  recorder_->add(first_, {}, round_++);
  usual_ = sampler::launch_round(job_, {}, {.sizes_bytes = sizes_bytes_});
  recorder_->add(usual_, {}, round_++);
  elapsed_ns_ += usual_.elapsed_ns;
  launched_ += 2;
  if (first_.elapsed_ns < usual_.elapsed_ns) usual_ = first_;
}

// A limit counts only where forcing it moves the size up to which messages leave unasked, whatever
// the stack, its version and its documentation say. Where that size is small already, it has to
// grow.
void StackCampaign::prove_effect() {
  constexpr std::uint64_t kSmallBytes = kMoved * kAskedBytes;
  const bool some_are_small = std::ranges::any_of(
      first_.timings.eager, [](const auto& usual) { return usual.bytes_max <= kSmallBytes; });
  std::string forced = stacks::to_variant(ask_first());
  const std::map<std::string, std::uint64_t> lowered = eager_under(ask_first());
  std::map<std::string, std::uint64_t> raised;
  if (some_are_small) {
    raised = eager_under(eager_up_to(kRaisedBytes));
    forced += " or " + stacks::to_variant(eager_up_to(kRaisedBytes));
  }
  std::vector<std::string> unmoved;
  std::erase_if(first_.timings.eager, [&](const sampler::LaunchRound::Eager& usual) {
    const bool is_small = usual.bytes_max <= kSmallBytes;
    const auto& all = is_small ? raised : lowered;
    const auto now = all.find(usual.placement);
    const bool moved = now != all.end() && (is_small ? now->second > kMoved * kSmallBytes
                                                     : kMoved * now->second <= usual.bytes_max);
    if (!moved) unmoved.push_back(usual.placement);
    return !moved;
  });
  if (unmoved.empty()) return;
  const std::string found = fmt::format(
      "{}{}: {} did not move the size from which messages of {} ask first", first_.library,
      first_.messages_by.empty() ? "" : " sends its messages by " + first_.messages_by, forced,
      fmt::join(unmoved, " and "));
  if (!first_.timings.eager.empty()) {
    invocation_.notice(found + "; it is left alone there");
    return;
  }
  throw Error(Fault::kUsage,
              fmt::format("{}, so its limits have no effect in this job; {}", found,
                          job_.stack.name != "openmpi" ? "is this the stack that carries them?"
                          : first_.messages_by == "cm"
                              ? "measure the limits of libfabric with --stack libfabric, if that "
                                "carries them, or add --mca pml ob1 to --launcher to make it send "
                                "them itself"
                              : "measure the limits of UCX with --stack ucx, or add --mca pml ob1 "
                                "to --launcher to make it send them itself"));
}

// By placement, the largest message that leaves unasked.
std::map<std::string, std::uint64_t> StackCampaign::eager_under(const Fields& settings) {
  const sampler::LaunchedRound forced =
      sampler::launch_round(job_, settings, {.sizes_bytes = {1}, .find_eager = true});
  elapsed_ns_ += forced.elapsed_ns;
  ++launched_;
  ++proofs_;
  std::map<std::string, std::uint64_t> bytes_max;
  for (const sampler::LaunchRound::Eager& each : forced.timings.eager) {
    bytes_max[each.placement] = each.bytes_max;
  }
  return bytes_max;
}

// Rendezvous for all larger messages, on all transports; with few bytes, for all but the shortest.
Fields StackCampaign::eager_up_to(std::uint64_t bytes) const {
  Fields settings;
  for (const stacks::Transport transport : transports_of(first_)) {
    settings.merge(job_.stack.eager_up_to(transport, bytes, header(transport)));
  }
  return settings;
}

std::uint64_t StackCampaign::header(stacks::Transport transport) const {
  return sampler::header_bytes(job_.stack, first_, transport);
}

std::vector<std::uint64_t> StackCampaign::sizes_up_to(std::uint64_t most_bytes) const {
  std::vector<std::uint64_t> sizes_bytes = sizes_bytes_;
  std::erase_if(sizes_bytes, [&](std::uint64_t size) { return size > most_bytes; });
  return sizes_bytes;
}

// Expected duration of a launch with messages up to this size: the usual one without the larger
// ones.
double StackCampaign::launch_ns(std::uint64_t most_bytes) const {
  double ns = usual_.elapsed_ns;
  for (const sampler::LaunchRoundCell& cell : usual_.timings.cells) {
    if (cell.size_bytes <= most_bytes) continue;
    for (const std::uint64_t total_ns : cell.totals_ns) ns -= static_cast<double>(total_ns);
  }
  return ns;
}

// Two ranks of a node between whose cores nothing was passed share one.
std::size_t StackCampaign::cores_of_a_pair() const {
  const bool on_one_node = std::ranges::any_of(
      first_.timings.cells,
      [](const sampler::LaunchRoundCell& cell) { return cell.placement == sampler::kSameNode; });
  return on_one_node && first_.timings.core_exchanges_ns.empty() ? 1 : first_.cores;
}

std::size_t StackCampaign::weights_launches() const {
  if (!weighs()) return 0;
  return first_.interfaces.size() * std::min(kInterfaceRounds, rounds()) + 2 * rounds();
}

std::size_t StackCampaign::thresholds_launches() const {
  if (!tries_limits()) return (copies() ? 4 : 2) * threshold_rounds();
  std::size_t variants = job_.stack.limit(stacks::Transport::kTcp).empty() ? 5 : 4;
  if (copies()) variants += 4;
  return variants * threshold_rounds();
}

void StackCampaign::announce() const {
  const double long_ns = static_cast<double>(weights_launches()) * usual_.elapsed_ns;
  const double short_ns = static_cast<double>(thresholds_launches()) * launch_ns(kLimitsBytesMax);
  invocation_.notice(fmt::format("{} on {}: {} launches of up to {} each, about {} in all",
                                 first_.library, fmt::join(first_.hosts, " and "), launches(),
                                 format_duration(usual_.elapsed_ns),
                                 format_duration(long_ns + short_ns)));
}

void StackCampaign::measure(const Stage& stage) {
  std::vector<StackVariant> variants = stage.variants;
  const std::uint32_t first_round = round_;
  const auto rounds_in_all = [&] {
    return stage.again_if_moved ? recorder_->rounds_in_all(first_round, stage.rounds)
                                : stage.rounds;
  };
  for (std::uint64_t i = 0; i < rounds_in_all(); ++i, ++round_) {
    if (i == stage.rounds) {
      invocation_.notice(fmt::format(
          "the cores of this machine moved during {} of {} rounds; up to as many more follow",
          recorder_->moved_rounds(first_round), stage.rounds));
    }
    if (i >= stage.rounds) again_ += variants.size();
    std::shuffle(variants.begin(), variants.end(), random_);
    for (const StackVariant& variant : variants) {
      const sampler::LaunchedRound launched =
          sampler::launch_round(job_, variant.settings, {.sizes_bytes = stage.sizes_bytes});
      recorder_->add(launched, variant, round_);
      ++launched_;
      elapsed_ns_ += launched.elapsed_ns;
      const double left = static_cast<double>(launches()) - static_cast<double>(launched_);
      line_.show({.rail = std::string(job_.stack.name),
                  .phase = stage.name,
                  .done = static_cast<double>(launched_) / static_cast<double>(launches()),
                  .left_ns = std::max(0.0, left) * elapsed_ns_ / static_cast<double>(launched_),
                  .cells = recorder_->cells()});
    }
  }
}

// Measures each interface alone: weights and latencies that leave nothing to the others work
// whatever interfaces the launcher selects.
void StackCampaign::weigh_interfaces() {
  constexpr double kAll = 1e6, kNothing = 1;
  if (!weighs()) return;
  Stage alone{.name = "interfaces", .rounds = std::min(kInterfaceRounds, rounds())};
  alone.sizes_bytes = {1, options_.sampling.size_bytes_max / 4, options_.sampling.size_bytes_max};
  for (const std::string& only : first_.interfaces) {
    std::vector<std::pair<std::string, double>> speeds;
    StackVariant variant{.interface = only};
    for (const std::string& each : first_.interfaces) {
      speeds.emplace_back(each, each == only ? kAll : kNothing);
      variant.settings["btl_tcp_latency_" + each] = each == only ? "1" : "100";
    }
    variant.settings.merge(stacks::interface_weights(speeds));
    alone.variants.push_back(std::move(variant));
  }
  measure(alone);

  std::map<std::string, double> mbits_per_second;
  for (const stacks::StackSamples& samples : recorder_->samples()) {
    for (const auto& [key, times] : samples.times) {
      const std::size_t colon = samples.rail.find(':');
      if (colon == std::string::npos || times.empty()) continue;
      std::vector<double> durations_ns;
      for (const auto& [round, duration_ns] : times.rbegin()->second) {
        durations_ns.push_back(duration_ns);
      }
      mbits_per_second[samples.rail.substr(colon + 1)] =
          8e3 * static_cast<double>(times.rbegin()->first) / median(durations_ns);
    }
  }
  const Fields weights =
      stacks::interface_weights({mbits_per_second.begin(), mbits_per_second.end()});
  const Stage compared{.name = "weights",
                       .variants = {{}, {.settings = weights}},
                       .sizes_bytes = sizes_bytes_,
                       .rounds = rounds()};
  measure(compared);
  std::optional<stacks::GroupVerdict> verdict = verdict_on(stacks::kWeightsGroup);
  // A launch is fast or slow as a whole, so settings sometimes seem to lose at sizes that they do
  // not affect. More launches give certainty.
  if (verdict && !verdict->kept && verdict->gain.faster()) {
    measure(compared);
    verdict = verdict_on(stacks::kWeightsGroup);
  }
  if (verdict && verdict->kept) weights_ = verdict->settings;
}

std::optional<stacks::GroupVerdict> StackCampaign::verdict_on(std::string_view group) const {
  for (stacks::GroupVerdict& verdict : stacks::judge_groups(recorder_->samples())) {
    if (verdict.group == group) return std::move(verdict);
  }
  return std::nullopt;
}

void StackCampaign::force_protocols() {
  StackVariant eager{.settings = weights_, .method = std::string(to_string(Method::kCopy))};
  StackVariant asked{.settings = weights_, .method = std::string(to_string(Method::kRendezvous))};
  asked.settings.merge(ask_first());
  std::uint64_t most_bytes = 0;
  for (const stacks::Transport transport : transports_of(first_)) {
    const std::uint64_t bytes = forced_bytes_max(first_, transport);
    const std::uint64_t header_bytes = header(transport);
    most_bytes = std::max(most_bytes, bytes);
    // If one setting is for all transports, the larger value serves both.
    for (const auto& [name, value] : job_.stack.eager_up_to(transport, bytes, header_bytes)) {
      std::string& now = eager.settings[name];
      if (now.size() < value.size() || now < value) now = value;
    }
  }
  Stage stage{.name = "protocols",
              .variants = {eager, asked},
              .sizes_bytes = sizes_up_to(most_bytes),
              .rounds = threshold_rounds(),
              .again_if_moved = true};
  if (copies()) {
    for (const std::string_view method : {kBuffered, kUncopied}) {
      StackVariant& variant = stage.variants.emplace_back(eager);
      variant.method = method;
      variant.settings.merge(job_.stack.copied_up_to(method == kBuffered ? most_bytes : 0));
    }
  }
  measure(stage);
  recorder_->settle_state();
}

// With the stack's own limits first. Where transports have limits of their own, one launch tries
// those of all.
std::vector<StackVariant> StackCampaign::variants_of(const std::vector<Fields>& limits) const {
  std::vector<StackVariant> variants = {{.settings = weights_}};
  const bool together = !job_.stack.limit(stacks::Transport::kTcp).empty();
  for (const Fields& limit : limits) {
    if (!together || variants.size() == 1) variants.push_back({.settings = weights_});
    variants.back().settings.insert(limit.begin(), limit.end());
  }
  return variants;
}

void StackCampaign::try_limits() {
  const LimitCandidates found = candidates();
  const std::vector<Fields> limits =
      found.best([this](const std::string& words) { invocation_.notice(words); });
  Stage stage{.name = "limits",
              .variants = variants_of(limits),
              .sizes_bytes = sizes_up_to(kLimitsBytesMax),
              .rounds = threshold_rounds(),
              .again_if_moved = true};
  // UCX always copies active messages in shared memory, so only the network shows a difference.
  const stacks::StackProtocols eager{found.forced(first_.network, kBuffered),
                                     found.forced(first_.network, kUncopied)};
  const auto copied = stacks::choose_threshold(std::span(&eager, 1));
  if (copied) {
    stage.variants.push_back({.settings = weights_});
    stage.variants.back().settings.merge(job_.stack.copied_up_to(copied->eager_bytes_max));
  }
  if (stage.variants.size() > 1) measure(stage);

  const std::vector<Fields> nearer = candidates().nearer(limits);
  if (nearer.empty()) return;
  stage.variants = variants_of(nearer);
  const std::size_t more = stage.variants.size() * stage.rounds;
  again_ += more;
  std::vector<std::string> words;
  for (const Fields& limit : nearer) words.push_back(stacks::to_variant(limit));
  invocation_.notice(fmt::format("a limit made some size slower; {} more launches try {} instead",
                                 more, fmt::join(words, " and ")));
  measure(stage);
}

Report StackCampaign::run(const profiledb::Location& profile) {
  begin();
  announce();
  try {
    weigh_interfaces();
    force_protocols();
    if (tries_limits()) try_limits();
  } catch (const Error& error) {
    const int signal = interruption_.signal();
    recorder_->finish(false, signal != 0 ? "interrupted" : error.what());
    line_.clear();
    if (signal == 0) throw;
    Report interrupted = report(profile);
    interrupted.problem = Problem::signal(
        signal, "interrupted; what was measured is stored, but no setting is derived from it");
    return interrupted;
  }
  recorder_->finish(true, "");
  line_.clear();
  return report(profile);
}

// Every size with each protocol, and up to which size each transport is eager with the kept
// settings.
void StackCampaign::add_protocols(std::span<const stacks::GroupVerdict> verdicts,
                                  Report* report) const {
  const LimitCandidates measured = candidates();
  json::Value protocols = json::Value::array(), in_force = json::Value::array();
  for (const stacks::Transport transport : transports_of(first_)) {
    const stacks::StackTimes eager = measured.forced(transport, to_string(Method::kCopy));
    const stacks::StackTimes asked = measured.forced(transport, to_string(Method::kRendezvous));
    const Fields lowest = job_.stack.eager_up_to(transport, kAskedBytes, header(transport));
    const std::uint64_t same_bytes_max =
        stacks::eager_bytes_under(job_.stack, transport, lowest.begin()->second, header(transport));
    for (const auto& [size_bytes, rounds] : eager) {
      const auto other = asked.find(size_bytes);
      if (other == asked.end() || size_bytes <= same_bytes_max) continue;
      protocols.push_back(json::Value::object()
                              .set("transport", to_string(transport))
                              .set("size_bytes", size_bytes)
                              .set("eager_gain", stacks::ratio_of(other->second, rounds).value));
    }
    for (const sampler::LaunchRound::Eager& each : first_.timings.eager) {
      if (first_.transport_of(each.placement) != transport) continue;
      std::uint64_t bytes = each.bytes_max;
      for (const stacks::GroupVerdict& verdict : verdicts) {
        const Fields limit = job_.stack.eager_up_to(transport, 0, header(transport));
        const auto set = verdict.settings.find(limit.begin()->first);
        if (!verdict.kept || set == verdict.settings.end()) continue;
        bytes = stacks::eager_bytes_under(job_.stack, transport, set->second, header(transport));
      }
      in_force.push_back(json::Value::object()
                             .set("transport", to_string(transport))
                             .set("eager_bytes_max", bytes));
    }
  }
  report->payload.set("protocols", std::move(protocols)).set("in_force", std::move(in_force));
}

Report StackCampaign::report(const profiledb::Location& profile) const {
  Report report;
  const std::vector<stacks::GroupVerdict> verdicts = stacks::judge_groups(recorder_->samples());
  report.text.heading(
      fmt::format("Sampled {} on {}", first_.library, fmt::join(first_.hosts, " and ")));
  add_verdicts(verdicts, &report);
  add_protocols(verdicts, &report);
  constexpr std::int64_t kAwake = 2;  // ranks: the others sleep
  warn_of_oversubscription(std::min(first_.ranks, kAwake), cores_of_a_pair(), &report);
  warn_of_untried(job_.stack.name, first_.version_of(job_.stack.name), &report);
  report.payload.set("stack", job_.stack.name).set("library", first_.library);
  report.payload.set("campaign", recorder_->campaign().id.hex());
  report.payload.set("elapsed_ns", elapsed_ns_);
  report.payload.set("core_exchange_ns", recorder_->core_exchange_ns());
  report.summary = {{"stack", std::string(job_.stack.name)},
                    {"launches", std::to_string(launched_)},
                    {"repetitions", std::to_string(recorder_->repetitions())},
                    {"elapsed_s", fmt::format("{:.1f}", elapsed_ns_ / 1e9)},
                    {"campaign", recorder_->campaign().id.hex()},
                    {"profile", profile.file}};
  return report;
}

}  // namespace

Report sample_stack(const SampleOptions& options, const Invocation& invocation) {
  sampler::refuse_one_of_several();
  stacks::find_stack(options.stack);
  if (options.rounds.value_or(kRounds) < stacks::kRoundsMin) {
    throw Error(Fault::kUsage, fmt::format("--rounds: at least {}", stacks::kRoundsMin));
  }
  const profiledb::Location profile = profiledb::locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  profiledb::ProfileDb db = open_for_writing(profile, invocation, line);
  if (options.parts == "collectives") {
    return sample_stack_collectives(options, invocation, profile, db);
  }
  if (!options.parts.empty() && options.parts != "messages" && options.parts != kProtocolsPart) {
    throw Error(Fault::kUsage, "--parts: with --stack, messages, protocols or collectives");
  }
  return StackCampaign(options, invocation, db).run(profile);
}

}  // namespace nmt::tools
