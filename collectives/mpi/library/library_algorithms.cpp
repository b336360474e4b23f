// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/library/library_algorithms.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <functional>
#include <limits>
#include <mutex>

#include "collectives/device_memory.h"
#include "core/collective_sample.h"

namespace nmt::collectives {
namespace {

constexpr std::string_view kTwoRanksOnly = "two_proc";
constexpr int kShadowsMax = 256;  // of a process, at a time

#ifdef OPEN_MPI
std::string variable_of(std::string_view operation) {
  return "coll_tuned_" + std::string(operation) + "_algorithm";
}
constexpr char kSwitch[] = "coll_tuned_use_dynamic_rules";
#else
std::string variable_of(std::string_view operation) {
  std::string name = "MPIR_CVAR_" + std::string(operation) + "_INTRA_ALGORITHM";
  std::ranges::transform(name, name.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  return name;
}
constexpr char kSwitch[] = "";
#endif

std::atomic<int> shadows_in_use{0};

// A communicator whose errors return while this object lives.
class ReturningErrors {
 public:
  explicit ReturningErrors(MPI_Comm comm) : comm_(comm) {
    if (PMPI_Comm_get_errhandler(comm, &before_) != MPI_SUCCESS) return;
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~ReturningErrors() {
    if (before_ == MPI_ERRHANDLER_NULL) return;
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }
  ReturningErrors(const ReturningErrors&) = delete;
  ReturningErrors& operator=(const ReturningErrors&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

// Whether all ranks say yes.
bool all_of(MPI_Comm comm, bool yes) {
  int all = yes ? 1 : 0;
  return PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all != 0;
}

// The same ranks, without the attributes and the topology that a duplicate would have.
bool make_plain(MPI_Comm of, MPI_Comm* plain) {
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_group(of, &group) != MPI_SUCCESS) return false;
  const int code = PMPI_Comm_create(of, group, plain);
  PMPI_Group_free(&group);
  return code == MPI_SUCCESS && PMPI_Comm_set_errhandler(*plain, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

// By this preference Open MPI asks coll/tuned first, and not coll/han, which has other algorithms.
bool duplicate_preferring_tuned(MPI_Comm of, MPI_Comm* copy) {
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Info_create(&info) == MPI_SUCCESS) {
    PMPI_Info_set(info, "ompi_comm_coll_preference", "tuned");
  }
  const int code = PMPI_Comm_dup_with_info(of, info, copy);
  if (info != MPI_INFO_NULL) PMPI_Info_free(&info);
  return code == MPI_SUCCESS && PMPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

// The copy exists on all ranks or on none. All ranks take each step, also after a failure.
MPI_Comm copy_of(MPI_Comm comm) {
  MPI_Comm plain = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  const bool made = all_of(comm, make_plain(comm, &plain)) &&
                    all_of(comm, duplicate_preferring_tuned(plain, &copy));
  if (plain != MPI_COMM_NULL) PMPI_Comm_free(&plain);
  if (!made && copy != MPI_COMM_NULL) PMPI_Comm_free(&copy);
  return copy;
}

bool is_threaded() {
  int level = MPI_THREAD_SINGLE;
  return PMPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE;
}

}  // namespace

LibraryAlgorithms::LibraryAlgorithms(std::string_view operation)
    : number_(variable_of(operation)),
      segment_(variable_of(operation) + "_segmentsize"),
      switch_(kSwitch) {
  // Ranks of an Alltoallv know its size only after they have looked at it together, through the
  // hierarchy of our own algorithms.
  if (operation == "alltoallv" || is_threaded() || number_.read() != 0) return;
  switch_before_ = switch_.read().value_or(0);
  const std::optional<int> segment_before = segment_.read();
  segment_before_ = segment_before.value_or(0);
  takes_segments_ = segment_before.has_value();
  names_ = number_.names();
  names_.erase(0);  // the MPI's own choice
  if (names_.empty() || !can_be_set(names_.begin()->first)) names_.clear();
}

bool LibraryAlgorithms::can_be_set(int number) const {
  const bool can = set(number, 0) && number_.read() == number &&
                   (!kNeedsShadow || switch_.read().value_or(0) != 0);
  set_back();
  return can && number_.read() == 0;
}

bool LibraryAlgorithms::set(int number, std::uint64_t segment_bytes) const {
  if (segment_bytes > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) return false;
  if (takes_segments_) {
    if (!segment_.write(static_cast<int>(segment_bytes))) return false;
  } else if (segment_bytes > 0) {
    return false;
  }
  const bool switched = !kNeedsShadow || switch_before_ != 0 || switch_.write(1);
  return switched && number_.write(number);
}

void LibraryAlgorithms::set_back() const {
  number_.write(0);
  if (takes_segments_) segment_.write(segment_before_);
  if (kNeedsShadow && switch_before_ == 0) switch_.write(0);
}

const LibraryAlgorithms& library_algorithms_of(std::string_view operation) {
  static std::mutex mutex;
  static auto* const all = new std::map<std::string, LibraryAlgorithms, std::less<>>;
  const std::lock_guard lock(mutex);
  const auto found = all->find(operation);
  if (found != all->end()) return found->second;
  return all->try_emplace(std::string(operation), operation).first->second;
}

std::optional<LibraryChoice> find_library_choice(std::string_view operation,
                                                 std::string_view algorithm,
                                                 std::uint64_t segment_bytes) {
  const std::string_view name = library_name_of(algorithm);
  if (name.empty()) return std::nullopt;
  const LibraryAlgorithms& algorithms = library_algorithms_of(operation);
  if (segment_bytes > 0 && !algorithms.take_segments()) return std::nullopt;
  for (const auto& [number, each] : algorithms.names()) {
    if (each == name) return LibraryChoice{&algorithms, number, segment_bytes};
  }
  return std::nullopt;
}

bool suits_ranks(std::string_view algorithm, int ranks) {
  return library_name_of(algorithm) != kTwoRanksOnly || ranks == 2;
}

ShadowCommunicator make_shadow(MPI_Comm comm, const LibraryChoice& choice) {
  const ReturningErrors returning(comm);
  const LibrarySetting setting(choice);
  const bool has_place = shadows_in_use.fetch_add(1) < kShadowsMax;
  std::array<int, 2> agreed = {setting.is_set() && has_place ? 1 : 0, has_device_runtime() ? 0 : 1};
  const int code = PMPI_Allreduce(MPI_IN_PLACE, agreed.data(), static_cast<int>(agreed.size()),
                                  MPI_INT, MPI_MIN, comm);
  ShadowCommunicator shadow{.asks = agreed[1] == 0};
  if (code == MPI_SUCCESS && agreed[0] != 0) shadow.comm = copy_of(comm);
  if (shadow.comm == MPI_COMM_NULL) shadows_in_use.fetch_sub(1);
  return shadow;
}

void free_shadow(ShadowCommunicator& shadow) noexcept {
  if (shadow.comm == MPI_COMM_NULL) return;
  PMPI_Comm_free(&shadow.comm);
  shadows_in_use.fetch_sub(1);
}

}  // namespace nmt::collectives
