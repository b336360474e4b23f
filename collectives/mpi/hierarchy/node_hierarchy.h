// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator as groups of ranks that share a node, or a part of one, each with a leader (paper
// "HierKNEM", 3.1).
//
// All ranks of the communicator build it together. All our messages use its private communicator,
// so the program's receives never match them. Not thread-safe, because two collectives of one
// communicator may not run at the same time either.
//
// Face of what the algorithms stand on. In reading order:
//   rank_location      where ranks run, and whether they outnumber the cores
//   request_wait       waits for a message of the MPI
//   message_memory     memory that an MPI may write to after an error
//   mpi_failure        an MPI call that failed, as an exception
//   failure_notifier   notifies other ranks of a failure, so that they do not wait
//   failure            how a failed operation ends for the program
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/mpi/hierarchy/mpi_failure.h"
#include "collectives/mpi/hierarchy/rank_location.h"
#include "collectives/mpi/hierarchy/request_wait.h"
#include "collectives/node_shared_memory.h"

namespace nmt::collectives {

struct HierarchyOptions {
  CopyMethod copies = CopyMethod::kAttach;  // if ranks differ, the last of these values counts
  int leaders = 1;              // per node: one per NUMA node or socket, if it has that many
  bool oversubscribed = false;  // more ranks than cores, including other ranks
  std::vector<int> nodes = {};  // pretended node of each rank; empty: the real ones
};

// From NMADTUNE_MPI_COPIES, with this many leaders per node.
HierarchyOptions options_from_environment(int leaders);

struct Group {
  std::vector<int> ranks;
  int leader = 0;  // the rank nearest to the network, unless the root is in this group
};

class NodeHierarchy {
 public:
  // Called by all ranks of `of`, with their locations. MpiFailure.
  NodeHierarchy(MPI_Comm of, const HierarchyOptions& options,
                const std::vector<RankLocation>& locations);
  NodeHierarchy(MPI_Comm of, const HierarchyOptions& options)
      : NodeHierarchy(of, options, exchange_locations(of, options.copies)) {}
  ~NodeHierarchy();
  NodeHierarchy(const NodeHierarchy&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return static_cast<int>(group_of_.size()); }
  const std::vector<Group>& groups() const { return groups_; }
  int group_of(int rank) const { return group_of_[static_cast<std::size_t>(rank)]; }
  const Group& own_group() const { return groups_[static_cast<std::size_t>(group_of(rank_))]; }
  std::vector<std::vector<int>> ranks_by_group() const;
  int ranks_per_group() const;  // maximum over groups
  // All ranks, node after node, and within a node by sockets and NUMA nodes: the order of rings.
  const std::vector<int>& in_physical_order() const { return in_physical_order_; }
  CopyMethod copies() const { return copies_; }
  // Other possible values of HierarchyOptions::leaders for these ranks, ascending.
  const std::vector<int>& other_leaders() const { return other_leaders_; }
  // The leader of a group in an operation with this root (-1: no root).
  int leader_of(int group, int root) const;
  int member(int rank) const;  // the index in its group

  // Creates shared memory at the first operation; called by all ranks before each.
  void create_shared_memory();
  // The memory by which this group copies, or null if it uses messages; the same on all ranks of
  // the group. The second function provides areas of at least this size for each rank; the first,
  // areas of a default size if a rank needs one.
  NodeSharedMemory* shared_memory();
  NodeSharedMemory* shared_memory_with_areas(std::size_t area_bytes);
  // If the ranks of this group share memory, they meet: Error on all of them if one passes another
  // number.
  void check_same_size(std::uint64_t bytes);

  // The numbers of each rank of this group, by messages, one member after the other; all give
  // equally many.
  std::vector<std::uint64_t> gather_in_group(std::span<const std::uint64_t> own) const;

  void set_wait_hook(const WaitHook& run_wait_hook) { wait_hook_ = run_wait_hook; }
  const WaitPolicy& waiting() const { return waiting_; }
  void wait(MPI_Request* request, MPI_Status* status = MPI_STATUS_IGNORE) const {
    wait_for(request, waiting_.oversubscribed, status,
             {.function = run_wait_hook, .object = waiting_.mpi});
  }

 private:
  void form_groups(const std::vector<RankLocation>& locations, const HierarchyOptions& options);
  std::string try_to_create_shared_memory();
  void gather_in_group(std::span<const std::byte> own, std::span<std::byte> all) const;
  template <class Value>
  std::vector<Value> gather_in_group(const Value& own) const;
  static void make_progress(void* hierarchy);
  static void run_wait_hook(void* hierarchy);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::vector<Group> groups_;
  std::vector<int> group_of_;
  std::vector<int> in_physical_order_;
  std::vector<int> other_leaders_;
  std::vector<pid_t> pids_;  // of its own group
  CopyMethod copies_;
  bool shared_memory_tried_ = false;
  std::unique_ptr<NodeSharedMemory> shared_memory_;
  WaitPolicy waiting_;
  WaitHook wait_hook_;
};

}  // namespace nmt::collectives
