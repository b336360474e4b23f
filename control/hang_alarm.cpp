// SPDX-License-Identifier: BSD-3-Clause
#include "control/hang_alarm.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace nmt::control {
namespace {

extern "C" void end_process(int) {
  constexpr char kWords[] =
      "nmad-sample: a rank of this job does not answer any more; what was gathered is stored, "
      "marked incomplete\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWords, sizeof kWords - 1);
  ::_exit(static_cast<int>(Fault::kPeer));
}

}  // namespace

HangAlarm::HangAlarm(double limit_ns) {
  constexpr double kSecondsMax = 24 * 3600;
  ::signal(SIGALRM, end_process);
  ::alarm(static_cast<unsigned>(std::min(std::ceil(limit_ns / 1e9), kSecondsMax)));
}

HangAlarm::~HangAlarm() { ::alarm(0); }

}  // namespace nmt::control
