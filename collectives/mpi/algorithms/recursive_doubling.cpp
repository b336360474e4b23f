// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/recursive_doubling.h"

#include <bit>
#include <cstring>
#include <vector>

#include "collectives/mpi/algorithms/group_reduce.h"
#include "collectives/mpi/hierarchy/message_memory.h"

namespace nmt::collectives {
namespace {

void send(NodeHierarchy& hierarchy, Span bytes, int to) {
  SendPipeline sender(hierarchy, Stream::kTree);
  sender.send(bytes, to, 0);
  sender.finish();
}

void receive(NodeHierarchy& hierarchy, Span bytes, int from) {
  ReceivePipeline(hierarchy, {bytes}, from, Stream::kTree).next();
}

void exchange(NodeHierarchy& hierarchy, Span own, Span theirs, int with) {
  ReceivePipeline receiver(hierarchy, {theirs}, with, Stream::kTree);
  SendPipeline sender(hierarchy, Stream::kTree);
  sender.send(own, with, 0);
  receiver.next();
  sender.finish();
}

}  // namespace

void combine_by_recursive_doubling(NodeHierarchy& hierarchy, Span sums,
                                   const Reduction& reduction) {
  const std::vector<Group>& groups = hierarchy.groups();
  const auto own = static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank()));
  const std::size_t paired = std::bit_floor(groups.size());
  const std::size_t extra = groups.size() - paired;
  const bool has_extra = own < 2 * extra;  // of each two of these, one takes no part in the rounds
  const MessageMemory memory(sums.size());
  const Span theirs(memory.data(), sums.size());
  if (has_extra && own % 2 == 0) {
    send(hierarchy, sums, groups[own + 1].leader);
    return receive(hierarchy, sums, groups[own + 1].leader);
  }
  if (has_extra) {
    receive(hierarchy, theirs, groups[own - 1].leader);
    combine(theirs, sums.data(), reduction);
  }
  const std::size_t place = has_extra ? own / 2 : own - extra;
  for (std::size_t distance = 1; distance < paired; distance *= 2) {
    const std::size_t other = place ^ distance;
    const std::size_t group = other < extra ? 2 * other + 1 : other + extra;
    exchange(hierarchy, sums, theirs, groups[group].leader);
    if (other < place) {
      combine(theirs, sums.data(), reduction);
    } else {
      combine(sums, theirs.data(), reduction);
      std::memcpy(sums.data(), theirs.data(), sums.size());
    }
  }
  if (has_extra) send(hierarchy, sums, groups[own - 1].leader);
}

}  // namespace nmt::collectives
