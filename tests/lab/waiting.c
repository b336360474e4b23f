// SPDX-License-Identifier: BSD-3-Clause
//
// Makes an MPI in the lab wait in the kernel: preloaded into its ranks by scripts/lab.
//
// An MPI that waits looks at its sockets again and again, on a core of its own. In the lab many
// hosts share few cores, and looking would cost more than what is measured. So a look lasts until
// something has come, or for a while; what arrives otherwise than by a socket may wait as long.
#define _GNU_SOURCE
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <time.h>

static const struct timespec a_while = {.tv_nsec = 100000};

// NULL: for ever.
static const struct timespec* limit(int timeout_ms, struct timespec* given) {
  if (timeout_ms < 0) return NULL;
  if (timeout_ms == 0) return &a_while;
  given->tv_sec = timeout_ms / 1000;
  given->tv_nsec = timeout_ms % 1000 * 1000000L;
  return given;
}

int epoll_wait(int epoll, struct epoll_event* events, int count, int timeout_ms) {
  struct timespec given;
  return epoll_pwait2(epoll, events, count, limit(timeout_ms, &given), NULL);
}

int poll(struct pollfd* descriptors, nfds_t count, int timeout_ms) {
  struct timespec given;
  return ppoll(descriptors, count, limit(timeout_ms, &given), NULL);
}
