// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/loaded_everywhere.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "collectives/advice.h"
#include "collectives/mpi/hierarchy/failure.h"
#include "collectives/mpi/hierarchy/node_hierarchy.h"
#include "collectives/mpi/library/running_mpi.h"

namespace nmt::collectives {
namespace {

// All ranks leave MPI_Init at about the same time; only a rank without us makes the others wait.
constexpr std::chrono::seconds kUntilAllHaveGreeted{20};
constexpr std::chrono::microseconds kNap{50};

struct Greeting {
  std::uint64_t magic = 0x6e6d616474756e65u;
  std::uint32_t version = 7;  // of all messages between ranks, and of what is replaced
  std::uint32_t rule_bytes = sizeof(Rule);
  std::array<char, 48> mpi = {};  // its name, or the beginning of it
  bool operator==(const Greeting&) const = default;
};

Greeting own_greeting() {
  Greeting own;
  mpi_name().copy(own.mpi.data(), own.mpi.size() - 1);
  return own;
}

// By what these ranks say; those that said nothing are without us.
std::string reason_for(int rank, const std::vector<Greeting>& all) {
  const std::string start = "rank " + std::to_string(rank) + " runs ";
  const Greeting own = own_greeting();
  for (std::size_t other = 0; other < all.size(); ++other) {
    Greeting alike = all[other];
    alike.mpi = own.mpi;
    if (alike != own || all[other] == own) continue;
    return start + own.mpi.data() + ", and rank " + std::to_string(other) + " runs " +
           std::string(all[other].mpi.data(), ::strnlen(all[other].mpi.data(), own.mpi.size())) +
           ": launch the job with one version of the MPI on all nodes";
  }
  return start +
         "libnmadtune-mpi.so, but not all ranks of its job do (or another version): LD_PRELOAD "
         "must reach all of them, or none";
}

bool completes(MPI_Request* request) {
  const auto end = std::chrono::steady_clock::now() + kUntilAllHaveGreeted;
  for (int done = 0; std::chrono::steady_clock::now() < end;) {
    check(PMPI_Test(request, &done, MPI_STATUS_IGNORE));
    if (done) return true;
    std::this_thread::sleep_for(kNap);
  }
  return false;
}

// Whether this rank gathers from each, as `all`, what they would send with us.
// Late messages must find valid memory until the job ends.
template <typename Message>
bool gathers(const Message& own, std::vector<Message>& all, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(PMPI_Iallgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm,
                        &request));
  return completes(&request) && std::ranges::count(all, own) == std::ssize(all);
}

// Empty, or why the job has to end. By non-blocking collectives: they match no blocking one that a
// rank without us may begin with, they end only if all ranks take part, and their wait can have a
// deadline. The messages of the first have one byte: those of a rank without us are too long for
// us, and ours are not too long for it, unless it begins with MPI_Ibarrier. So we give the reason,
// before its MPI ends the job by MPI_ERR_TRUNCATE. (MPICH completes what was too long, without an
// error.)
std::string reason_to_end(MPI_Comm comm) {
  int size = 0, rank = 0;
  check(PMPI_Comm_size(comm, &size));
  check(PMPI_Comm_rank(comm, &rank));
  static constexpr char kMark = 'n';
  static const Greeting own = own_greeting();
  static std::vector<char> marks;
  static std::vector<Greeting> greetings;
  marks.assign(static_cast<std::size_t>(size), '\0');
  greetings.assign(static_cast<std::size_t>(size), {.magic = 0});
  try {
    if (gathers(kMark, marks, comm) && gathers(own, greetings, comm)) return {};
  } catch (const MpiFailure&) {  // a message of another collective, with another size
    return reason_for(rank, {});
  }
  return reason_for(rank, greetings);
}

}  // namespace

void check_loaded_everywhere(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  check(PMPI_Comm_get_errhandler(comm, &handler));
  check(PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  const std::string reason = reason_to_end(comm);
  if (!reason.empty()) end_job(comm, MPI_ERR_OTHER, reason.c_str());
  check(PMPI_Comm_set_errhandler(comm, handler));
  check(PMPI_Errhandler_free(&handler));
}

}  // namespace nmt::collectives
