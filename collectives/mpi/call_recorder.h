// SPDX-License-Identifier: BSD-3-Clause
//
// Times the collectives of a program that is left alone (NMADTUNE_MPI=never with
// NMADTUNE_MPI_REPORT), for the report at its end.
//
// Between MPI_Init and MPI_Finalize no rank sends anything for it: a call costs two looks at the
// clock and what remembering takes. The clocks of nodes are compared with rank 0's in both of them,
// and their drift is taken for even in between. A call that failed is not counted. Off, a call
// costs one look at a flag. Thread-safe; if threads of a rank use communicators of the same ranks
// at the same time, their calls are told apart by chance.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "collectives/call_record.h"

namespace nmt::collectives {

// A call, once it has succeeded.
struct CallMade {
  Collective collective = Collective::kBarrier;
  MPI_Comm comm = MPI_COMM_NULL;
  std::int16_t size_class = kNoSize;
  std::uint64_t size_bytes = 0;
  int root = 0;
};

enum class ReportForm { kNone, kText, kJson };

// By all ranks, at the end of MPI_Init: rank 0 decides whether and in which form; MpiFailure.
void start_call_report(ReportForm form);

namespace recorder {
extern std::atomic<bool> is_on;
std::int64_t now_ns() noexcept;
void record(const CallMade& call, bool blocks, std::int64_t entered_ns,
            std::int64_t took_ns) noexcept;
}  // namespace recorder

// What `call()` returns; `describe()` tells what was called, if it was a success.
template <class Describe, class Call>
int timed(Describe&& describe, Call&& call) {
  if (!recorder::is_on.load(std::memory_order_relaxed)) [[likely]]
    return call();
  const std::int64_t entered_ns = recorder::now_ns();
  const int code = call();
  const std::int64_t left_ns = recorder::now_ns();
  if (code == MPI_SUCCESS) recorder::record(describe(), true, entered_ns, left_ns - entered_ns);
  return code;
}

// The same of one that does not block, whose time nobody knows.
template <class Describe, class Call>
int counted(Describe&& describe, Call&& call) {
  const int code = call();
  if (code == MPI_SUCCESS && recorder::is_on.load(std::memory_order_relaxed)) {
    recorder::record(describe(), false, 0, 0);
  }
  return code;
}

}  // namespace nmt::collectives
