// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/team.h"

#include <sched.h>
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
constexpr int kGroupTag = 1 << 14;             // above those of streams (relay.cpp)
constexpr int kLooks = 8;                      // before others get the core for longer
constexpr int kLooksAlone = 256;               // before a look for a failure elsewhere
constexpr long kNapNs = 30'000;                // less than a segment takes on the wire

template <class Value>
std::vector<Value> all_gather(const Value& own, MPI_Comm comm) {
  int size = 0;
  check(PMPI_Comm_size(comm, &size));
  std::vector<Value> all(static_cast<std::size_t>(size));
  check(PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm));
  return all;
}

// The lowest rank that shares this one's node.
int node_of_this_rank(MPI_Comm comm, int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  int lowest = rank;
  check(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  check(PMPI_Bcast(&lowest, 1, MPI_INT, 0, node));
  check(PMPI_Comm_free(&node));
  return lowest;
}

}  // namespace

TeamOptions options_from_environment(int leaders) {
  const char* variable = std::getenv("NMADTUNE_MPI_COPIES");
  const std::string_view value = variable == nullptr ? "" : variable;
  return {.copies = value == "shared"     ? Copies::kAreas
                    : value == "messages" ? Copies::kMessages
                                          : Copies::kAttach,
          .leaders = leaders};
}

std::vector<Card> exchange_cards(MPI_Comm comm, Copies copies) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank));
  const std::vector<int> cores = allowed_cores();
  const Card own{.node = node_of_this_rank(comm, rank),
                 .core = cores.front(),
                 .cores = static_cast<int>(cores.size()),
                 .place = place_of(cores.front()),
                 .pid = ::getpid(),
                 .copies = copies};
  return all_gather(own, comm);
}

bool is_crowded(const std::vector<Card>& cards, int rank) {
  const Card& own = cards[static_cast<std::size_t>(rank)];
  return std::ranges::count_if(cards, [&](const Card& card) {
           return card.place.kernel == own.place.kernel && card.core == own.core;
         }) > own.cores;
}

Team::Team(MPI_Comm of, const TeamOptions& options, const std::vector<Card>& cards)
    : copies_(options.copies) {
  MPI_Group group = MPI_GROUP_NULL;
  check(PMPI_Comm_rank(of, &rank_));
  check(PMPI_Comm_group(of, &group));
  const int code = PMPI_Comm_create(of, group, &comm_);  // a duplicate would copy attributes
  check(PMPI_Group_free(&group));
  check(code);
  check(PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));                // MpiFailure
  for (const Card& card : cards) copies_ = std::max(copies_, card.copies);  // all do the same
  form_groups(cards, options);
  waiting_ = {.crowded = options.crowded || is_crowded(cards, rank_), .go_on = go_on, .mpi = this};
  for (const int rank : own_group().ranks) {
    pids_.push_back(cards[static_cast<std::size_t>(rank)].pid);
  }
}

Team::~Team() { PMPI_Comm_free(&comm_); }

// Groups in the order of their lowest ranks, and of their parts of a node.
void Team::form_groups(const std::vector<Card>& cards, const TeamOptions& options) {
  using Node = std::pair<int, int>;
  const auto node_of = [&](std::size_t rank) {
    return Node(cards[rank].node, options.nodes.empty() ? 0 : options.nodes[rank]);
  };
  std::map<Node, std::set<int>> numas, sockets;
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    numas[node_of(rank)].insert(cards[rank].place.numa);
    sockets[node_of(rank)].insert(cards[rank].place.socket);
  }
  std::set<std::size_t> numbers;
  for (const auto* parts : {&numas, &sockets}) {
    for (const auto& [node, of_node] : *parts) numbers.insert(of_node.size());
  }
  numbers.erase(1);
  other_leaders_.assign(numbers.begin(), numbers.end());

  const auto leaders = static_cast<std::size_t>(options.leaders);
  std::map<std::pair<Node, int>, std::vector<int>> ranks_by_part;
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    const Node node = node_of(rank);
    const Place& place = cards[rank].place;
    const int part = leaders == 1                         ? 0
                     : numas.at(node).size() == leaders   ? place.numa
                     : sockets.at(node).size() == leaders ? place.socket
                                                          : 0;
    ranks_by_part[{node, part}].push_back(static_cast<int>(rank));
  }
  group_of_.resize(cards.size());
  for (const auto& [part, ranks] : ranks_by_part) {
    const auto near = std::ranges::find_if(
        ranks, [&](int rank) { return cards[static_cast<std::size_t>(rank)].place.near_network; });
    for (const int rank : ranks) {
      group_of_[static_cast<std::size_t>(rank)] = static_cast<int>(groups_.size());
    }
    groups_.push_back({.ranks = ranks, .leader = near == ranks.end() ? ranks.front() : *near});
  }
}

int Team::ranks_per_group() const {
  std::size_t most = 0;
  for (const Group& group : groups_) most = std::max(most, group.ranks.size());
  return static_cast<int>(most);
}

int Team::leader_of(int group, int root) const {
  return root >= 0 && group_of(root) == group ? root
                                              : groups_[static_cast<std::size_t>(group)].leader;
}

int Team::member(int rank) const {
  const std::vector<int>& ranks = groups_[static_cast<std::size_t>(group_of(rank))].ranks;
  return static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
}

// By all ranks of the group: what each says, by member; through the first one.
template <class Value>
std::vector<Value> Team::gather_in_group(const Value& own) const {
  const std::vector<int>& ranks = own_group().ranks;
  const int bytes = static_cast<int>(sizeof(Value));
  std::vector<Value> all(ranks.size());
  std::vector<MPI_Request> requests(ranks.size(), MPI_REQUEST_NULL);
  if (ranks.front() != rank_) {
    check(PMPI_Isend(&own, bytes, MPI_BYTE, ranks.front(), kGroupTag, comm_, &requests[0]));
    check(PMPI_Irecv(all.data(), bytes * static_cast<int>(all.size()), MPI_BYTE, ranks.front(),
                     kGroupTag, comm_, &requests[1]));
    for (MPI_Request& request : requests) wait(&request);
    return all;
  }
  all.front() = own;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    check(PMPI_Irecv(&all[i], bytes, MPI_BYTE, ranks[i], kGroupTag, comm_, &requests[i]));
  }
  for (MPI_Request& request : requests) wait(&request);
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    check(PMPI_Isend(all.data(), bytes * static_cast<int>(all.size()), MPI_BYTE, ranks[i],
                     kGroupTag, comm_, &requests[i]));
  }
  for (MPI_Request& request : requests) wait(&request);
  return all;
}

// What went wrong is told once.
void Team::furnish() {
  if (furnished_) return;
  furnished_ = true;
  if (copies_ == Copies::kMessages || pids_.size() == 1) return;  // one has nobody to copy from
  const std::string reason = try_to_furnish();
  const std::vector<char> ready = gather_in_group(static_cast<char>(reason.empty()));
  const auto first = std::ranges::find(ready, 0) - ready.begin();  // that knows why not
  if (first < static_cast<std::ptrdiff_t>(ready.size())) room_.reset();
  if (first == member(rank_)) tell_of_messages(reason);
  if (room_) room_->try_pairs(copies_ == Copies::kAttach);
  gather_in_group(char{1});  // all have tried
}

// Without a room, why, or nothing where others know.
std::string Team::try_to_furnish() {
  struct Ready {
    char address[kAddressBytes] = {};
    bool is = false;
  } own;
  const int self = member(rank_);
  std::optional<SharedSegment> desks;
  std::optional<LocalListener> listener;
  std::string reason;
  try {
    if (self == 0) {
      desks.emplace(Room::make_desks(pids_.size()));
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
      Room::hand_out(*desks, pids_, addresses);
    } else {
      desks.emplace(Room::receive_desks(*listener, pids_));
    }
    room_ = std::make_unique<Room>(std::move(*desks), self, pids_);
    room_->introduce();
  } catch (const Error& error) {
    reason = error.what();
  }
  return reason;
}

Room* Team::room() {
  if (!room_ || room_->all_can_read()) return room_.get();
  return room_with_areas(kAreaBytes);
}

Room* Team::room_with_areas(std::size_t area_bytes) {
  if (!room_ || !room_->make_areas(area_bytes, waiting_)) return nullptr;
  return room_.get();
}

void Team::agree(std::uint64_t bytes) {
  if (room_) room_->agree(bytes, waiting_);
}

// Open MPI and MPICH complete a request only while its process is inside of them.
void wait_for(MPI_Request* request, bool crowded, MPI_Status* status, const Look& look) {
  if (!crowded && look.function == nullptr) return check(PMPI_Wait(request, status));
  const int looks_between = crowded ? kLooks : kLooksAlone;
  for (int looks = 1, done = 0;; ++looks) {
    check(PMPI_Test(request, &done, status));
    if (done) return;
    if (looks % looks_between == 0 && look.function != nullptr) look.function(look.object);
    if (!crowded) continue;
    if (looks % looks_between != 0) {
      ::sched_yield();
    } else {
      const timespec nap{.tv_sec = 0, .tv_nsec = kNapNs};
      ::nanosleep(&nap, nullptr);
    }
  }
}

void Team::go_on(void* team) {
  const auto* self = static_cast<Team*>(team);
  int there = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self->comm_, &there, MPI_STATUS_IGNORE);
  if (self->look_.function != nullptr) self->look_.function(self->look_.object);
}

void Team::look(void* team) {
  const auto* self = static_cast<Team*>(team);
  if (self->room_) self->room_->answer();
  if (self->look_.function != nullptr) self->look_.function(self->look_.object);
}

}  // namespace nmt::collectives
