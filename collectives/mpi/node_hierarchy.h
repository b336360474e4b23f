// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator seen as groups of ranks that share a node, or a part of one, with a leader each
// (paper "HierKNEM", 3.1).
//
// Built by all ranks of the communicator. Ours are all messages in its private communicator,
// so that no receive of the program's meets them. Not thread-safe, as no two collectives of one
// communicator may run at the same time either.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "collectives/locality.h"
#include "collectives/node_shared_memory.h"

namespace nmt::collectives {

// An MPI call that failed under an error handler that returns.
struct MpiFailure : std::runtime_error {
  explicit MpiFailure(int error) : std::runtime_error("an MPI call failed"), code(error) {}
  int code;
};
inline void check(int code) {
  if (code != MPI_SUCCESS) throw MpiFailure(code);
}

enum class CopyMethod { kAttach, kAreas, kMessages };  // within a group: how, the best first

struct HierarchyOptions {
  CopyMethod copies = CopyMethod::kAttach;  // of several ranks' options, the last of these counts
  int leaders = 1;              // of a node: one for each NUMA node or socket where it has as many
  bool oversubscribed = false;  // there are more ranks than cores, counting others
  std::vector<int> nodes = {};  // pretended, of each rank; empty: as they are
};

// As NMADTUNE_MPI_COPIES says, with so many leaders of a node.
HierarchyOptions options_from_environment(int leaders);

// Where a rank runs, as it tells all others.
struct RankLocation {
  int node = 0;   // the lowest rank that shares it
  int core = 0;   // the first it may use,
  int cores = 0;  // of so many
  Locality place;
  pid_t pid = 0;
  CopyMethod copies = CopyMethod::kAttach;
};

// By all ranks of it: the locations of all, by rank. MpiFailure.
std::vector<RankLocation> exchange_locations(MPI_Comm comm, CopyMethod copies);
// Whether more of these ranks than it has cores share the cores of one of them: they are bound to
// the same ones, or none is bound.
bool is_oversubscribed(const std::vector<RankLocation>& locations, int rank);

struct Group {
  std::vector<int> ranks;
  int leader = 0;  // the rank nearest to the network, unless the operation begins or ends here
};

// What a rank does now and then while it waits; may throw what ends the operation.
struct WaitHook {
  void (*function)(void*) = nullptr;
  void* object = nullptr;
};

// Until it is complete; where ranks are more than cores, others get the core meanwhile.
void wait_for(MPI_Request* request, bool oversubscribed, MPI_Status* status = MPI_STATUS_IGNORE,
              const WaitHook& run_wait_hook = {});

class NodeHierarchy {
 public:
  // By all ranks of it, whose locations these are; MpiFailure.
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
  int ranks_per_group() const;  // the most
  CopyMethod copies() const { return copies_; }
  // What else HierarchyOptions::leaders could be for these ranks, in ascending order.
  const std::vector<int>& other_leaders() const { return other_leaders_; }
  // Of the group, in an operation of that root (-1: none).
  int leader_of(int group, int root) const;
  int member(int rank) const;  // its number in its group

  // Shared memory, at the first operation: by all ranks. Later calls do nothing.
  void create_shared_memory();
  // Where this group copies without messages, else null: the same for all of it. With areas of at
  // least so many bytes for each, or any where somebody needs one.
  NodeSharedMemory* shared_memory();
  NodeSharedMemory* shared_memory_with_areas(std::size_t area_bytes);
  // A meeting of the ranks of this group, where they share memory: Error, on all of them, where one
  // says another number.
  void check_same_size(std::uint64_t bytes);

  void set_wait_hook(const WaitHook& run_wait_hook) { wait_hook_ = run_wait_hook; }
  const WaitPolicy& waiting() const { return waiting_; }
  void wait(MPI_Request* request, MPI_Status* status = MPI_STATUS_IGNORE) const {
    wait_for(request, waiting_.oversubscribed, status,
             {.function = run_wait_hook, .object = waiting_.mpi});
  }

 private:
  void form_groups(const std::vector<RankLocation>& locations, const HierarchyOptions& options);
  std::string try_to_create_shared_memory();
  template <class Value>
  std::vector<Value> gather_in_group(const Value& own) const;
  static void make_progress(void* hierarchy);
  static void run_wait_hook(void* hierarchy);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::vector<Group> groups_;
  std::vector<int> group_of_;
  std::vector<int> other_leaders_;
  std::vector<pid_t> pids_;  // of the own group
  CopyMethod copies_;
  bool shared_memory_tried_ = false;
  std::unique_ptr<NodeSharedMemory> shared_memory_;
  WaitPolicy waiting_;
  WaitHook wait_hook_;
};

}  // namespace nmt::collectives
