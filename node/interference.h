// SPDX-License-Identifier: BSD-3-Clause
//
// What else ran on our cores while we measured.
//
// The measuring thread reads these values before and after each block: its time runnable but
// waiting (/proc/thread-self/schedstat), its involuntary context switches, the time that the
// hypervisor stole from the two cores in use (/proc/stat, in steps of 10 ms) and CPU pressure
// (/proc/pressure/cpu). A missing file reads as 0, so a machine without it is never marked as
// disturbed. One reading costs some microseconds; with hundreds of cores /proc/stat makes it some
// hundred microseconds.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/descriptor.h"

namespace nmt::node {

struct Interference {
  std::uint64_t run_delay_ns = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t steal_ns = 0;     // of the two cores in use
  std::uint64_t pressure_ns = 0;  // time some task waited for a CPU

  Interference since(const Interference& before) const;
  Interference& operator+=(const Interference& other);
};

// Belongs to the thread that made it. It keeps its files open.
class InterferenceMeter {
 public:
  InterferenceMeter(int core_a, int core_b);
  Interference read() const;  // totals since boot, or since this thread started

 private:
  int core_a_;
  int core_b_;
  Descriptor schedstat_;
  Descriptor stat_;
  Descriptor pressure_;
};

// The numbers in those files; 0 if the text does not contain them.
std::uint64_t run_delay_ns(std::string_view schedstat);
std::uint64_t stolen_ticks(std::string_view stat, int core);
std::uint64_t pressure_ns(std::string_view pressure);

}  // namespace nmt::node
