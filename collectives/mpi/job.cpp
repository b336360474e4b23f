// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/job.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "collectives/device_memory.h"
#include "collectives/mpi/decision_log.h"
#include "core/collective_sample.h"
#include "core/error.h"

namespace nmt::collectives {
namespace {

// The largest block may have so many times the bytes of the mean. The largest that is sampled has
// twice as many.
constexpr std::uint64_t kTimesMean = 4;

// A communicator's ranks as ranks of the job; empty if it includes ranks of spawned or joined jobs,
// which have other advice.
std::vector<int> ranks_in_job(MPI_Comm comm, std::size_t size, MPI_Group world) {
  MPI_Group group = MPI_GROUP_NULL;
  check(PMPI_Comm_group(comm, &group));
  thread_local std::vector<int> own;  // 0, 1 ...
  while (own.size() < size) own.push_back(static_cast<int>(own.size()));
  std::vector<int> ranks(size);
  check(PMPI_Group_translate_ranks(group, static_cast<int>(size), own.data(), world, ranks.data()));
  check(PMPI_Group_free(&group));
  if (std::ranges::find(ranks, MPI_UNDEFINED) != ranks.end()) ranks.clear();
  return ranks;
}

// Whether no rank's buffers are in device memory. Called by all ranks; a rank may pass no buffers.
// With `asks`, the ranks compare what each of them found.
bool can_reach(bool asks, MPI_Comm comm, std::initializer_list<const void*> buffers) {
  int on_device = std::ranges::any_of(buffers, [](const void* buffer) {
    return buffer != MPI_IN_PLACE && is_device_memory(buffer);
  });
  if (asks) {
    check(PMPI_Allreduce(MPI_IN_PLACE, &on_device, 1, MPI_INT, MPI_MAX, comm));
  } else if (on_device != 0) {
    throw Error(Fault::kUsage,
                "a buffer is in the memory of a device whose runtime was loaded after MPI_Init or "
                "the first collective on this communicator; load it earlier, or set "
                "NMADTUNE_MPI=never");
  }
  return on_device == 0;
}

bool ends_jobs(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return true;
  const bool ends = handler == MPI_ERRORS_ARE_FATAL;
  PMPI_Errhandler_free(&handler);
  return ends;
}

}  // namespace

Job& Job::here() {
  static auto* const job = new Job;  // MPI may end after everything else
  return *job;
}

// The locations of these ranks of the job, numbered as if they were all.
std::vector<RankLocation> Job::locations_of(const std::vector<int>& ranks) const {
  std::vector<RankLocation> locations;
  std::unordered_map<int, int> lowest;  // rank of each node
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankLocation& location =
        locations.emplace_back(locations_[static_cast<std::size_t>(ranks[rank])]);
    location.node = lowest.try_emplace(location.node, static_cast<int>(rank)).first->second;
  }
  return locations;
}

// If all nodes have as many, one number of ranks per node.
Job::Shape Job::shape_of(const std::vector<int>& ranks) const {
  std::vector<int> nodes;
  nodes.reserve(ranks.size());
  for (const int rank : ranks) nodes.push_back(locations_[static_cast<std::size_t>(rank)].node);
  std::ranges::sort(nodes);
  Shape shape{.ranks = static_cast<int>(ranks.size())};
  for (auto node = nodes.begin(); node != nodes.end(); ++shape.nodes) {
    const auto next = std::upper_bound(node, nodes.end(), *node);
    shape.ranks_per_node.insert(static_cast<int>(next - node));
    node = next;
  }
  return shape;
}

// Found once for each shape: programs make communicators of the same few shapes again and again.
const std::vector<Rule>& Job::rules_of(const Shape& shape) {
  const std::lock_guard lock(rules_of_shapes_mutex_);
  const auto known = rules_of_shapes_.find(shape);
  if (known != rules_of_shapes_.end()) return known->second;
  std::vector<Rule> rules = rules_.rules_for(shape.nodes, shape.ranks_per_node);
  std::erase_if(rules, [&](const Rule& rule) { return !suits_ranks(rule.algorithm, shape.ranks); });
  return rules_of_shapes_.emplace(shape, std::move(rules)).first->second;
}

// Does not communicate.
CommState Job::make_comm_state(MPI_Comm comm) {
  int between = 0, size = 0;
  check(PMPI_Comm_test_inter(comm, &between));
  check(PMPI_Comm_size(comm, &size));
  if (between || size == 1 || !rules_.has_rules_for(size)) {
    log_communicator(comm, 0, {}, {});
    return {};
  }
  std::vector<int> ranks = ranks_in_job(comm, static_cast<std::size_t>(size), world_);
  if (ranks.empty()) return {};
  const Shape shape = shape_of(ranks);
  const std::vector<Rule>& rules = rules_of(shape);
  log_communicator(comm, shape.nodes, shape.ranks_per_node, rules);
  if (rules.empty()) return {};
  return {.rules = rules, .ranks = std::move(ranks)};
}

// With as many leaders as the rule says. Called by all ranks. At the first use they take a lease
// for each number of leaders in any rule, so a rank whose call is wrong knows what the others may
// wait for.
Lease& Job::lease_for(const Rule& rule, CommState& comm_state, MPI_Comm comm) {
  if (comm_state.by_leaders.empty()) {
    std::map<int, Lease> leases;
    try {
      for (const Rule& each : comm_state.rules) {
        if (!each.is_ours() || leases.contains(each.leaders)) continue;
        leases.try_emplace(each.leaders, take_lease(each.leaders, comm_state, comm));
      }
    } catch (...) {
      for (auto& [leaders, lease] : leases) hierarchy_cache().give_back(std::move(lease));
      throw;
    }
    comm_state.by_leaders = std::move(leases);
  }
  return comm_state.by_leaders.at(rule.leaders);
}

Lease Job::take_lease(int leaders, const CommState& comm_state, MPI_Comm comm) {
  Lease lease = hierarchy_cache().take(comm, comm_state.ranks, locations_of(comm_state.ranks),
                                       options(leaders));
  if (lease && !lease.watch) {  // one rank has numbered it: a unique number per hierarchy
    const auto number = static_cast<std::uint64_t>(lease.ranks.front()) << 40 |
                        static_cast<std::uint64_t>(lease.serial);
    lease.watch = std::make_unique<FailureWatch>(&notifier_, number, lease.hierarchy->comm());
    lease.hierarchy->set_wait_hook(
        {.function = [](void* watch) { static_cast<FailureWatch*>(watch)->check(); },
         .object = lease.watch.get()});
  }
  return lease;
}

HierarchyOptions Job::options(int leaders) const {
  HierarchyOptions options = options_from_environment(leaders);
  options.oversubscribed = oversubscribed_;
  return options;
}

Job::Decision Job::decide(Operation operation, MPI_Count count, MPI_Datatype type,
                          MPI_Comm comm) noexcept {
  const auto index = static_cast<std::size_t>(operation);
  int size = 0;
  if (reports_) tallies_[index].calls.fetch_add(1, std::memory_order_relaxed);
  const MergedRanges& sizes = rules_.sizes(operation);
  if (sizes.empty()) return {};
  if (count < 0) {
    leave_out_unknown(operation, comm, MPI_ERR_COUNT);
  } else if (type == MPI_DATATYPE_NULL) {  // the others wait for one exchange, not for two
    leave_out_unknown(operation, comm, MPI_ERR_TYPE);
  }
  if (count <= 0 || static_cast<std::uint64_t>(count) > kBytesMax) return {};
  if (type == MPI_DATATYPE_NULL || comm == MPI_COMM_NULL) return {};
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0) return {};
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
  if (bytes > kBytesMax || !sizes.contains(bytes)) return {};  // no shape has a rule
  return decide_guarded(operation, bytes, comm);
}

// On an inter-communicator `root` has another meaning, so such calls are left to the MPI here.
Job::Decision Job::decide_rooted(Operation operation, const Elements& at_root,
                                 const Elements& elsewhere, int root, MPI_Comm comm) noexcept {
  const auto index = static_cast<std::size_t>(operation);
  int rank = 0, between = 0;
  const bool may_act = !rules_.sizes(operation).empty() && comm != MPI_COMM_NULL &&
                       PMPI_Comm_test_inter(comm, &between) == MPI_SUCCESS && !between &&
                       PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS;
  if (!may_act) {
    if (reports_) tallies_[index].calls.fetch_add(1, std::memory_order_relaxed);
    return {};
  }
  const Elements& own = rank == root ? at_root : elsewhere;
  return decide(operation, own.count, own.type, comm);
}

Job::Decision Job::decide_without_data(Operation operation, MPI_Comm comm) noexcept {
  const auto index = static_cast<std::size_t>(operation);
  if (reports_) tallies_[index].calls.fetch_add(1, std::memory_order_relaxed);
  if (rules_.sizes(operation).empty() || comm == MPI_COMM_NULL) return {};
  return decide_guarded(operation, 0, comm);
}

Job::Decision Job::decide_guarded(Operation operation, std::uint64_t bytes,
                                  MPI_Comm comm) noexcept {
  Decision decision;
  const int code = guarded(comm, [&] { decision = decide(operation, bytes, comm); });
  if (code != MPI_SUCCESS) decision = {.otherwise = code};
  return decision;
}

Job::Decision Job::decide(Operation operation, std::uint64_t bytes, MPI_Comm comm) {
  try {
    CommState& comm_state =
        comm_state_for(comm, [this](MPI_Comm made_for) { return make_comm_state(made_for); });
    const Rule* rule = find_rule(comm_state.rules, operation, bytes);
    if (rule == nullptr) return {};
    const std::uint64_t blocks = has_blocks(to_string(operation)) ? comm_state.ranks.size() : 1;
    if (bytes * blocks > kBytesMax) return {};
    return {.rule = rule, .comm_state = &comm_state, .bytes = bytes};
  } catch (const MpiFailure&) {  // on all ranks: the communicator is invalid
    return {};
  }
}

Job::Decision Job::decide_by_mean(Operation operation, const Counts& counts, MPI_Datatype type,
                                  MPI_Comm comm) noexcept {
  const auto index = static_cast<std::size_t>(operation);
  if (reports_) tallies_[index].calls.fetch_add(1, std::memory_order_relaxed);
  if (rules_.sizes(operation).empty() || comm == MPI_COMM_NULL) return {};
  Decision decision;
  const int code =
      guarded(comm, [&] { decision = decide_by_mean_of(operation, counts, type, comm); });
  if (code != MPI_SUCCESS) decision = {.otherwise = code};
  return decision;
}

Job::Decision Job::decide_by_mean_of(Operation operation, const Counts& counts, MPI_Datatype type,
                                     MPI_Comm comm) {
  int size = 0;
  try {
    CommState& comm_state =
        comm_state_for(comm, [this](MPI_Comm made_for) { return make_comm_state(made_for); });
    const auto of_operation = std::ranges::find(comm_state.rules, operation, &Rule::operation);
    if (of_operation == comm_state.rules.end()) return {};
    if (!counts.are_there()) {
      leave_out_unknown(operation, comm, MPI_ERR_ARG);
    } else if (type == MPI_DATATYPE_NULL) {
      leave_out_unknown(operation, comm, MPI_ERR_TYPE);
    }
    if (!counts.are_there() || type == MPI_DATATYPE_NULL) return {};
    if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0) return {};
    const auto each_bytes = static_cast<std::uint64_t>(size);
    const std::uint64_t ranks = comm_state.ranks.size();
    std::uint64_t all = 0, most = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (counts[rank] < 0) {
        leave_out_unknown(operation, comm, MPI_ERR_COUNT);
        return {};
      }
      const auto count = static_cast<std::uint64_t>(counts[rank]);
      if (count > kBytesMax) return {};
      all += count;
      most = std::max(most, count);
    }
    const std::uint64_t mean_bytes = all * each_bytes / ranks;
    if (all * each_bytes > kBytesMax || mean_bytes == 0) return {};
    if (most * each_bytes > kTimesMean * mean_bytes) return {};
    const Rule* rule = find_rule(comm_state.rules, operation, mean_bytes);
    if (rule == nullptr) return {};
    return {.rule = rule, .comm_state = &comm_state, .bytes = mean_bytes};
  } catch (const MpiFailure&) {  // on all ranks: the communicator is invalid
    return {};
  }
}

Job::Decision Job::decide_to_look(Operation operation, MPI_Comm comm) noexcept {
  const auto index = static_cast<std::size_t>(operation);
  if (reports_) tallies_[index].calls.fetch_add(1, std::memory_order_relaxed);
  if (rules_.sizes(operation).empty() || comm == MPI_COMM_NULL) return {};
  Decision decision;
  const int code = guarded(comm, [&] { decision = decide_to_look_at(operation, comm); });
  if (code != MPI_SUCCESS) decision = {.otherwise = code};
  return decision;
}

Job::Decision Job::decide_to_look_at(Operation operation, MPI_Comm comm) {
  try {
    CommState& comm_state =
        comm_state_for(comm, [this](MPI_Comm made_for) { return make_comm_state(made_for); });
    const auto rule = std::ranges::find(comm_state.rules, operation, &Rule::operation);
    if (rule == comm_state.rules.end() || !comm_state.unequal.looks()) return {};
    return {.rule = &*rule, .comm_state = &comm_state};
  } catch (const MpiFailure&) {  // on all ranks: the communicator is invalid
    return {};
  }
}

void Job::choose(Operation operation, std::uint64_t bytes, Decision& decision) const {
  CommState& comm_state = *decision.comm_state;
  const Rule* rule = find_rule(comm_state.rules, operation, bytes);
  Lease* lease = rule == nullptr ? nullptr : &comm_state.by_leaders.at(rule->leaders);
  const bool acts = lease != nullptr && *lease;
  comm_state.unequal.found(acts);
  decision = {.rule = acts ? rule : nullptr,
              .comm_state = &comm_state,
              .lease = acts ? lease : nullptr,
              .bytes = bytes};
}

template <class Suits>
bool Job::prepare_if(Decision& decision, MPI_Comm comm, Suits&& suits) noexcept {
  const int code = guarded(comm, [&] {
    try {
      Lease& lease = lease_for(*decision.rule, *decision.comm_state, comm);
      if (lease && suits(lease)) decision.lease = &lease;
    } catch (const MpiFailure&) {  // on all ranks, because all of them called it
    }
  });
  if (code != MPI_SUCCESS) decision.otherwise = code;
  return decision.lease != nullptr;
}

bool Job::prepare(Decision& decision, MPI_Comm comm,
                  std::initializer_list<const void*> buffers) noexcept {
  if (decision.is_by_library()) return prepare_by_library(decision, comm, buffers);
  return prepare_if(decision, comm,
                    [&](const Lease& lease) { return can_reach(lease.asks, comm, buffers); });
}

bool Job::prepare_without_data(Decision& decision, MPI_Comm comm) noexcept {
  if (!decision.is_by_library())
    return prepare_if(decision, comm, [](const Lease&) { return true; });
  if (kNeedsShadow) return prepare_by_library(decision, comm, {});
  decision.on = comm;
  return true;
}

// An MPI that reads its variables at each call needs no communicator of its own for that.
bool Job::prepare_by_library(Decision& decision, MPI_Comm comm,
                             std::initializer_list<const void*> buffers) noexcept {
  const int code = guarded(comm, [&] {
    ShadowCommunicator on{.comm = comm, .asks = has_devices_};
    if (kNeedsShadow) {
      std::map<std::int32_t, ShadowCommunicator>& shadows = decision.comm_state->shadows;
      const std::int32_t library = decision.rule->library;
      auto shadow = shadows.find(library);
      if (shadow == shadows.end()) {
        shadow = shadows.emplace(library, make_shadow(comm, calls_of(*decision.rule).choice)).first;
      }
      on = shadow->second;
    }
    if (on.comm == MPI_COMM_NULL) return;
    try {
      if (can_reach(on.asks, comm, buffers)) decision.on = on.comm;
    } catch (const MpiFailure&) {  // on all ranks, because all of them called it
    }
  });
  if (code != MPI_SUCCESS) decision.otherwise = code;
  return decision.on != MPI_COMM_NULL;
}

// If errors are fatal, the MPI ends the job with the reason; this library must not end it before.
// Where the MPI's own algorithms are used, this rank prepares them like the others, which would
// wait for it; then the MPI finds the error, as in a call of its own.
void Job::leave_out(Decision& decision, MPI_Comm comm, int code) noexcept {
  if (ends_jobs(comm) || !prepare(decision, comm, {}) || decision.is_by_library()) return;
  decision.lease->spoiled = true;
  decision.lease->watch->report_absence(code);
}

// What the other ranks do is unknown, because no rank can know the size of the call. Without a rule
// of ours for the operation the MPI runs it at any size, and must not be disturbed. But if it needs
// a shadow for that, and this is the first such call, the others wait for this rank to make one:
// it cannot know whether they do (docs/collectives.md, Errors).
void Job::leave_out_unknown(Operation operation, MPI_Comm comm, int code) noexcept {
  if (comm == MPI_COMM_NULL || ends_jobs(comm)) return;
  guarded(comm, [&] {
    CommState& comm_state =
        comm_state_for(comm, [this](MPI_Comm made_for) { return make_comm_state(made_for); });
    const auto is_followed = [&](const Rule& rule) {
      return rule.operation == operation && rule.is_ours();
    };
    if (std::ranges::none_of(comm_state.rules, is_followed)) return;
    if (comm_state.by_leaders.empty()) hierarchy_cache().stay_away(comm, code);
    for (auto& [leaders, lease] : comm_state.by_leaders) {
      if (!lease) continue;
      lease.spoiled = true;
      lease.watch->report_absence(code);
    }
  });
}

void Job::count(Operation operation, const Decision& decision, std::chrono::nanoseconds took) {
  if (!reports_) return;
  Tally& tally = tallies_[static_cast<std::size_t>(operation)];
  tally.replaced.fetch_add(1, std::memory_order_relaxed);
  tally.bytes.fetch_add(decision.bytes, std::memory_order_relaxed);
  if (decision.is_by_library()) {
    calls_of(*decision.rule).calls.fetch_add(1, std::memory_order_relaxed);
  }
  tally.time_ns.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
}

}  // namespace nmt::collectives
