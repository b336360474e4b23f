// SPDX-License-Identifier: BSD-3-Clause
//
// What else ran on our cores while we measured.
//
// Read before and after each block: time this process was runnable but waiting
// (/proc/self/schedstat), involuntary context switches, time stolen by the hypervisor (/proc/stat)
// and CPU pressure (/proc/pressure/cpu). A missing file reads as 0: a machine that does not tell
// is not called disturbed. One reading costs some microseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace nmt {

struct Interference {
  std::uint64_t run_delay_ns = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t steal_ns = 0;     // of the two cores in use
  std::uint64_t pressure_ns = 0;  // time some task waited for a CPU

  Interference since(const Interference& before) const;
  Interference& operator+=(const Interference& other);
};

class InterferenceMeter {
 public:
  InterferenceMeter(int core_a, int core_b);  // keeps the files open
  ~InterferenceMeter();
  Interference read() const;  // this process and these cores, totals since boot

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace nmt
