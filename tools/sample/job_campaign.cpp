// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "contention/contention.h"
#include "control/control.h"
#include "core/error.h"
#include "core/fields.h"
#include "node/node.h"
#include "tools/command/collectives_library.h"
#include "tools/command/this_machine.h"
#include "tools/sample/job_shapes.h"
#include "tools/sample/oversubscription.h"
#include "tools/sample/peer.h"

namespace nmt::tools {
namespace {

using control::MpiJob;

constexpr double kForGroups = 0.25;             // of the time for alltoalls, at most
constexpr std::size_t kNodesWithGroupsMin = 4;  // of fewer, no two could be told from two others

// The part of the budget for each part, relative to the others.
double weight_of(Part part) {
  return part == Part::kPairs || part == Part::kAlltoall || part == Part::kCollectives ? 2 : 1;
}

// Of what is measured before there is a campaign to store it in.
class UntilInterrupted : public sampler::Observer {
 public:
  explicit UntilInterrupted(const Interruption& interruption) : interruption_(interruption) {}
  void measured(const Rail&, std::span<const Sample>) override {}
  void progress(const sampler::Progress&) override {}
  bool interrupted() override { return interruption_.signal() != 0; }

 private:
  const Interruption& interruption_;
};

}  // namespace

JobCampaign::JobCampaign(const MpiJob& job, const SampleOptions& options,
                         const Invocation& invocation, std::string mpi)
    : job_(job),
      options_(options),
      invocation_(invocation),
      mpi_(std::move(mpi)),
      seed_(options.seed.value_or(random_seed())),
      shape_(sampler::JobShape::of(job)),
      cores_(cores_of(job)) {
  const bool speaks = std::ranges::any_of(
      shape_.nodes, [&](const std::vector<int>& node) { return node.front() == job.rank(); });
  hosts_ = job.to_all(this_node().host);
  platforms_ = job.to_all(speaks ? digest(this_platform().fingerprint) : "");
  for_collectives_ = job.to_all(speaks ? digest(node::fingerprint_for_collectives()) : "");
}

std::string JobCampaign::hosts_of_nodes(std::size_t nodes) const {
  std::string list;
  for (std::size_t i = 0; i < nodes; ++i) {
    if (!list.empty()) list += ',';
    list += hosts_[static_cast<std::size_t>(shape_.nodes[i].front())];
  }
  return list;
}

Report JobCampaign::lead() {
  try {
    const std::vector<Part> parts = parts_from(options_.parts);
    const bool exchanges = std::ranges::find(parts, Part::kAlltoall) != parts.end();
    const sampler::AlltoallOptions alltoalls = alltoall_options({});
    if (exchanges || !alltoalls.ranks.empty() || !alltoalls.sizes_bytes.empty()) {
      check(alltoalls, shape_);
    }
    sampler::shapes_from(options_.shapes, shape_);  // refused before anything is measured
    operations_from(options_.operations, sampler::sampled_operations());
    numbers_of_ranks();
    const profiledb::Location profile = profiledb::locate_for_writing(options_.db, options_.system);
    ProgressLine line(invocation_.quiet, ProgressLine::Terminal::kBehindLauncher);
    profiledb::ProfileDb db = open_for_writing(profile, invocation_, line);
    const Interruption interruption;
    const Launch launch{options_, invocation_, profile, db, line, interruption};
    JobFindings findings{.library = job_.library(),
                         .ranks = job_.size(),
                         .cores = cores_,
                         .nodes = shape_.nodes.size()};
    measure(launch, parts, &findings);
    send_order({.end = true});
    return job_report(findings, db, profile);
  } catch (const Error&) {
    send_order({.end = true});
    throw;
  }
}

Report JobCampaign::follow() {
  const Interruption interruption;  // rank 0 ends the campaign
  for (std::string word;;) {
    job_.broadcast(word);
    const JobOrder order = job_order_from(word);
    if (order.end) break;
    if (order.part == Part::kNode || order.part == Part::kPairs) {
      run_part(order, interruption, nullptr);
    } else if (order.flows) {
      run_flows(order, nullptr);
    } else {
      run_together(order, nullptr);
    }
  }
  Report silent;
  silent.silent = true;
  return silent;
}

void JobCampaign::send_order(const JobOrder& order) const {
  std::string word = to_text(order);
  job_.broadcast(word);
}

sampler::AlltoallOptions JobCampaign::alltoall_options(const JobOrder& order) const {
  return {.budget_ns = order.budget_ns,
          .ranks = numbers_from("--ranks", options_.ranks),
          .sizes_bytes = options_.alltoall_sizes_bytes,
          .seed = seed_};
}

std::vector<FlowTime> JobCampaign::run_flows(const JobOrder& order, sampler::Observer* observer) {
  return sampler::run_flows(job_, {.budget_ns = order.budget_ns, .seed = seed_}, observer);
}

sampler::CampaignReport JobCampaign::run_together(const JobOrder& order,
                                                  sampler::Observer* observer) {
  sampler::release_buffers();  // of the rails; this part has its own
  if (order.part == Part::kAlltoall) {
    return sampler::run_alltoall(job_, mpi_, alltoall_options(order), observer);
  }
  if (order.part == Part::kCollectives) {
    if (std::ranges::find(order.ranks, job_.rank()) == order.ranks.end()) return {};
    CollectivesLibrary library(job_);
    library.play_within(order.ranks);
    const control::JobPart part(job_, order.ranks);
    const std::vector<std::string> operations =
        operations_from(options_.operations, sampler::sampled_operations());
    return sampler::run_collectives(job_, mpi_,
                                    {.budget_ns = order.budget_ns,
                                     .size_bytes_max = options_.sampling.size_bytes_max,
                                     .seed = seed_,
                                     .run = library.collective_runner(),
                                     .operations = operations,
                                     .other_leaders = library.other_leaders(),
                                     .library_algorithms = library.library_algorithms(operations)},
                                    observer);
  }
  return sampler::run_mpi_messages(job_, mpi_,
                                   {.budget_ns = order.budget_ns,
                                    .size_bytes_max = options_.sampling.size_bytes_max,
                                    .seed = seed_},
                                   observer);
}

control::Connection JobCampaign::connection_to(int rank) const {
  return {std::make_unique<control::MpiWire>(job_, rank), fmt::format("rank {}", rank)};
}

// Runs this rank's work for the order, if it has any.
Gathered JobCampaign::run_part(const JobOrder& order, const Interruption& interruption,
                               profiledb::ProfileDb* profile) {
  const auto place = std::ranges::find(order.ranks, job_.rank());
  if (place == order.ranks.end()) {
    return job_.leads() ? run_shares(job_, order.ranks, {}, profile) : Gathered{};
  }
  SampleOptions options = options_;
  options.sampling.budget_ns = order.budget_ns;
  if (order.round != 0) options.round = std::to_string(order.round);
  Invocation invocation = invocation_;
  invocation.quiet = invocation.quiet || !job_.leads();
  ProgressLine line(invocation.quiet, ProgressLine::Terminal::kBehindLauncher);
  const profiledb::Location in_memory{.file = "memory", .reason = "rank 0 writes it"};
  const bool pairs = order.part == Part::kPairs;
  const PlaceInPair at(order, static_cast<std::size_t>(place - order.ranks.begin()));
  options.sampling.pairs = pairs ? !options.no_pairs : options.pairs;
  options.sampling.offload = order.offload;
  if (pairs && !at.in_full) {
    options.sampling.landmarks = sampler::Landmarks::kOnly;
    options.sampling.pairs = options.sampling.verify = false;
  }
  if (order.ranks_per_node > 1) {
    // Of the number of ranks; beside busy rails and at held-out sizes one rank measures.
    options.sampling.pairs = options.sampling.verify = false;
    options.sampling.ranks_per_node = static_cast<std::uint32_t>(order.ranks_per_node);
    options.sampling.rank = static_cast<std::uint32_t>(at.rank);
  }
  RankWork work{.measure = [&](profiledb::ProfileDb& db) {
    const node::OnCores any;  // the campaign chooses cores, not the launcher
    const Launch launch{options, invocation, in_memory, db, line, interruption};
    if (!pairs) {
      const std::uint64_t seed = options.seed.value_or(random_seed());
      return sample_rails(choose_rails(options.rails, seed), seed, launch);
    }
    control::Connection peer = connection_to(at.other);
    if (!at.near) return sample_as_far(peer, launch);
    if (at.rank > 0) {
      control::Connection leader = connection_to(at.companions.front());
      return accompany_near(leader, peer, launch);
    }
    std::vector<control::Connection> others;
    for (const int rank : at.companions) others.push_back(connection_to(rank));
    std::vector<control::Connection*> companions;
    for (control::Connection& each : others) companions.push_back(&each);
    return sample_as_near(peer, launch, companions);
  }};
  if (pairs) {
    const auto other = static_cast<std::size_t>(at.other);
    const auto self = static_cast<std::size_t>(job_.rank());
    if (at.near && at.rank == 0) work.far = hosts_[other];
    // For two nodes of one platform, the near node's measurements stand for both.
    work.keeps = at.rank == 0 && (at.near || platforms_[self] != platforms_[other]);
  }
  return run_shares(job_, order.ranks, work, profile);
}

void JobCampaign::measure(const Launch& launch, const std::vector<Part>& parts,
                          JobFindings* findings) {
  double weight = 0;
  for (const Part part : parts) weight += weight_of(part);
  for (const Part part : parts) {
    const double budget_ns = options_.sampling.budget_ns * weight_of(part) / weight;
    if (part == Part::kNode) measure_node(launch, budget_ns, findings);
    if (part == Part::kPairs) measure_pairs(launch, budget_ns, findings);
    if (part == Part::kMessages || part == Part::kAlltoall) {
      measure_mpi(launch, part, budget_ns, findings);
    }
    if (part == Part::kCollectives) measure_shapes(launch, budget_ns, findings);
    findings->signal = launch.interruption.signal();
    if (findings->signal != 0) return;
  }
}

void JobCampaign::run_all_shares(const JobOrder& order, const Launch& launch,
                                 JobFindings* findings) {
  constexpr double kPatienceNs = 300e9;
  const control::HangAlarm alarm(kPatienceNs + 4 * order.budget_ns, job_.mpi().abort);
  send_order(order);
  findings->add(run_part(order, launch.interruption, &launch.db));
}

// One node of each platform, all at the same time.
void JobCampaign::measure_node(const Launch& launch, double budget_ns, JobFindings* findings) {
  JobOrder order{.part = Part::kNode, .budget_ns = budget_ns};
  std::set<std::string> known = {""};
  for (std::size_t rank = 0; rank < platforms_.size(); ++rank) {
    if (known.insert(platforms_[rank]).second) order.ranks.push_back(static_cast<int>(rank));
  }
  run_all_shares(order, launch, findings);
}

void JobCampaign::measure_mpi(const Launch& launch, Part part, double budget_ns,
                              JobFindings* findings) {
  if (shape_.nodes.size() == 1) {
    findings->remarks.push_back(part == Part::kAlltoall
                                    ? "no contention signature: all ranks are on one node, where "
                                      "they contend for memory and "
                                      "not for a network"
                                    : "mpi: the job has only one node");
    if (part == Part::kMessages) return;
  }
  Fields more = {{contention::kHostsOption, hosts_of_nodes(shape_.nodes.size())}};
  if (part == Part::kAlltoall && shape_.nodes.size() >= kNodesWithGroupsMin) {
    const RealClock clock;
    const auto start_ns = static_cast<double>(clock.now_ns());
    more[contention::kGroupsOption] = measure_groups(launch, kForGroups * budget_ns, findings);
    budget_ns -= static_cast<double>(clock.now_ns()) - start_ns;
  }
  measure_together(launch, {.part = part, .budget_ns = budget_ns}, options_, std::move(more),
                   findings);
}

// Which nodes share a switch, as the profile keeps it.
std::string JobCampaign::measure_groups(const Launch& launch, double budget_ns,
                                        JobFindings* findings) {
  UntilInterrupted observer(launch.interruption);
  const JobOrder order{.part = Part::kAlltoall, .flows = true, .budget_ns = budget_ns};
  send_order(order);
  const contention::NodeGroups found =
      contention::find_groups(run_flows(order, &observer), shape_.nodes.size());
  const contention::NamedGroups groups = contention::named(found, of_nodes(hosts_));
  findings->groups = contention::to_text(groups);
  launch.line.clear();
  launch.invocation.notice("alltoall: " + contention::described(groups));
  return findings->groups;
}

std::string JobCampaign::host_unlike_first() const {
  const std::vector<std::string> kinds = of_nodes(for_collectives_);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != kinds.front()) return of_nodes(hosts_)[i];
  }
  return "";
}

// One campaign in the profile for each shape, so that a shape that is whole stays, however the
// others end.
void JobCampaign::measure_shapes(const Launch& launch, double budget_ns, JobFindings* findings) {
  if (const std::string other = host_unlike_first(); !other.empty()) {
    findings->remarks.push_back(fmt::format(
        "collectives: not sampled, because {} differs from {} (processor, cores, machine, "
        "frequency governor, huge pages or another field of the fingerprint; nmad-tune show), and "
        "jobs on such nodes use the MPI's own; start the job on nodes that are alike",
        other, of_nodes(hosts_).front()));
    return;
  }
  const RealClock clock;
  const auto now_ns = [&] { return static_cast<double>(clock.now_ns()); };
  const double end_ns = now_ns() + budget_ns;
  if (shape_.ranks_per_node == 0) {
    findings->remarks.push_back(
        fmt::format("collectives: nodes have unequal numbers of ranks, which is no shape to "
                    "sample; sampled within {} (nodes x ranks per node)",
                    to_string(sampler::largest_shape(shape_))));
  }
  SampleOptions options = options_;
  options.resume = false;  // of whole shapes, by the queue
  const Platform here = launch.db.ensure_platform(this_platform());
  const std::vector<std::string> operations =
      operations_from(options_.operations, sampler::sampled_operations());
  ShapeQueue queue(sampler::shapes_from(options_.shapes, shape_),
                   known_shapes(launch.db, here.id, job_.library(), operations), options_.resume,
                   budget_ns);
  launch.line.clear();
  launch.invocation.notice(queue.forecast());
  JobOrder order{.part = Part::kCollectives};
  for (sampler::SubShape shape; launch.interruption.signal() == 0 &&
                                queue.next(end_ns - now_ns(), &shape, &order.budget_ns);) {
    order.ranks = ranks_of(shape, shape_);
    findings->collectives = true;
    measure_together(
        launch, order, options,
        {{contention::kHostsOption, hosts_of_nodes(static_cast<std::size_t>(shape.nodes))},
         {"shape", to_string(shape)}},
        findings);
  }
  if (launch.interruption.signal() != 0) {
    findings->remarks.push_back(
        "collectives: the same command with --resume samples the shapes that are missing");
  } else if (const std::string left = queue.not_sampled(); !left.empty()) {
    findings->remarks.push_back(left);
  }
}

void JobCampaign::measure_together(const Launch& launch, const JobOrder& order,
                                   const SampleOptions& of_all, Fields more,
                                   JobFindings* findings) {
  more[contention::kCoresOption] = std::to_string(cores_);
  more["part"] = std::string(to_string(order.part));
  SampleOptions options = of_all;
  options.sampling.budget_ns = order.budget_ns;
  RailChoice choice;
  choice.rails.push_back({.rail = mpi_rail(mpi_)});
  const RealClock clock;
  const auto run = [&](const sampler::SamplingOptions&, const SamplesByRail&,
                       sampler::Observer& observer) {
    send_order(order);
    return run_together(order, &observer);
  };
  findings->shares.push_back(
      run_share(launch, {.options = options,
                         .choice = choice,
                         .more = std::move(more),
                         .session = {.clock = clock.name(),
                                     .clock_cost_ns = clock.cost_ns(),
                                     .clock_resolution_ns = clock.resolution_ns(),
                                     .seed = seed_},
                         .measure = run}));
}

}  // namespace nmt::tools
