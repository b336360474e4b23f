// SPDX-License-Identifier: BSD-3-Clause
//
// The start of a job, where its ranks agree on the advice, and what it reports at its end.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "collectives/device_memory.h"
#include "collectives/mpi/job.h"
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
  check_loaded_everywhere(MPI_COMM_WORLD);  // before anything that may take rank 0 longer
  Advice advice;
  if (rank == 0 && !is_set("NMADTUNE_MPI", "never")) {
    advice = is_set("NMADTUNE_MPI", "always") ? advice_to_act_always() : advice_or_why_not();
    if (!advice.warning.empty()) std::fprintf(stderr, "nmadtune: %s\n", advice.warning.c_str());
  }
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
    check(PMPI_Comm_group(MPI_COMM_WORLD, &world_));
    call_at_end([] {
      here().notifier_.forget_all();
      PMPI_Group_free(&here().world_);
    });
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
  std::vector<int> can;  // and, at the end, do without asking for devices
  for (LibraryCalls& each : library_calls_) {
    const auto choice =
        find_library_choice(to_string(each.operation), each.algorithm, each.choice.segment_bytes);
    if (choice) each.choice = *choice;
    can.push_back(choice ? 1 : 0);
  }
  can.push_back(has_device_runtime() ? 0 : 1);
  check(PMPI_Allreduce(MPI_IN_PLACE, can.data(), static_cast<int>(can.size()), MPI_INT, MPI_MIN,
                       MPI_COMM_WORLD));
  has_devices_ = can.back() == 0;
  can.pop_back();
  const std::size_t dropped = std::erase_if(*rules, [&](const Rule& rule) {
    return !rule.is_ours() && can[static_cast<std::size_t>(rule.library)] == 0;
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
