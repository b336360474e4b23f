// SPDX-License-Identifier: BSD-3-Clause
//
// How the programs of this folder time a collective: from the common start of all ranks to the last
// rank's end. All hosts of a lab have one clock, by which the start is set: ranks leave a barrier
// one after the other, later where it crosses the network more often, and that is not what is
// asked. Nor is what ranks say about their times, and look for, while others are still at work: it
// costs more where neighbors by rank are on different hosts. So they rest first, for as long as it
// may take.
#pragma once

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static inline void sleep_until(int64_t time_ns) {
  const struct timespec time = {time_ns / 1000000000, time_ns % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static inline int64_t latest(int64_t own_ns) {
  int64_t latest_ns = 0;
  PMPI_Allreduce(&own_ns, &latest_ns, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return latest_ns;
}

// Lets the MPI send what it may still have to, as a program would that calls it now and then.
static inline void rest_until(int64_t time_ns) {
  enum { kNapNs = 500000 };
  int there = 0;
  while (now_ns() < time_ns) {
    sleep_until(now_ns() + kNapNs < time_ns ? now_ns() + kNapNs : time_ns);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  }
}

// What call(argument) takes, of all ranks together, in milliseconds; the same on all ranks.
// `longest_ns` is the longest of such calls until now. It fades: after a time-out of TCP, calls
// that are a hundred times as short do not rest that long for ever.
static inline double time_of(void (*call)(const void*), const void* argument, int64_t* longest_ns) {
  enum { kAllKnowNs = 3000000 };  // by then all ranks have heard when to start
  const int64_t start_ns = latest(now_ns()) + kAllKnowNs;
  sleep_until(start_ns);
  call(argument);
  const int64_t end_ns = now_ns();
  rest_until(start_ns + 2 * *longest_ns);
  const int64_t took_ns = latest(end_ns) - start_ns;
  *longest_ns -= *longest_ns / 8;
  if (took_ns > *longest_ns) *longest_ns = took_ns;
  return (double)took_ns / 1e6;
}

static inline int ascending(const void* a, const void* b) {
  const double first = *(const double*)a, second = *(const double*)b;
  return (first > second) - (first < second);
}

static inline double median(double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}
