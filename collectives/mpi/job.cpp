// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/job.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "collectives/device_memory.h"
#include "collectives/mpi/decision_log.h"
#include "collectives/mpi/library/running_mpi.h"
#include "collectives/mpi/loaded_everywhere.h"
#include "collectives/mpi/mixed_mpis.h"
#include "collectives/mpi/report/call_recorder.h"
#include "core/collective_sample.h"
#include "core/error.h"
#include "core/units.h"

namespace nmt::collectives {
namespace {

constexpr int kRulesMax = 1 << 20;
// The largest block may have so many times the bytes of the mean. The largest that is sampled has
// twice as many.
constexpr std::uint64_t kTimesMean = 4;

bool is_ours(const Rule& rule) { return rule.library == Rule::kOurs; }

bool is_set(const char* variable, std::string_view to) {
  const char* value = std::getenv(variable);
  return value != nullptr && to == value;
}

// Warns of a misspelt value, which would otherwise be ignored.
void expect_one_of(const char* variable, std::initializer_list<std::string_view> known) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0' || std::ranges::find(known, value) != known.end()) return;
  std::string text;
  for (const std::string_view each : known) {
    text += text.empty() ? "" : " or ";
    text += each;
  }
  std::fprintf(stderr, "nmadtune: %s=%s is not a known value; write %s\n", variable, value,
               text.c_str());
}

std::string segment_text(std::uint64_t segment_bytes) {
  return segment_bytes == 0 ? "" : ", segments of " + format_bytes(segment_bytes);
}

void warn_if_alone() {
  const std::string reason = why_alone();
  if (!reason.empty()) std::fprintf(stderr, "nmadtune: %s\n", reason.c_str());
}

// A communicator's ranks as ranks of the job; empty if it includes ranks of spawned or joined jobs,
// which have other advice.
std::vector<int> ranks_in_job(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  int size = 0;
  check(PMPI_Comm_size(comm, &size));
  check(PMPI_Comm_group(comm, &group));
  check(PMPI_Comm_group(MPI_COMM_WORLD, &world));
  std::vector<int> own(static_cast<std::size_t>(size)), ranks(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  check(PMPI_Group_translate_ranks(group, size, own.data(), world, ranks.data()));
  for (MPI_Group* each : {&group, &world}) check(PMPI_Group_free(each));
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
                "a buffer is in the memory of a device whose runtime was loaded after the first "
                "collective on this communicator; load it earlier, or set NMADTUNE_MPI=never");
  }
  return on_device == 0;
}

// Rules that act always are for any number of nodes.
bool are_sampled(const std::vector<Rule>& rules) { return rules.front().nodes > 0; }

// Rank 0 has compared the platform of the profile with its own node only. The same on all ranks.
bool are_alike(const std::vector<RankLocation>& locations, int rank) {
  const auto platform_of = [](const RankLocation& location) { return location.place.platform; };
  const std::uint64_t first = platform_of(locations.front());
  const auto other = std::ranges::find_if(
      locations, [&](const RankLocation& each) { return platform_of(each) != first; });
  if (other == locations.end()) return true;
  if (rank == 0) {
    std::fprintf(stderr,
                 "nmadtune: the node of rank %d differs from that of rank 0, where the profile was "
                 "checked (processor, cores, machine, frequency governor, huge pages or another "
                 "field of the fingerprint; nmad-tune show), so the MPI's own collectives are "
                 "used; start the job on nodes that are alike\n",
                 static_cast<int>(other - locations.begin()));
  }
  return false;
}

bool ends_jobs(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return true;
  const bool ends = handler == MPI_ERRORS_ARE_FATAL;
  PMPI_Errhandler_free(&handler);
  return ends;
}

// Never throws: all other ranks wait for rank 0, which must send them a result.
Advice advice_or_why_not() {
  Advice advice;
  try {
    advice = advice_from_profile(mpi_name());
  } catch (const std::exception& error) {
    advice = {.warning = std::string(error.what()) + "; the MPI's own collectives are used"};
  }
  if (advice.rules.size() > kRulesMax) {
    advice = {.warning = "the profile has too many rules; the MPI's own collectives are used"};
  }
  return advice;
}

}  // namespace

Job& Job::here() {
  static auto* const job = new Job;  // MPI may end after everything else
  return *job;
}

void Job::start() {
  int rank = 0, size = 0;
  if (started_.test_and_set()) return;  // one function of a tool may call the other
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(PMPI_Comm_size(MPI_COMM_WORLD, &size));
  if (size == 1) warn_if_alone();
  const bool as_json = is_set("NMADTUNE_MPI_REPORT", "json");
  reports_ = as_json || is_set("NMADTUNE_MPI_REPORT", "1");
  if (rank == 0) {
    expect_one_of("NMADTUNE_MPI", {"always", "never"});
    expect_one_of("NMADTUNE_MPI_COPIES", {"shared", "messages"});
    expect_one_of("NMADTUNE_MPI_REPORT", {"1", "json", "0"});
  }
  Advice advice;
  if (rank == 0 && !is_set("NMADTUNE_MPI", "never")) {
    advice = is_set("NMADTUNE_MPI", "always") ? advice_to_act_always() : advice_or_why_not();
    if (!advice.warning.empty()) std::fprintf(stderr, "nmadtune: %s\n", advice.warning.c_str());
  }
  check_loaded_everywhere(MPI_COMM_WORLD);
  share(&advice);
  number_library_rules(&advice.rules);
  if (!advice.rules.empty()) {
    locations_ = exchange_locations(MPI_COMM_WORLD, CopyMethod::kAttach);
    oversubscribed_ = is_oversubscribed(locations_, rank);
    if (are_sampled(advice.rules) && !are_alike(locations_, rank)) advice.rules.clear();
  }
  rules_ = RulesByShape(std::move(advice.rules));
  if (!rules_.empty()) {
    argument_checker_.start();
    notifier_.start();
    call_at_end([] { here().notifier_.forget_all(); });
  }
  const bool never = is_set("NMADTUNE_MPI", "never");
  if (reports_ && rank == 0 && !never) call_at_end(report);
  start_call_report(rank != 0 || !never ? ReportForm::kNone
                    : as_json           ? ReportForm::kJson
                    : reports_          ? ReportForm::kText
                                        : ReportForm::kNone);
}

void Job::share(Advice* advice) const {
  auto rules = static_cast<int>(advice->rules.size());
  check(PMPI_Bcast(&rules, 1, MPI_INT, 0, MPI_COMM_WORLD));
  if (rules < 0 || rules > kRulesMax) {
    throw Error(Fault::kPeer, "rank 0 announced " + std::to_string(rules) + " rules, and " +
                                  std::to_string(kRulesMax) + " are the most there can be");
  }
  advice->rules.resize(static_cast<std::size_t>(rules));
  check(PMPI_Bcast(advice->rules.data(), rules * static_cast<int>(sizeof(Rule)), MPI_BYTE, 0,
                   MPI_COMM_WORLD));
}

// Called by all ranks, with the same rules. Rules whose algorithm cannot be set on every rank are
// dropped on all of them.
void Job::number_library_rules(std::vector<Rule>* rules) {
  for (Rule& rule : *rules) {
    if (!is_of_library(rule.algorithm)) continue;
    const auto is_it = [&](const LibraryCalls& each) {
      return each.operation == rule.operation && each.algorithm == rule.algorithm &&
             each.choice.segment_bytes == rule.segment_bytes;
    };
    const auto found = std::ranges::find_if(library_calls_, is_it);
    rule.library = static_cast<std::int32_t>(found - library_calls_.begin());
    if (found != library_calls_.end()) continue;
    LibraryCalls& added = library_calls_.emplace_back();
    added.operation = rule.operation;
    added.algorithm = rule.algorithm;
    added.choice.segment_bytes = rule.segment_bytes;
  }
  if (library_calls_.empty()) return;
  std::vector<int> can;
  for (LibraryCalls& each : library_calls_) {
    const auto choice =
        find_library_choice(to_string(each.operation), each.algorithm, each.choice.segment_bytes);
    if (choice) each.choice = *choice;
    can.push_back(choice ? 1 : 0);
  }
  check(PMPI_Allreduce(MPI_IN_PLACE, can.data(), static_cast<int>(can.size()), MPI_INT, MPI_MIN,
                       MPI_COMM_WORLD));
  const std::size_t dropped = std::erase_if(*rules, [&](const Rule& rule) {
    return !is_ours(rule) && can[static_cast<std::size_t>(rule.library)] == 0;
  });
  int rank = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (rank != 0 || dropped == 0) return;
  const auto first = static_cast<std::size_t>(std::ranges::find(can, 0) - can.begin());
  std::fprintf(stderr,
               "nmadtune: the profile chooses algorithms of this MPI that cannot be set in this "
               "job (rules: %zu, the first: %s by %s), so the MPI chooses itself there "
               "(docs/collectives.md)\n",
               dropped, to_string(library_calls_[first].operation).data(),
               library_calls_[first].algorithm.c_str());
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

// Does not communicate.
CommState Job::make_comm_state(MPI_Comm comm) const {
  int between = 0, size = 0;
  check(PMPI_Comm_test_inter(comm, &between));
  check(PMPI_Comm_size(comm, &size));
  if (between || size == 1 || !rules_.has_rules_for(size)) {
    log_communicator(comm, 0, {}, {});
    return {};
  }
  std::vector<int> ranks = ranks_in_job(comm);
  std::unordered_map<int, int> ranks_of_node;
  int most = 0;
  for (const int rank : ranks) {
    most = std::max(most, ++ranks_of_node[locations_[static_cast<std::size_t>(rank)].node]);
  }
  if (ranks.empty()) return {};
  std::set<int> ranks_per_node = {most};
  if (ranks_of_node.size() * static_cast<std::size_t>(most) != ranks.size()) {
    for (const auto& [node, count] : ranks_of_node) ranks_per_node.insert(count);
  }
  const auto nodes = static_cast<int>(ranks_of_node.size());
  std::vector<Rule> rules = rules_.rules_for(nodes, ranks_per_node);
  std::erase_if(rules, [&](const Rule& rule) { return !suits_ranks(rule.algorithm, size); });
  log_communicator(comm, nodes, ranks_per_node, rules);
  if (rules.empty()) return {};
  return {.rules = std::move(rules), .ranks = std::move(ranks)};
}

// With as many leaders as the rule says. Called by all ranks. At the first use they take a lease
// for each number of leaders in any rule, so a rank whose call is wrong knows what the others may
// wait for.
Lease& Job::lease_for(const Rule& rule, CommState& comm_state, MPI_Comm comm) {
  if (comm_state.by_leaders.empty()) {
    std::map<int, Lease> leases;
    try {
      for (const Rule& each : comm_state.rules) {
        if (!is_ours(each) || leases.contains(each.leaders)) continue;
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
  if (decision.is_by_library()) return prepare_by_library(decision, comm, {});
  return prepare_if(decision, comm, [](const Lease&) { return true; });
}

// An MPI that reads its variables at each call needs no preparation, and handles devices itself.
bool Job::prepare_by_library(Decision& decision, MPI_Comm comm,
                             std::initializer_list<const void*> buffers) noexcept {
  if (!kNeedsShadow) {
    decision.on = comm;
    return true;
  }
  const int code = guarded(comm, [&] {
    std::map<std::int32_t, ShadowCommunicator>& shadows = decision.comm_state->shadows;
    const std::int32_t library = decision.rule->library;
    auto shadow = shadows.find(library);
    if (shadow == shadows.end()) {
      shadow = shadows.emplace(library, make_shadow(comm, calls_of(*decision.rule).choice)).first;
    }
    if (shadow->second.comm == MPI_COMM_NULL) return;
    try {
      if (can_reach(shadow->second.asks, comm, buffers)) decision.on = shadow->second.comm;
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
      return rule.operation == operation && is_ours(rule);
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

// Only on rank 0.
void Job::report() {
  const Job& job = here();
  for (const Operation operation : kOperations) {
    const Tally& tally = job.tallies_[static_cast<std::size_t>(operation)];
    if (tally.calls == 0) continue;
    std::fprintf(stderr, "nmadtune: %s: %llu of %llu calls replaced, %.3f MB, %.6f s\n",
                 to_string(operation).data(), static_cast<unsigned long long>(tally.replaced),
                 static_cast<unsigned long long>(tally.calls),
                 static_cast<double>(tally.bytes) / 1e6, static_cast<double>(tally.time_ns) / 1e9);
    for (const LibraryCalls& each : job.library_calls_) {
      if (each.operation != operation || each.calls == 0) continue;
      std::fprintf(stderr, "nmadtune:   %llu of these by %s%s\n",
                   static_cast<unsigned long long>(each.calls), each.algorithm.c_str(),
                   segment_text(each.choice.segment_bytes).c_str());
    }
  }
}

}  // namespace nmt::collectives
