// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/relay.h"
#include "collectives/mpi/spread.h"

namespace nmt::collectives {
namespace {

constexpr std::array kArounds = {std::pair{Around::kLeaders, std::string_view("leaders")},
                                 std::pair{Around::kRing, std::string_view("ring")},
                                 std::pair{Around::kNeighbors, std::string_view("neighbors")}};

// Where the ranks' data lie, and in which pieces they travel.
class Blocks {
 public:
  Blocks(std::byte* all, std::uint64_t bytes, std::uint64_t segment_bytes)
      : all_(all), bytes_(bytes), segment_bytes_(segment_bytes) {}

  Blocks uncut() const { return {all_, bytes_, 0}; }

  Span of(int rank) const { return {all_ + static_cast<std::uint64_t>(rank) * bytes_, bytes_}; }

  // Of neighbors by rank, together; in segments.
  std::vector<Span> of(const std::vector<int>& ranks) const {
    std::vector<Span> pieces;
    for (std::size_t i = 0; i < ranks.size();) {
      std::size_t end = i + 1;
      while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
      const Cut cut((end - i) * bytes_, segment_bytes_);
      for (std::uint64_t each = 0; each < cut.segments(); ++each) {
        pieces.emplace_back(of(ranks[i]).data() + cut.offset(each), cut.bytes_of(each));
      }
      i = end;
    }
    return pieces;
  }

  Piece piece(Span span) const {
    return {static_cast<std::uint64_t>(span.data() - all_), span.size()};
  }

 private:
  std::byte* all_;
  std::uint64_t bytes_;
  std::uint64_t segment_bytes_;
};

// From one rank after the other to the leader of its group; each is an operation of the room.
void collect(Team& team, Room* room, const Blocks& blocks, int leader) {
  std::vector<std::pair<MPI_Request, Span>> receipts;
  for (const int rank : team.own_group().ranks) {
    if (rank == leader) continue;
    const Span block = blocks.of(rank);
    if (room != nullptr) {
      room->begin();
      if (team.rank() == rank) {
        room->show(block.data(), {team.member(leader)});
        room->there(block.size(), block, team.waiting());
        room->await_visits(team.waiting());
      } else if (team.rank() == leader) {
        room->fetch(team.member(rank), 0, 0, block, team.waiting());
        room->leave(team.member(rank), team.waiting());
      }
    } else if (team.rank() == rank) {
      Outflow outflow(team, Stream::kGather);
      outflow.send(block, leader, 0);
      outflow.finish();
    } else if (team.rank() == leader) {
      MPI_Request& receipt = receipts.emplace_back(MPI_REQUEST_NULL, block).first;
      check(PMPI_Irecv(block.data(), static_cast<int>(block.size()), MPI_BYTE, rank, MPI_ANY_TAG,
                       team.comm(), &receipt));
    }
  }
  for (auto& [receipt, block] : receipts) {
    MPI_Status status;
    team.wait(&receipt, &status);
    if (arrival_of(status, block, Stream::kGather).data.size() < block.size()) {
      fail_on_different_counts();
    }
  }
}

// The pieces of all groups in the order in which a group's leader gets them: its own first, then
// those of the group before, and so on around the ring.
std::vector<std::vector<Span>> in_order_of_arrival(const Team& team, const Blocks& blocks) {
  const std::vector<Group>& groups = team.groups();
  const std::size_t own = static_cast<std::size_t>(team.group_of(team.rank()));
  std::vector<std::vector<Span>> arrivals;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    arrivals.push_back(blocks.of(groups[(own + groups.size() - i) % groups.size()].ranks));
  }
  return arrivals;
}

// The same stream as the leader's, in pieces of this rank's choice.
void follow_around(Team& team, std::byte* all, const Blocks& blocks, int leader) {
  Share share(team, team.room(), leader, all);
  const Blocks own = share.takes_larger_pieces() ? blocks.uncut() : blocks;
  for (const std::vector<Span>& of_group : in_order_of_arrival(team, own)) {
    for (const Span& piece : of_group) {
      if (share.take(own.piece(piece)) < piece.size()) fail_on_different_counts();
    }
  }
  share.finish();
}

void around_leaders(Team& team, std::byte* all, const Blocks& blocks) {
  const std::vector<Group>& groups = team.groups();
  const std::size_t own = static_cast<std::size_t>(team.group_of(team.rank()));
  const int leader = groups[own].leader;
  const int before = groups[(own + groups.size() - 1) % groups.size()].leader;
  const int after = groups[(own + 1) % groups.size()].leader;
  team.agree(blocks.of(0).size());
  Room* room = team.room();
  collect(team, room, blocks, leader);
  if (room != nullptr) room->begin();
  if (team.rank() != leader) return follow_around(team, all, blocks, leader);
  const std::vector<std::vector<Span>> arrivals = in_order_of_arrival(team, blocks);
  std::vector<Span> pieces;
  for (const std::vector<Span>& of_group : arrivals) {
    pieces.insert(pieces.end(), of_group.begin(), of_group.end());
  }
  const std::size_t here = arrivals.front().size();
  const std::size_t going = pieces.size() - arrivals.back().size();
  Inflow inflow(team, {pieces.begin() + static_cast<std::ptrdiff_t>(here), pieces.end()}, before,
                Stream::kRing);
  Outflow outflow(team, Stream::kRing);
  Spread spread(team, room, all);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i >= here) inflow.next();
    if (i < going) outflow.send(pieces[i], after, going - 1 - i);
    spread.there(blocks.piece(pieces[i]), pieces.size() - 1 - i);
  }
  outflow.finish();
  spread.finish();
}

// All ranks, those of a group after one another.
std::vector<int> in_physical_order(const Team& team) {
  std::vector<int> ranks;
  for (const Group& group : team.groups()) {
    ranks.insert(ranks.end(), group.ranks.begin(), group.ranks.end());
  }
  return ranks;
}

// Within a group, by each from the one before it; between groups, by messages.
void around_ring(Team& team, std::byte* all, const Blocks& blocks) {
  const std::vector<int> order = in_physical_order(team);
  const std::size_t ranks = order.size();
  const auto own = static_cast<std::size_t>(std::ranges::find(order, team.rank()) - order.begin());
  const int before = order[(own + ranks - 1) % ranks];
  const int after = order[(own + 1) % ranks];
  team.agree(blocks.of(0).size());
  Room* room = team.room();
  // Each waits for the next to take its own data out of its area before it takes anything itself:
  // some rank must not, which is the last one of a group elsewhere.
  if (team.groups().size() == 1 && room != nullptr && !room->all_can_read()) room = nullptr;
  const int group = team.group_of(team.rank());
  const bool fetches = room != nullptr && team.group_of(before) == group;
  const bool shows = room != nullptr && team.group_of(after) == group;
  std::vector<Span> coming, going;
  for (std::size_t i = 0; i + 1 < ranks; ++i) {
    const std::vector<Span> mine = blocks.of(std::vector<int>{order[(own + ranks - i) % ranks]});
    const std::vector<Span> next =
        blocks.of(std::vector<int>{order[(own + ranks - i - 1) % ranks]});
    going.insert(going.end(), mine.begin(), mine.end());
    coming.insert(coming.end(), next.begin(), next.end());
  }
  const std::size_t ahead = going.size() / (ranks - 1);  // its own: one block's pieces

  if (room != nullptr) room->begin();
  std::optional<Inflow> inflow;
  if (!fetches) inflow.emplace(team, coming, before, Stream::kRing);
  if (shows) room->show(all, {team.member(after)});
  Outflow outflow(team, Stream::kRing);
  std::uint64_t shown_bytes = 0, fetched_bytes = 0;
  const auto pass_on = [&](std::size_t i) {
    shown_bytes += going[i].size();
    if (shows) {
      room->there(shown_bytes, going[i], team.waiting());
    } else {
      outflow.send(going[i], after, going.size() - 1 - i);
    }
  };
  for (std::size_t i = 0; i < ahead; ++i) pass_on(i);
  for (std::size_t i = 0; i < coming.size(); ++i) {
    if (fetches) {
      room->fetch(team.member(before), fetched_bytes, blocks.piece(coming[i]).offset, coming[i],
                  team.waiting());
    } else {
      inflow->next();
    }
    fetched_bytes += coming[i].size();
    if (i + ahead < going.size()) pass_on(i + ahead);
  }
  if (fetches) room->leave(team.member(before), team.waiting());
  outflow.finish();
  if (shows) room->await_visits(team.waiting());
}

// One exchange of some blocks for some others.
void exchange(Team& team, const std::vector<Span>& send, const std::vector<Span>& receive,
              int with) {
  Inflow inflow(team, receive, with, Stream::kRing);
  Outflow outflow(team, Stream::kRing);
  for (std::size_t i = 0; i < send.size(); ++i) {
    outflow.send(send[i], with, send.size() - 1 - i);
  }
  for (std::size_t i = 0; i < receive.size(); ++i) inflow.next();
  outflow.finish();
}

// Places 2k and 2k + 1 are a pair, which exchanges its blocks first; each then gives what it got
// last, two ranks' blocks at a time, to its neighbor on either side by turns.
void with_neighbors(Team& team, const Blocks& blocks) {
  const std::vector<int> order = in_physical_order(team);
  const int ranks = static_cast<int>(order.size());
  const int own = static_cast<int>(std::ranges::find(order, team.rank()) - order.begin());
  const bool even = own % 2 == 0;
  const auto at = [&](int place) {
    return order[static_cast<std::size_t>((place + ranks) % ranks)];
  };
  const auto pair = [&](int of) {  // the blocks of places 2 of, 2 of + 1
    const int place = (2 * of % ranks + ranks) % ranks;
    return blocks.of(std::vector<int>{at(place), at(place + 1)});
  };
  const int partner = even ? at(own + 1) : at(own - 1);
  exchange(team, blocks.of(std::vector<int>{team.rank()}), blocks.of(std::vector<int>{partner}),
           partner);
  // Of step t, an even place talks to the left and then to the right; odd ones the other way. What
  // comes are the pairs one further away each time.
  int sending = own / 2;
  for (int step = 1; step < ranks / 2; ++step) {
    const bool left = (step % 2 == 1) == even;
    const int distance = (step + 1) / 2;
    const int coming = own / 2 + (left ? -distance : distance);
    exchange(team, pair(sending), pair(coming), left ? at(own - 1) : at(own + 1));
    sending = coming;
  }
}

}  // namespace

std::string_view to_string(Around around) {
  for (const auto& [each, text] : kArounds) {
    if (each == around) return text;
  }
  return {};
}

std::optional<Around> parse_around(std::string_view text) {
  for (const auto& [each, name] : kArounds) {
    if (name == text) return each;
  }
  return std::nullopt;
}

void allgather(Team& team, std::byte* all, std::uint64_t bytes, Around around,
               std::uint64_t segment_bytes) {
  if (team.size() == 1 || bytes == 0) return;
  team.furnish();
  const Blocks blocks(all, bytes, segment_bytes);
  if (around == Around::kLeaders) return around_leaders(team, all, blocks);
  if (around == Around::kNeighbors && team.size() % 2 == 0) return with_neighbors(team, blocks);
  around_ring(team, all, blocks);
}

}  // namespace nmt::collectives
