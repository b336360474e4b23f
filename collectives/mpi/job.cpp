// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/job.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "core/error.h"

namespace nmt::collectives {
namespace {

constexpr int kTeamsMax = 256;  // at a time: MPICH has about 2000 communicators for all
constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 30;  // of a call: MPI counts in int

bool is_set(const char* variable, std::string_view to) {
  const char* value = std::getenv(variable);
  return value != nullptr && to == value;
}

// What is misspelt would go unnoticed.
void expect_one_of(const char* variable, std::initializer_list<std::string_view> known) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0' || std::ranges::find(known, value) != known.end()) return;
  std::string text;
  for (const std::string_view each : known) {
    text += text.empty() ? "" : " or ";
    text += each;
  }
  std::fprintf(stderr, "nmadtune: %s=%s means nothing; %s does\n", variable, value, text.c_str());
}

// A communicator may reach into jobs that were spawned or joined, which have other advice.
bool is_of_this_job(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL, common = MPI_GROUP_NULL;
  int all = 0, shared = 0;
  check(PMPI_Comm_group(comm, &group));
  check(PMPI_Comm_group(MPI_COMM_WORLD, &world));
  check(PMPI_Group_intersection(group, world, &common));
  check(PMPI_Group_size(group, &all));
  check(PMPI_Group_size(common, &shared));
  for (MPI_Group* each : {&group, &world, &common}) check(PMPI_Group_free(each));
  return all == shared;
}

// Ranks may have made different numbers of teams, and must agree.
bool has_place(MPI_Comm comm) {
  int most = teams_kept();
  check(PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm));
  return most < kTeamsMax;
}

// Launchers drop what a rank has said just before it ends the job.
constexpr std::chrono::milliseconds kUntilTold{200};

// An error that is not the MPI's. MPICH's launcher waits for ever where one rank calls the fatal
// handler with a code that no call has returned (4.0); MPI_Abort ends the job.
int fail(MPI_Comm comm, int code, const char* reason) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  std::fprintf(stderr, "nmadtune: %s\n", reason);
  PMPI_Comm_get_errhandler(comm, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL) {
    std::this_thread::sleep_for(kUntilTold);
    PMPI_Abort(comm, code);
  }
  PMPI_Errhandler_free(&handler);
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace

Job& Job::here() {
  static auto* const job = new Job;  // MPI may end after everything else
  return *job;
}

void Job::start() {
  int rank = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  reports_ = is_set("NMADTUNE_MPI_REPORT", "1");
  if (rank == 0) {
    expect_one_of("NMADTUNE_MPI", {"always", "never"});
    expect_one_of("NMADTUNE_MPI_COPIES", {"shared", "messages"});
    expect_one_of("NMADTUNE_MPI_REPORT", {"1", "0"});
  }
  if (rank == 0 && !is_set("NMADTUNE_MPI", "never")) {
    advice_ = is_set("NMADTUNE_MPI", "always") ? advice_to_act_always() : advice_from_profile();
    if (!advice_.warning.empty()) {
      std::fprintf(stderr, "nmadtune: %s\n", advice_.warning.c_str());
    }
  }
  share(&advice_);
  for (const Operation operation : kOperations) {
    least_bytes_[static_cast<std::size_t>(operation)] = advice_.least_bytes(operation);
  }
  if (!advice_.rules.empty()) crowded_ = Team(MPI_COMM_WORLD, options(1)).waiting().crowded;
  if (reports_ && rank == 0) call_at_end(report);
}

void Job::share(Advice* advice) const {
  auto rules = static_cast<int>(advice->rules.size());
  check(PMPI_Bcast(&rules, 1, MPI_INT, 0, MPI_COMM_WORLD));
  advice->rules.resize(static_cast<std::size_t>(rules));
  check(PMPI_Bcast(advice->rules.data(), rules * static_cast<int>(sizeof(Rule)), MPI_BYTE, 0,
                   MPI_COMM_WORLD));
}

Kept Job::keep_for(MPI_Comm comm) const {
  int between = 0, size = 0;
  check(PMPI_Comm_test_inter(comm, &between));
  check(PMPI_Comm_size(comm, &size));
  if (between || size == 1 || !is_of_this_job(comm) || !has_place(comm)) return {};
  auto team = std::make_unique<Team>(comm, options(1));
  std::vector<Rule> rules =
      rules_for(advice_, static_cast<int>(team->groups().size()), team->ranks_per_group());
  if (rules.empty()) return {};
  return {.team = std::move(team), .rules = std::move(rules)};
}

// With as many leaders as the rule says; made at its first use.
Team& Job::team_for(const Rule& rule, Kept& kept, MPI_Comm comm) const {
  if (rule.leaders <= 1) return *kept.team;
  std::unique_ptr<Team>& parted = kept.parted[rule.leaders];
  if (!parted) parted = std::make_unique<Team>(comm, options(rule.leaders));
  return *parted;
}

TeamOptions Job::options(int leaders) const {
  TeamOptions options = options_from_environment(leaders);
  options.crowded = crowded_;
  return options;
}

Job::Decision Job::decide(Operation operation, int count, MPI_Datatype type, MPI_Comm comm) {
  const auto index = static_cast<std::size_t>(operation);
  int size = 0;
  if (reports_) tallies_[index].calls.fetch_add(1, std::memory_order_relaxed);
  if (count <= 0 || type == MPI_DATATYPE_NULL || comm == MPI_COMM_NULL) return {};
  if (least_bytes_[index] == ~std::uint64_t{0}) return {};
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0) return {};
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
  if (bytes < least_bytes_[index] || bytes > kBytesMax) return {};
  try {
    Kept& kept = kept_for(comm, [this](MPI_Comm made_for) { return keep_for(made_for); });
    if (kept.team == nullptr) return {};
    const Rule* rule = find_rule(kept.rules, operation, bytes);
    const bool gathers = operation == Operation::kAllgather;
    const auto ranks = static_cast<std::uint64_t>(kept.team->size());
    if (rule == nullptr || (gathers && bytes * ranks > kBytesMax)) return {};
    return {.team = &team_for(*rule, kept, comm), .rule = rule, .bytes = bytes};
  } catch (const MpiFailure&) {  // of all ranks, which had to do it together
    return {};
  }
}

int Job::act(Operation operation, const Decision& decision, MPI_Comm comm,
             const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  try {
    action();
  } catch (const MpiFailure& failure) {
    PMPI_Comm_call_errhandler(comm, failure.code);
    return failure.code;
  } catch (const Error& error) {
    return fail(comm, MPI_ERR_OTHER, error.what());
  } catch (const std::bad_alloc&) {
    return fail(comm, MPI_ERR_NO_MEM, "no memory for a collective");
  }
  if (reports_) {
    Tally& tally = tallies_[static_cast<std::size_t>(operation)];
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    tally.replaced.fetch_add(1, std::memory_order_relaxed);
    tally.bytes.fetch_add(decision.bytes, std::memory_order_relaxed);
    tally.time_ns.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
  }
  return MPI_SUCCESS;
}

// Of rank 0.
void Job::report() {
  const Job& job = here();
  for (const Operation operation : kOperations) {
    const Tally& tally = job.tallies_[static_cast<std::size_t>(operation)];
    if (tally.calls == 0) continue;
    std::fprintf(stderr, "nmadtune: %s: %llu of %llu calls replaced, %.3f MB, %.6f s\n",
                 to_string(operation).data(), static_cast<unsigned long long>(tally.replaced),
                 static_cast<unsigned long long>(tally.calls),
                 static_cast<double>(tally.bytes) / 1e6, static_cast<double>(tally.time_ns) / 1e9);
  }
}

}  // namespace nmt::collectives
