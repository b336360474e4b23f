// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/hierarchy/node_hierarchy.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "core/error.h"

namespace nmt::collectives {
namespace {

constexpr std::size_t kAreaBytes = 256 << 10;  // stays in a cache
constexpr int kGroupTag = 5 << 12;             // above those of streams (segment_pipeline.cpp)

}  // namespace

HierarchyOptions options_from_environment(int leaders) {
  const char* variable = std::getenv("NMADTUNE_MPI_COPIES");
  const std::string_view value = variable == nullptr ? "" : variable;
  return {.copies = value == "shared"     ? CopyMethod::kAreas
                    : value == "messages" ? CopyMethod::kMessages
                                          : CopyMethod::kAttach,
          .leaders = leaders};
}

NodeHierarchy::NodeHierarchy(MPI_Comm of, const HierarchyOptions& options,
                             const std::vector<RankLocation>& locations)
    : copies_(options.copies) {
  MPI_Group group = MPI_GROUP_NULL;
  check(PMPI_Comm_rank(of, &rank_));
  check(PMPI_Comm_group(of, &group));
  const int code = PMPI_Comm_create(of, group, &comm_);  // a duplicate would copy attributes
  check(PMPI_Group_free(&group));
  check(code);
  check(PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));  // so check() throws MpiFailure
  for (const RankLocation& location : locations)
    copies_ = std::max(copies_, location.copies);  // the same on all ranks
  form_groups(locations, options);
  waiting_ = {.oversubscribed = options.oversubscribed || is_oversubscribed(locations, rank_),
              .make_progress = make_progress,
              .mpi = this};
  for (const int rank : own_group().ranks) {
    pids_.push_back(locations[static_cast<std::size_t>(rank)].pid);
  }
}

NodeHierarchy::~NodeHierarchy() { PMPI_Comm_free(&comm_); }

// Groups are ordered by the lowest ranks of their nodes, and within a node as in a ring: sockets
// one after the other, and the NUMA nodes of each, however these are numbered.
void NodeHierarchy::form_groups(const std::vector<RankLocation>& locations,
                                const HierarchyOptions& options) {
  using Node = std::pair<int, int>;
  const auto node_of = [&](std::size_t rank) {
    return Node(locations[rank].node, options.nodes.empty() ? 0 : options.nodes[rank]);
  };
  std::map<Node, std::map<int, int>> numas;  // with the lowest socket of its ranks
  std::map<Node, std::set<int>> sockets;
  for (std::size_t rank = 0; rank < locations.size(); ++rank) {
    const Locality& place = locations[rank].place;
    int& socket = numas[node_of(rank)].try_emplace(place.numa, place.socket).first->second;
    socket = std::min(socket, place.socket);
    sockets[node_of(rank)].insert(place.socket);
  }
  std::set<std::size_t> numbers;
  for (const auto& [node, of_node] : numas) numbers.insert(of_node.size());
  for (const auto& [node, of_node] : sockets) numbers.insert(of_node.size());
  numbers.erase(1);
  other_leaders_.assign(numbers.begin(), numbers.end());

  const auto leaders = static_cast<std::size_t>(options.leaders);
  using Part = std::pair<int, int>;  // socket and NUMA node, as far as they divide a node
  std::map<std::pair<Node, Part>, std::vector<int>> ranks_by_part;
  for (std::size_t rank = 0; rank < locations.size(); ++rank) {
    const Node node = node_of(rank);
    const Locality& place = locations[rank].place;
    Part part(0, 0);
    if (leaders > 1 && numas.at(node).size() == leaders) {
      part = {numas.at(node).at(place.numa), place.numa};
    } else if (leaders > 1 && sockets.at(node).size() == leaders) {
      part = {place.socket, 0};
    }
    ranks_by_part[{node, part}].push_back(static_cast<int>(rank));
  }
  group_of_.resize(locations.size());
  for (const auto& [part, ranks] : ranks_by_part) {
    const auto near = std::ranges::find_if(ranks, [&](int rank) {
      return locations[static_cast<std::size_t>(rank)].place.near_network;
    });
    for (const int rank : ranks) {
      group_of_[static_cast<std::size_t>(rank)] = static_cast<int>(groups_.size());
    }
    groups_.push_back({.ranks = ranks, .leader = near == ranks.end() ? ranks.front() : *near});
    const auto first =
        in_physical_order_.insert(in_physical_order_.end(), ranks.begin(), ranks.end());
    std::stable_sort(first, in_physical_order_.end(), [&](int one, int other) {
      return is_before_in_ring(locations[static_cast<std::size_t>(one)].place,
                               locations[static_cast<std::size_t>(other)].place);
    });
  }
}

std::vector<std::vector<int>> NodeHierarchy::ranks_by_group() const {
  std::vector<std::vector<int>> ranks;
  for (const Group& group : groups_) ranks.push_back(group.ranks);
  return ranks;
}

int NodeHierarchy::ranks_per_group() const {
  std::size_t most = 0;
  for (const Group& group : groups_) most = std::max(most, group.ranks.size());
  return static_cast<int>(most);
}

int NodeHierarchy::leader_of(int group, int root) const {
  return root >= 0 && group_of(root) == group ? root
                                              : groups_[static_cast<std::size_t>(group)].leader;
}

int NodeHierarchy::member(int rank) const {
  const std::vector<int>& ranks = groups_[static_cast<std::size_t>(group_of(rank))].ranks;
  return static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
}

// Called by all ranks of the group: what each has, by member, collected by the first member.
void NodeHierarchy::gather_in_group(std::span<const std::byte> own,
                                    std::span<std::byte> all) const {
  const std::vector<int>& ranks = own_group().ranks;
  const int bytes = static_cast<int>(own.size()), all_bytes = static_cast<int>(all.size());
  std::vector<MPI_Request> requests(std::max<std::size_t>(ranks.size(), 2), MPI_REQUEST_NULL);
  if (ranks.front() != rank_) {
    check(PMPI_Isend(own.data(), bytes, MPI_BYTE, ranks.front(), kGroupTag, comm_, &requests[0]));
    check(
        PMPI_Irecv(all.data(), all_bytes, MPI_BYTE, ranks.front(), kGroupTag, comm_, &requests[1]));
    for (MPI_Request& request : requests) wait(&request);
    return;
  }
  std::ranges::copy(own, all.begin());
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    check(PMPI_Irecv(all.data() + i * own.size(), bytes, MPI_BYTE, ranks[i], kGroupTag, comm_,
                     &requests[i]));
  }
  for (MPI_Request& request : requests) wait(&request);
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    check(PMPI_Isend(all.data(), all_bytes, MPI_BYTE, ranks[i], kGroupTag, comm_, &requests[i]));
  }
  for (MPI_Request& request : requests) wait(&request);
}

template <class Value>
std::vector<Value> NodeHierarchy::gather_in_group(const Value& own) const {
  std::vector<Value> all(own_group().ranks.size());
  gather_in_group(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

std::vector<std::uint64_t> NodeHierarchy::gather_in_group(
    std::span<const std::uint64_t> own) const {
  auto all = std::make_unique<std::vector<std::uint64_t>>(own_group().ranks.size() * own.size());
  try {
    gather_in_group(std::as_bytes(own), std::as_writable_bytes(std::span(*all)));
  } catch (...) {
    all.release();  // the MPI may still write to it
    throw;
  }
  return std::move(*all);
}

// An error is printed once.
void NodeHierarchy::create_shared_memory() {
  if (shared_memory_) shared_memory_->renumber(waiting_);
  if (shared_memory_tried_) return;
  shared_memory_tried_ = true;
  if (copies_ == CopyMethod::kMessages || pids_.size() == 1) return;  // none to copy from
  const std::string reason = try_to_create_shared_memory();
  const std::vector<char> ready = gather_in_group(static_cast<char>(reason.empty()));
  const auto first = std::ranges::find(ready, 0) - ready.begin();  // the first that knows why not
  if (first < static_cast<std::ptrdiff_t>(ready.size())) shared_memory_.reset();
  if (first == member(rank_)) warn_of_messages(reason);
  if (shared_memory_) shared_memory_->try_pairs(copies_ == CopyMethod::kAttach);
  gather_in_group(char{1});  // wait until all have tried
}

// Returns why it failed; empty if it worked, or if another rank knows why.
std::string NodeHierarchy::try_to_create_shared_memory() {
  struct Ready {
    char address[kAddressBytes] = {};
    bool is = false;
  } own;
  const int self = member(rank_);
  std::optional<node::SharedSegment> slots;
  std::optional<node::LocalListener> listener;
  std::string reason;
  try {
    if (self == 0) {
      slots.emplace(NodeSharedMemory::make_slots(pids_.size()));
    } else {
      listener.emplace();
      std::memcpy(own.address, listener->address().c_str(), kAddressBytes);
    }
    own.is = true;
  } catch (const Error& error) {
    reason = error.what();
  }
  const std::vector<Ready> all = gather_in_group(own);
  if (!std::ranges::all_of(all, &Ready::is)) return reason;
  std::vector<std::string> addresses;
  for (const Ready& each : all) addresses.emplace_back(each.address);
  try {
    if (self == 0) {
      NodeSharedMemory::send_slots(*slots, pids_, addresses);
    } else {
      slots.emplace(NodeSharedMemory::receive_slots(*listener, pids_));
    }
    shared_memory_ = std::make_unique<NodeSharedMemory>(std::move(*slots), self, pids_);
    shared_memory_->publish_process();
  } catch (const Error& error) {
    reason = error.what();
  }
  return reason;
}

NodeSharedMemory* NodeHierarchy::shared_memory() {
  if (!shared_memory_ || shared_memory_->all_can_read()) return shared_memory_.get();
  return shared_memory_with_areas(kAreaBytes);
}

NodeSharedMemory* NodeHierarchy::shared_memory_with_areas(std::size_t area_bytes) {
  if (!shared_memory_ || !shared_memory_->allocate_areas(area_bytes, waiting_)) return nullptr;
  return shared_memory_.get();
}

void NodeHierarchy::check_same_size(std::uint64_t bytes) {
  if (shared_memory_) shared_memory_->check_same_size(bytes, waiting_);
}

void NodeHierarchy::make_progress(void* hierarchy) {
  const auto* self = static_cast<NodeHierarchy*>(hierarchy);
  int there = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self->comm_, &there, MPI_STATUS_IGNORE);
  if (self->wait_hook_.function != nullptr) self->wait_hook_.function(self->wait_hook_.object);
}

void NodeHierarchy::run_wait_hook(void* hierarchy) {
  const auto* self = static_cast<NodeHierarchy*>(hierarchy);
  if (self->shared_memory_) self->shared_memory_->answer();
  if (self->wait_hook_.function != nullptr) self->wait_hook_.function(self->wait_hook_.object);
}

}  // namespace nmt::collectives
