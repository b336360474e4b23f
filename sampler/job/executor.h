// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks of a job do together when rank 0 says so: messages between two, alltoalls of some,
// many connections at a time.
//
// One thing lasts from the first rank's start to the last one's end, by one clock
// (sampler/job/clock.h), and begins at a time agreed before.
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

namespace nmt {

// Where the ranks of a job are.
struct JobShape {
  std::vector<std::vector<int>> nodes;  // the ranks of each, rank 0 in the first
  int ranks_per_node = 0;               // 0: not the same on all

  static JobShape of(const control::MpiJob& job);
};

// kMessage: there and back between rank 0 and `subject`; half of it.
// kEarly: from rank 0 to `subject`, before that one asks for it; 1 where it is eager, else 0.
// kDirect, kLibrary: alltoall of the first `subject` ranks, by direct exchange or by the MPI's own.
// kConnections: `subject` messages at a time between nodes, the first ones each from its node to
// the next, further ones to those after; the mean of their durations and the slowest.
// kCollective: by all ranks, number `subject` of those that set_collectives() was given.
enum class JobOperation : std::uint32_t {
  kEnd,
  kClock,
  kMessage,
  kEarly,
  kDirect,
  kLibrary,
  kConnections,
  kCollective
};

// What rank 0 has all ranks do next.
struct Order {
  JobOperation operation = JobOperation::kEnd;
  std::int32_t subject = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t repetitions = 1;
  double rest_ns = 0;  // from the start of a collective, before anybody tells its times
};

class JobExecutor {
 public:
  // By all ranks.
  JobExecutor(const control::MpiJob& job, const JobShape& shape);

  double now_ns() const { return clock_.now_ns(); }

  // How to run collectives, and how much room they need for what comes.
  struct Collectives {
    std::function<void(const Order&, const std::byte* from, std::byte* to)> run;
    std::function<std::uint64_t(const Order&)> room_bytes;
  };
  void set_collectives(Collectives collectives) { collectives_ = std::move(collectives); }

  // By all ranks. One number for each repetition, on rank 0; two of kConnections.
  std::vector<double> run(const Order& order);

  // The part of all other ranks: until the end.
  void follow();

 private:
  int group_of(int ranks);
  void make_room(std::uint64_t size_bytes);
  std::vector<double> run_message(const Order& order);
  std::vector<double> run_early(const Order& order);
  std::vector<double> run_alltoall(const Order& order);
  std::vector<double> run_connections(const Order& order);
  std::vector<double> run_collective(const Order& order);
  double agree();
  void rest_until(double time_ns) const;

  const control::MpiJob& job_;
  const JobShape& shape_;
  RealClock real_;
  JobClock clock_;
  std::map<int, int> groups_;  // by number of ranks; made by their first alltoall
  std::vector<std::byte> from_, to_;
  Collectives collectives_;
  double word_ns_ = 0;  // that a word from rank 0 takes lately
};

}  // namespace nmt
