// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the MPI take another of its algorithms for a collective than the one that it chooses
// itself, by setting control variables (MPI_T). "library:ring" is the algorithm that it calls ring.
//
// Open MPI's coll/tuned reads its variables when a communicator is made. So this library sets them,
// makes another communicator of the same ranks, a shadow, and sets them back; calls go to the
// shadow. MPICH reads its variables at each call. So this library sets them before the call and
// sets them back after it.
//
// An operation has no such algorithms
// - where the MPI has no such variables or does not let them be set,
// - where the user has set them,
// - under MPI_THREAD_MULTIPLE: another thread could call the MPI while a variable is set.
//
// Face of what is known of the MPI itself. Beside its algorithms:
//   control_variable   a variable of the MPI (MPI_T) that sets one
//   running_mpi        the name and version of the MPI
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/mpi/library/control_variable.h"

namespace nmt::collectives {

// Whether variables are read when a communicator is made, and not at each call.
#ifdef OPEN_MPI
inline constexpr bool kNeedsShadow = true;
#else
inline constexpr bool kNeedsShadow = false;
#endif

// The MPI's algorithms for one operation ("bcast").
class LibraryAlgorithms {
 public:
  // Sets and reads the variables once, to see whether the MPI lets them be set.
  explicit LibraryAlgorithms(std::string_view operation);

  // By the variable's value.
  const std::map<int, std::string>& names() const { return names_; }
  bool take_segments() const { return takes_segments_; }

  // Sets the variables, and sets them back.
  bool set(int number, std::uint64_t segment_bytes) const;
  void set_back() const;

 private:
  bool can_be_set(int number) const;

  ControlVariable number_;
  ControlVariable segment_;
  ControlVariable switch_;  // without which coll/tuned takes no notice of the others
  int switch_before_ = 0;
  int segment_before_ = 0;
  bool takes_segments_ = false;
  std::map<int, std::string> names_;
};

// The object lasts as long as the process. Any thread may call this function.
const LibraryAlgorithms& library_algorithms_of(std::string_view operation);

// An algorithm of the MPI, with the size of its segments; 0: it divides no message.
struct LibraryChoice {
  const LibraryAlgorithms* algorithms = nullptr;
  int number = 0;
  std::uint64_t segment_bytes = 0;
};

// `algorithm`: "library:ring". nullopt if it cannot be set on this rank.
std::optional<LibraryChoice> find_library_choice(std::string_view operation,
                                                 std::string_view algorithm,
                                                 std::uint64_t segment_bytes);

// Whether an algorithm works on this many ranks: some fail on more than two.
bool suits_ranks(std::string_view algorithm, int ranks);

// Sets the variables of a choice, and sets them back when this object ends.
class LibrarySetting {
 public:
  explicit LibrarySetting(const LibraryChoice& choice)
      : choice_(choice), is_set_(choice.algorithms->set(choice.number, choice.segment_bytes)) {}
  ~LibrarySetting() { choice_.algorithms->set_back(); }
  LibrarySetting(const LibrarySetting&) = delete;
  LibrarySetting& operator=(const LibrarySetting&) = delete;

  bool is_set() const { return is_set_; }

 private:
  LibraryChoice choice_;
  bool is_set_;
};

struct ShadowCommunicator {
  MPI_Comm comm = MPI_COMM_NULL;  // its error handler returns; null: it could not be made
  bool asks = false;              // a rank has a device runtime (device_memory.h)
};

// Called by all ranks of `comm`; the result is null on all of them or on none.
ShadowCommunicator make_shadow(MPI_Comm comm, const LibraryChoice& choice);
void free_shadow(ShadowCommunicator& shadow) noexcept;

}  // namespace nmt::collectives
