// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/report/call_recorder.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <unordered_map>

#include "collectives/call_report.h"
#include "collectives/mpi/communicator/comm_state.h"
#include "collectives/mpi/hierarchy/failure.h"
#include "collectives/mpi/hierarchy/node_hierarchy.h"
#include "collectives/mpi/library/running_mpi.h"
#include "collectives/mpi/report/node_clocks.h"
#include "collectives/profile_durations.h"

namespace nmt::collectives {
namespace {

// Per kind of call in each group. Rank 0 must have memory for the logs of all ranks.
constexpr std::size_t kSampledMax = 512;
constexpr std::size_t kSampledMin = 32;
constexpr std::size_t kSampledOfAllRanks = std::size_t{1} << 17;
constexpr std::int64_t kPackedMax = std::int64_t{1} << 30;  // the limit of an MPI count in int
constexpr std::size_t kGroupsMax = 512;                     // further groups are summed as one

struct Recorder {
  std::mutex mutex;
  ReportForm form = ReportForm::kNone;
  MPI_Comm comm = MPI_COMM_NULL;
  int key = MPI_KEYVAL_INVALID;
  int rank = 0;
  std::vector<int> node_of_rank;  // in the job: the lowest rank of the node
  std::size_t sampled_max = 0;
  std::int64_t started_ns = 0;
  NodeClocks clocks;
  std::map<std::vector<int>, std::unique_ptr<GroupLog>> groups;  // by ranks in the job
};

Recorder& here() {
  static auto* const recorder = new Recorder;  // MPI may end after everything else
  return *recorder;
}

struct Members {
  std::vector<int> ranks;  // ranks in the job, of members of this job
  bool all_in_job = false;
};

Members members_of(MPI_Comm comm) {
  int between = 0;
  Members members{.ranks = {}, .all_in_job = true};
  MPI_Group world = MPI_GROUP_NULL;
  check(PMPI_Comm_test_inter(comm, &between));
  check(PMPI_Comm_group(here().comm, &world));
  for (const bool remote : {false, true}) {
    if (remote && !between) break;
    MPI_Group group = MPI_GROUP_NULL;
    int size = 0;
    check(remote ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group));
    check(PMPI_Group_size(group, &size));
    std::vector<int> own(static_cast<std::size_t>(size)), ranks(own.size());
    std::iota(own.begin(), own.end(), 0);
    check(PMPI_Group_translate_ranks(group, size, own.data(), world, ranks.data()));
    check(PMPI_Group_free(&group));
    for (const int rank : ranks) {
      if (rank != MPI_UNDEFINED) members.ranks.push_back(rank);
      if (rank == MPI_UNDEFINED) members.all_in_job = false;
    }
  }
  check(PMPI_Group_free(&world));
  if (between) {
    members.all_in_job = false;
    std::ranges::sort(members.ranks);  // each group sees the other as remote
  }
  return members;
}

// FNV-1a: gives the same value on all ranks of the group.
std::uint64_t name_of(const std::vector<int>& ranks) {
  std::uint64_t name = 0xcbf29ce484222325u;
  for (const int rank : ranks) name = (name ^ static_cast<std::uint64_t>(rank)) * 0x100000001b3u;
  return name | 1;
}

GroupHead head_of(const Members& members) {
  const auto own = std::ranges::find(members.ranks, here().rank);
  GroupHead head{.members = static_cast<std::int32_t>(members.ranks.size()),
                 .position = static_cast<std::int32_t>(own - members.ranks.begin())};
  if (!members.all_in_job) return head;
  std::unordered_map<int, int> ranks_of_node;
  for (const int rank : members.ranks) {
    const int node = here().node_of_rank[static_cast<std::size_t>(rank)];
    head.ranks_per_node = std::max(head.ranks_per_node, ++ranks_of_node[node]);
  }
  head.nodes = static_cast<std::int32_t>(ranks_of_node.size());
  head.name = here().groups.size() < kGroupsMax ? name_of(members.ranks) : 0;
  return head;
}

GroupLog& make_log(MPI_Comm comm) {
  Members members = members_of(comm);
  GroupHead head = head_of(members);
  if (head.nodes == 0 || head.name == 0) {  // one log for all groups of that shape and size
    members.ranks = {-1, head.nodes, head.ranks_per_node, head.members};
  }
  std::unique_ptr<GroupLog>& log = here().groups[members.ranks];
  if (log == nullptr) log = std::make_unique<GroupLog>(GroupLog{.head = head, .kinds = {}});
  check(PMPI_Comm_set_attr(comm, here().key, log.get()));
  return *log;
}

GroupLog& log_of(MPI_Comm comm) {
  void* log = nullptr;
  int there = 0;
  check(PMPI_Comm_get_attr(comm, here().key, &log, &there));
  return there ? *static_cast<GroupLog*>(log) : make_log(comm);
}

std::vector<std::byte> pack_all(bool with_sampled) {
  std::vector<const GroupLog*> groups;
  for (const auto& [ranks, log] : here().groups) groups.push_back(log.get());
  return pack(groups, with_sampled);
}

// On rank 0: the logs of all ranks, in order; empty elsewhere.
std::vector<std::vector<PackedKind>> gather_all(int ranks) {
  std::vector<std::byte> own = pack_all(true);
  std::int64_t most = static_cast<std::int64_t>(own.size());
  check(PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, here().comm));
  if (most * ranks > kPackedMax) own = pack_all(false);
  const int bytes = static_cast<int>(own.size());
  std::vector<int> sizes(static_cast<std::size_t>(ranks)), begins(sizes.size());
  check(PMPI_Gather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, here().comm));
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  std::vector<std::byte> all(static_cast<std::size_t>(begins.back()) + sizes.back());
  check(PMPI_Gatherv(own.data(), bytes, MPI_BYTE, all.data(), sizes.data(), begins.data(), MPI_BYTE,
                     0, here().comm));
  std::vector<std::vector<PackedKind>> kinds;
  for (std::size_t rank = 0; here().rank == 0 && rank < sizes.size(); ++rank) {
    kinds.push_back(unpack(std::span(all).subspan(static_cast<std::size_t>(begins[rank]),
                                                  static_cast<std::size_t>(sizes[rank]))));
  }
  return kinds;
}

void report_at_end() {
  recorder::is_on = false;
  Recorder& own = here();
  const std::int64_t ended_ns = recorder::now_ns();
  own.clocks.compare(own.comm, own.node_of_rank);
  const int ranks = static_cast<int>(own.node_of_rank.size());
  std::vector<std::vector<PackedKind>> of_ranks = gather_all(ranks);
  if (own.rank != 0) return;
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    for (PackedKind& kind : of_ranks[rank]) {
      for (SampledCall& call : kind.sampled) {
        call.entered_ns = own.clocks.at_rank_0(own.node_of_rank[rank], call.entered_ns);
      }
    }
  }
  std::vector<int> nodes = own.node_of_rank;
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const JobShape job{.ranks = ranks,
                     .nodes = static_cast<int>(nodes.size()),
                     .run_ns = static_cast<double>(ended_ns - own.started_ns)};
  const ProfileDurations profile = durations_from_profile(mpi_name());
  CallReport report = make_call_report(job, of_ranks, profile.predict);
  report.without_profile = profile.missing;
  const std::string text = own.form == ReportForm::kJson ? to_json(report) + '\n' : to_text(report);
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

namespace recorder {

std::atomic<bool> is_on{false};

std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void record(const CallMade& call, bool blocks, std::int64_t entered_ns,
            std::int64_t took_ns) noexcept {
  try {
    const std::lock_guard lock(here().mutex);
    GroupLog& log = log_of(call.comm);
    const bool unlike = log.head.nodes == 0 && call.size_class != kNoSize;
    const CallKind kind{.collective = call.collective,
                        .blocks = blocks,
                        .is_persistent = call.is_persistent,
                        .size_class = unlike ? kUnlikeSize : call.size_class};
    const std::size_t sampled_max = blocks && log.head.name != 0 ? here().sampled_max : 0;
    log.kinds.try_emplace(kind, sampled_max)
        .first->second.add(call.size_bytes, {.root = call.root,
                                             .position = log.head.position,
                                             .entered_ns = entered_ns,
                                             .took_ns = took_ns});
  } catch (...) {  // no memory, or no communicator: continue without recording
  }
}

}  // namespace recorder

void start_call_report(ReportForm form) {
  Recorder& own = here();
  auto said = static_cast<int>(form);
  check(PMPI_Bcast(&said, 1, MPI_INT, 0, MPI_COMM_WORLD));
  own.form = static_cast<ReportForm>(said);
  if (own.form == ReportForm::kNone) return;
  MPI_Group world = MPI_GROUP_NULL;
  check(PMPI_Comm_group(MPI_COMM_WORLD, &world));
  const int code = PMPI_Comm_create(MPI_COMM_WORLD, world, &own.comm);
  check(PMPI_Group_free(&world));
  check(code);
  check(PMPI_Comm_rank(own.comm, &own.rank));
  for (const RankLocation& location : exchange_locations(own.comm, CopyMethod::kMessages)) {
    own.node_of_rank.push_back(location.node);
  }
  own.sampled_max =
      std::clamp(kSampledOfAllRanks / own.node_of_rank.size(), kSampledMin, kSampledMax);
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &own.key, nullptr));
  own.clocks.compare(own.comm, own.node_of_rank);
  call_at_end([] { guarded(here().comm, [] { report_at_end(); }); });
  own.started_ns = recorder::now_ns();
  recorder::is_on = true;
}

}  // namespace nmt::collectives
