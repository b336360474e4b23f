// SPDX-License-Identifier: BSD-3-Clause
#include "control/hang_alarm.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/error.h"

namespace nmt::control {
namespace {

constexpr unsigned kAbortS = 3;
constexpr timespec kPassedOn{.tv_sec = 1, .tv_nsec = 0};
constexpr int kCode = static_cast<int>(Fault::kPeer);

std::atomic<void (*)(int)> abort_job = nullptr;

extern "C" void end_process(int) { ::_exit(kCode); }

extern "C" void end_job(int) {
  constexpr char kWords[] =
      "nmad-sample: a rank of this job no longer answers; results so far are stored and marked "
      "incomplete\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWords, sizeof kWords - 1);
  ::nanosleep(&kPassedOn, nullptr);
  ::signal(SIGALRM, end_process);
  sigset_t alarms;
  ::sigemptyset(&alarms);
  ::sigaddset(&alarms, SIGALRM);
  ::sigprocmask(SIG_UNBLOCK, &alarms, nullptr);
  ::alarm(kAbortS);
  abort_job.load()(kCode);
  ::_exit(kCode);
}

}  // namespace

HangAlarm::HangAlarm(double limit_ns, void (*abort)(int code)) {
  constexpr double kSecondsMax = 24 * 3600;
  abort_job = abort;
  ::signal(SIGALRM, end_job);
  ::alarm(static_cast<unsigned>(std::min(std::ceil(limit_ns / 1e9), kSecondsMax)));
}

HangAlarm::~HangAlarm() { ::alarm(0); }

}  // namespace nmt::control
