// SPDX-License-Identifier: BSD-3-Clause
//
// The algorithms that the MPI has for a collective besides the one that it chooses itself, as far
// as its control variables (MPI_T) can set them: "library:ring" is the one that it calls ring.
//
// Open MPI's coll/tuned reads its variables when a communicator is made, so a call goes to another
// communicator of the same ranks, a shadow, which was made while they were set. MPICH reads them at
// each call, so they are set for the call. In neither case may another thread call the MPI
// meanwhile: under MPI_THREAD_MULTIPLE there are none.
//
// An operation has none where the variables are missing, where they cannot be set, and where they
// have been set by the user.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/mpi/control_variable.h"

namespace nmt::collectives {

// Whether variables are read when a communicator is made, and not at each call.
#ifdef OPEN_MPI
inline constexpr bool kNeedsShadow = true;
#else
inline constexpr bool kNeedsShadow = false;
#endif

// Those of one operation ("bcast").
class LibraryAlgorithms {
 public:
  // Sets and reads the variables once, to see whether the MPI lets them be set.
  explicit LibraryAlgorithms(std::string_view operation);

  // By number.
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

// They last as long as the process. Any thread may ask.
const LibraryAlgorithms& library_algorithms_of(std::string_view operation);

// One of them, with the segment that it divides messages into; 0: none.
struct LibraryChoice {
  const LibraryAlgorithms* algorithms = nullptr;
  int number = 0;
  std::uint64_t segment_bytes = 0;
};

// Of "library:ring". nullopt on a rank where it cannot be set.
std::optional<LibraryChoice> find_library_choice(std::string_view operation,
                                                 std::string_view algorithm,
                                                 std::uint64_t segment_bytes);

// Whether so many ranks can run it: some algorithms are for two ranks only, and an error on others.
bool suits_ranks(std::string_view algorithm, int ranks);

// A choice that is set while this object lives.
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
  MPI_Comm comm = MPI_COMM_NULL;  // its errors return; null: its ranks could not make one
  bool asks = false;              // a rank has a device runtime (device_memory.h)
};

// Called by all ranks of `comm`; the result is null on all of them or on none.
ShadowCommunicator make_shadow(MPI_Comm comm, const LibraryChoice& choice);
void free_shadow(ShadowCommunicator& shadow) noexcept;

}  // namespace nmt::collectives
