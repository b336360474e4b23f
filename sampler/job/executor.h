// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks of a job run together on an order of rank 0: messages between two ranks, alltoalls
// of some ranks, many connections at a time.
//
// A duration is from the first rank's start to the last rank's end, by one clock
// (sampler/job/clock.h). The start time is agreed in advance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "control/control.h"
#include "core/clock.h"
#include "sampler/job/clock.h"

namespace nmt::sampler {

// Where the ranks of a job run.
struct JobShape {
  std::vector<std::vector<int>> nodes;  // the ranks of each node; rank 0 is in the first
  int ranks_per_node = 0;               // 0: nodes differ

  static JobShape of(const control::MpiJob& job);
};

// kMessage: half of a round trip between rank 0 and `subject`. kEarly: from rank 0 to `subject`,
// before that rank posts its receive; 1 if it is sent eagerly, else 0. kDirect, kLibrary: alltoall
// of the first `subject` ranks, by direct exchange or by the MPI's own. kConnections: `subject`
// messages at a time between nodes: the first ones go from each node to the next, further ones to
// the nodes after it; the mean of their durations, and the slowest. kCollective: by all ranks,
// number `subject` of those given to set_collectives(). kFlows: one message at a time from each
// node to the one that set_receivers() says; for each node, how long the message to it took.
enum class JobOperation : std::uint32_t {
  kEnd,
  kClock,
  kMessage,
  kEarly,
  kDirect,
  kLibrary,
  kConnections,
  kCollective,
  kFlows
};

inline constexpr std::int32_t kNoFlow = -1;  // a node that sends nothing

// The next operation of all ranks, ordered by rank 0.
struct Order {
  JobOperation operation = JobOperation::kEnd;
  std::int32_t subject = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t repetitions = 1;
  double rest_ns = 0;  // idle from the start of a collective or alltoall until ranks exchange times
};

class JobExecutor {
 public:
  // Called by all ranks.
  JobExecutor(const control::MpiJob& job, const JobShape& shape);

  double now_ns() const { return clock_.now_ns(); }

  // How to run collectives, and how much space they need for results.
  struct Collectives {
    std::function<void(const Order&, const std::byte* from, std::byte* to)> run;
    std::function<std::uint64_t(const Order&)> room_bytes;
  };
  void set_collectives(Collectives collectives) { collectives_ = std::move(collectives); }

  // For kFlows: the node that each node sends to; no two send to the same. Rank 0 tells the others.
  void set_receivers(std::vector<std::int32_t> of_nodes) { receivers_ = std::move(of_nodes); }

  // Called by all ranks. Returns one number per repetition on rank 0; two for kConnections, and for
  // kFlows one for each node, 0 where none was sent to it.
  std::vector<double> run(const Order& order);

  // For all other ranks: obeys orders until kEnd.
  void follow();

 private:
  int group_of(int ranks);
  void make_room(std::uint64_t size_bytes);
  std::vector<double> run_message(const Order& order);
  std::vector<double> run_early(const Order& order);
  std::vector<double> run_alltoall(const Order& order);
  std::vector<double> run_connections(const Order& order);
  std::vector<double> run_collective(const Order& order);
  std::vector<double> run_flows(const Order& order);
  double agree();

  const control::MpiJob& job_;
  const JobShape& shape_;
  RealClock real_;
  JobClock clock_;
  std::map<int, int> groups_;  // by number of ranks; made by their first alltoall
  std::vector<std::byte> from_, to_;
  Collectives collectives_;
  std::vector<std::int32_t> receivers_;  // by node
  double word_ns_ = 0;                   // recent duration of an order from rank 0
};

}  // namespace nmt::sampler
