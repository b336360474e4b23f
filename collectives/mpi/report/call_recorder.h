// SPDX-License-Identifier: BSD-3-Clause
//
// Times the collectives of a program without replacing them (NMADTUNE_MPI=never with
// NMADTUNE_MPI_REPORT), for the report at its end.
//
// Between MPI_Init and MPI_Finalize it sends nothing: a call costs two readings of the clock and
// the recording. MPI_Init and MPI_Finalize compare the clocks of nodes with rank 0's; their drift
// is assumed linear in between. A failed call is not counted. When switched off, a call costs one
// check of a flag. Thread-safe. If threads of a rank use communicators of the same ranks at the
// same time, their calls may be confused.
//
// Face of this report, which collectives/call_report.h writes. In reading order:
//   call_description   the size of a call, from its arguments
//   node_clocks        compares the clocks of all nodes with that of rank 0
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "collectives/call_record.h"

namespace nmt::collectives {

// A call that has succeeded.
struct CallMade {
  Collective collective = Collective::kBarrier;
  MPI_Comm comm = MPI_COMM_NULL;
  std::int16_t size_class = kNoSize;
  std::uint64_t size_bytes = 0;
  int root = 0;
  bool is_persistent = false;
};
inline CallMade persistent(CallMade call) {
  call.is_persistent = true;
  return call;
}

enum class ReportForm { kNone, kText, kJson };

// Called by all ranks at the end of MPI_Init. Rank 0 decides the form; the others pass kNone.
// MpiFailure.
void start_call_report(ReportForm form);

namespace recorder {
extern std::atomic<bool> is_on;
std::int64_t now_ns() noexcept;
void record(const CallMade& call, bool blocks, std::int64_t entered_ns,
            std::int64_t took_ns) noexcept;
}  // namespace recorder

// Returns the result of `call()`; after success, `describe()` says what was called.
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

// The same for a non-blocking or persistent call, whose duration is unknown.
template <class Describe, class Call>
int counted(Describe&& describe, Call&& call) {
  const int code = call();
  if (code == MPI_SUCCESS && recorder::is_on.load(std::memory_order_relaxed)) {
    recorder::record(describe(), false, 0, 0);
  }
  return code;
}

}  // namespace nmt::collectives
