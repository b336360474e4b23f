// SPDX-License-Identifier: BSD-3-Clause
//
//   outcomes operators|types|counts return|call|fatal
//   outcomes large-copies|copies-beyond-int|large-reductions|reductions-beyond-int return
//   outcomes errors|first-errors all|last return|call|fatal [WITHOUT...]
#include "tests/collectives/outcomes.h"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <sstream>

namespace nmt::testing {
namespace {

constexpr int kWarmUpCount = 3000;
int handled_by_world = 0;

void count_it(MPI_Comm*, int*, ...) {}
void count_of_world(MPI_Comm*, int*, ...) { ++handled_by_world; }

std::string sum_of(const Memory& bytes) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  char text[32];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace

Outcomes::Outcomes(std::string handler, MPI_Comm world)
    : handler_(std::move(handler)), world_(world) {
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &size_);
  // What goes wrong on another communicator is nothing to that of MPI_COMM_WORLD.
  MPI_Errhandler counts = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_of_world, &counts);
  if (handler_ != "fatal") MPI_Comm_set_errhandler(MPI_COMM_WORLD, counts);
  MPI_Errhandler_free(&counts);
}

MPI_Comm Outcomes::untouched() const {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world_, &comm);
  MPI_Errhandler handler = handler_ == "fatal" ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN;
  if (handler_ == "call") MPI_Comm_create_errhandler(count_it, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  if (handler_ == "call") MPI_Errhandler_free(&handler);
  return comm;
}

MPI_Comm Outcomes::fresh() const {
  std::vector<int> own(kWarmUpCount), all(static_cast<std::size_t>(kWarmUpCount * size_));
  MPI_Comm comm = untouched();
  MPI_Bcast(own.data(), kWarmUpCount, MPI_INT, 0, comm);
  MPI_Reduce(own.data(), all.data(), kWarmUpCount, MPI_INT, MPI_SUM, 0, comm);
  MPI_Allreduce(own.data(), all.data(), kWarmUpCount, MPI_INT, MPI_SUM, comm);
  MPI_Allgather(own.data(), kWarmUpCount, MPI_INT, all.data(), kWarmUpCount, MPI_INT, comm);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), kWarmUpCount, MPI_INT, comm);
  return comm;
}

void Outcomes::tell(const std::string& what, int error, const Memory& bytes) {
  int error_class = 0;
  MPI_Error_class(error, &error_class);
  std::ostringstream line;
  line << what << ": class " << error_class;
  // What a call that failed has left is undefined.
  if (error == MPI_SUCCESS) line << ", bytes " << sum_of(bytes);
  if (handled_by_world > 0) line << ", handled by MPI_COMM_WORLD";
  handled_by_world = 0;
  line << '\n';
  lines_ += line.str();
}

// One rank after the other: each line begins with the rank.
void Outcomes::print() const {
  std::istringstream own(lines_);
  std::string text, line;
  while (std::getline(own, line)) text += "rank " + std::to_string(rank_) + ": " + line + '\n';
  if (rank_ != 0) {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, 0, world_);
    return;
  }
  std::fputs(text.c_str(), stdout);
  for (int from = 1; from < size_; ++from) {
    int length = 0;
    MPI_Status status;
    MPI_Probe(from, 0, world_, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    text.resize(static_cast<std::size_t>(length));
    MPI_Recv(text.data(), length, MPI_CHAR, from, 0, world_, MPI_STATUS_IGNORE);
    std::fputs(text.c_str(), stdout);
  }
  std::puts("done");
  std::fflush(stdout);
}

}  // namespace nmt::testing

int main(int argc, char** argv) {
  using namespace nmt::testing;
  std::vector<std::string> words(argv + 1, argv + argc);
  MPI_Comm world = MPI_COMM_NULL;
  const bool in_first_calls = !words.empty() && words[0] == "first-errors";
  const bool errors = in_first_calls || (!words.empty() && words[0] == "errors");
  if (words.size() < (errors ? 3 : 2)) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  Outcomes outcomes(errors ? words[2] : words[1], world);
  if (words[0] == "operators") walk_over_operators(outcomes, words[1] == "fatal");
  if (words[0] == "types") walk_over_types(outcomes);
  if (words[0] == "large-copies") walk_over_large_copies(outcomes, false);
  if (words[0] == "copies-beyond-int") walk_over_large_copies(outcomes, true);
  if (words[0] == "large-reductions") walk_over_large_reductions(outcomes, false);
  if (words[0] == "reductions-beyond-int") walk_over_large_reductions(outcomes, true);
  if (words[0] == "counts") walk_over_other_counts(outcomes);
  if (errors) {
    walk_over_errors(outcomes, words[1] == "all", in_first_calls, {words.begin() + 3, words.end()});
  }
  outcomes.print();
  MPI_Barrier(world);
  // After errors on some ranks only, MPI_Finalize may wait for what they have not received.
  std::signal(SIGALRM, [](int) { ::_exit(0); });
  ::alarm(2);
  ::usleep(200'000);
  MPI_Comm_free(&world);
  MPI_Finalize();
  return 0;
}
