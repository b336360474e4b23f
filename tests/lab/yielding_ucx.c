// SPDX-License-Identifier: BSD-3-Clause
//
// To preload into MPICH over UCX where it has more ranks than cores: a rank that waits polls UCX
// without a pause for as long as the kernel lets it, while those that it waits for stand in line.
// With this it gives its core up where a look at UCX brought nothing, and naps after many of them:
// 17 ranks on two cores take seconds instead of hours.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

enum { kLooks = 20, kNapNs = 20000 };

typedef unsigned progress(void* worker);

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static progress* real;
  static int looks;  // in vain, since the last that was not
  if (real == 0) *(void**)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = real(worker);
  if (events > 0) {
    looks = 0;
  } else if (looks < kLooks) {
    ++looks;
    sched_yield();
  } else {
    const struct timespec nap = {0, kNapNs};
    nanosleep(&nap, 0);
  }
  return events;
}
