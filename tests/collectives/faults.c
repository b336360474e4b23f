// SPDX-License-Identifier: BSD-3-Clause
//
// An MPI program that goes wrong, or works where much is forbidden, in one of several ways. Prints
// "good" and ends with 0 where its collectives gave what they should.
//
//   faults killed RANK all|alltoall|alltoallv
//   faults late SECONDS allreduce|alltoall|alltoallv
//   faults nothing | pair | no-memory | small-files | no-descriptors | copies | crowd
//   faults threads | freed | kept | many
//   faults unreadable user|process all|last
//   faults no-new N
//   faults device
//   faults counts OPERATION COUNT OTHER last|half
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kRanksMax = 8 };
static int rank, size;

static int wrong_alltoall(MPI_Comm comm, int count) {
  int self, ranks, wrong = 0;
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &ranks);
  int* all = malloc(sizeof *all * (size_t)count * (size_t)ranks);
  for (int i = 0; i < count * ranks; ++i) all[i] = self * ranks + i / count;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INT, comm);
  for (int i = 0; i < count * ranks; ++i) wrong += all[i] != i / count * ranks + self;
  free(all);
  return wrong;
}

// Of an Alltoallv.
static int wrong_unequal(MPI_Comm comm, int count) {
  int self, ranks, wrong = 0;
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &ranks);
  int* counts = malloc(sizeof *counts * 2 * (size_t)ranks);
  int* places = counts + ranks;
  int* all = malloc(sizeof *all * (size_t)count * (size_t)ranks);
  for (int r = 0; r < ranks; ++r) {
    counts[r] = count - count / 8 * ((r + self) % 3);
    places[r] = count * r;
  }
  for (int i = 0; i < count * ranks; ++i) all[i] = self * ranks + i / count;
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, comm);
  for (int i = 0; i < count * ranks; ++i) {
    const int r = i / count;
    wrong += all[i] != (i % count < counts[r] ? r * ranks + self : self * ranks + r);
  }
  free(counts);
  free(all);
  return wrong;
}

// All six operations on a communicator; how many results are wrong.
static int wrong_results(MPI_Comm comm, int count) {
  int self, ranks, wrong = 0;
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &ranks);
  const int sum = ranks * (ranks - 1) / 2;
  int* own = malloc(sizeof *own * (size_t)count);
  int* all = malloc(sizeof *all * (size_t)count * (size_t)ranks);
  for (int root = 0; root < ranks; ++root) {
    for (int i = 0; i < count; ++i) own[i] = self == root ? i + root : -1;
    MPI_Bcast(own, count, MPI_INT, root, comm);
    for (int i = 0; i < count; ++i) wrong += own[i] != i + root;
    for (int i = 0; i < count; ++i) own[i] = self + i;
    MPI_Reduce(own, all, count, MPI_INT, MPI_SUM, root, comm);
    for (int i = 0; self == root && i < count; ++i) wrong += all[i] != sum + ranks * i;
  }
  MPI_Allreduce(own, all, count, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < count; ++i) wrong += all[i] != sum + ranks * i;
  MPI_Allgather(own, count, MPI_INT, all, count, MPI_INT, comm);
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < count; ++i) wrong += all[r * count + i] != r + i;
  }
  free(own);
  free(all);
  return wrong + wrong_alltoall(comm, count) + wrong_unequal(comm, count);
}

static int wrong_at_all_sizes(MPI_Comm comm) {
  return wrong_results(comm, 1) + wrong_results(comm, 3000) + wrong_results(comm, 150000);
}

// The call fails from now on in this process; with a first argument: only where it has that.
static void forbid(unsigned call, const unsigned* argument) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, argument != NULL ? 0 : 2, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument != NULL ? *argument : 0, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    perror("seccomp");
    MPI_Abort(MPI_COMM_WORLD, 77);
  }
}

static void die(int signal) {
  (void)signal;
  kill(getpid(), SIGKILL);
}

static int wrong_of(const char* operation, int count) {
  if (strcmp(operation, "alltoall") == 0) return wrong_alltoall(MPI_COMM_WORLD, count);
  if (strcmp(operation, "alltoallv") == 0) return wrong_unequal(MPI_COMM_WORLD, count);
  return wrong_results(MPI_COMM_WORLD, count);
}

// Only a signal ends this.
static void killed(int who, const char* operation) {
  const struct itimerval soon = {.it_value = {.tv_usec = 300000}};
  if (rank == who) {
    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &soon, NULL);
  }
  for (;;) wrong_of(operation, 150000);
}

// The last rank may read the memory of all others but rank 0.
static int pair(void) {
  unsigned pid = (unsigned)getpid();
  PMPI_Bcast(&pid, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (rank == size - 1) {
    char byte;
    const struct iovec here = {&byte, 1}, there = {&byte, 1};
    forbid(SYS_process_vm_readv, &pid);
    if (process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) != -1 || errno != EPERM) return 1;
  }
  return wrong_at_all_sizes(MPI_COMM_WORLD);
}

// After they have copied out of each other's memory, all ranks or the last one become another user,
// or forbid that others read theirs.
static int unreadable(const char* what, const char* who) {
  enum { kNobody = 65534, kCount = 150000 };
  static int data[kCount];
  int wrong = 0, failed = 0;
  const int is_one = strcmp(who, "all") == 0 || rank == size - 1;
  int* words = calloc((size_t)size, sizeof *words);
  PMPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, words, 1, MPI_INT, MPI_COMM_WORLD);
  free(words);
  if (strcmp(what, "process") == 0) failed = setuid(kNobody) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0;
  wrong += wrong_at_all_sizes(MPI_COMM_WORLD);
  if (is_one) {
    failed |= strcmp(what, "process") == 0 ? prctl(PR_SET_DUMPABLE, 0) != 0 : setuid(kNobody) != 0;
  }
  PMPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (failed && rank == 0) puts("no other user");
  for (int turn = 0; turn < 10; ++turn) {
    for (int i = 0; i < kCount; ++i) data[i] = rank == turn % size ? i + turn : -1;
    MPI_Bcast(data, kCount, MPI_INT, turn % size, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) wrong += data[i] != i + turn;
  }
  wrong += wrong_at_all_sizes(MPI_COMM_WORLD) + wrong_at_all_sizes(MPI_COMM_WORLD);
  return wrong;
}

static int no_memory(void) {
  forbid(SYS_memfd_create, NULL);
  return wrong_at_all_sizes(MPI_COMM_WORLD) + wrong_at_all_sizes(MPI_COMM_WORLD);
}

// Enough for what ranks say to each other, too little for data.
static int small_files(void) {
  MPI_Comm other;
  const struct rlimit limit = {64 << 10, 64 << 10};
  setrlimit(RLIMIT_FSIZE, &limit);
  PMPI_Comm_dup(MPI_COMM_WORLD, &other);
  const int wrong = wrong_at_all_sizes(MPI_COMM_WORLD) + wrong_at_all_sizes(other);
  MPI_Comm_free(&other);
  return wrong;
}

// The last rank can open nothing more. Its MPI has all it needs once it has talked to all.
static int no_descriptors(void) {
  const struct rlimit limit = {0, 0};
  int* words = calloc((size_t)size, sizeof *words);
  PMPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, words, 1, MPI_INT, MPI_COMM_WORLD);
  free(words);
  if (rank == size - 1) setrlimit(RLIMIT_NOFILE, &limit);
  return wrong_at_all_sizes(MPI_COMM_WORLD);
}

// Rank 0 computes for so long before the first operation that needs larger areas; a message of
// another is on its way to it meanwhile.
static int late(int computes_s, const char* operation) {
  enum { kCount = 1000000 };
  static int message[kCount], sums[kCount];
  int wrong = 0;
  MPI_Request sent = MPI_REQUEST_NULL;
  MPI_Bcast(message, kCount, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Isend(message, kCount, MPI_INT, 0, 0, MPI_COMM_WORLD, &sent);
  if (rank == 0) sleep((unsigned)computes_s);
  if (rank == 0) MPI_Recv(message, kCount, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(operation, "allreduce") == 0) {
    MPI_Allreduce(message, sums, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else {
    wrong = wrong_of(operation, kCount / 4);
  }
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  return wrong + wrong_at_all_sizes(MPI_COMM_WORLD);
}

// As where a launcher gives variables to some hosts only.
static int copies(void) {
  if (rank == 1) setenv("NMADTUNE_MPI_COPIES", "messages", 1);
  return wrong_at_all_sizes(MPI_COMM_WORLD);
}

static long naps(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw;  // yielding a core is not among them
}

// Ranks wait a second for one other each, asleep most of the time: others have use for the cores.
static int crowd(void) {
  enum { kNapsMin = 50 };
  MPI_Comm two;
  int word = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &two);
  MPI_Bcast(&word, 1, MPI_INT, 0, two);
  const long before = naps();
  if (rank % 2 == 0) sleep(1);
  MPI_Bcast(&word, 1, MPI_INT, 0, two);
  const long since = naps() - before;
  MPI_Comm_free(&two);
  if (rank % 2 == 0 || since >= kNapsMin) return 0;
  fprintf(stderr, "rank %d slept %ld times\n", rank, since);
  return 1;
}

enum { kThreads = 3 };
static MPI_Comm of_thread[kThreads];

static void* work(void* comm) {
  int wrong = 0;
  for (int i = 0; i < 4; ++i) wrong += wrong_at_all_sizes(*(MPI_Comm*)comm);
  return wrong == 0 ? NULL : comm;
}

static int threads(int provided) {
  pthread_t ids[kThreads];
  int wrong = 0;
  if (provided != MPI_THREAD_MULTIPLE) {
    if (rank == 0) puts("no threads");
    return 1;
  }
  for (int i = 0; i < kThreads; ++i) PMPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]);
  for (int i = 0; i < kThreads; ++i) pthread_create(&ids[i], NULL, work, &of_thread[i]);
  for (int i = 0; i < kThreads; ++i) {
    void* result = NULL;
    pthread_join(ids[i], &result);
    wrong += result != NULL;
  }
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&of_thread[i]);
  return wrong;
}

static int entries_of(const char* folder) {
  int count = 0;
  DIR* open = opendir(folder);
  while (open != NULL && readdir(open) != NULL) ++count;
  closedir(open);
  return count;
}

static int shared_mappings(void) {
  char line[4096];
  int count = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) count += strstr(line, "memfd:nmadtune") != NULL;
  fclose(maps);
  return count;
}

// Communicators that are used once and freed at once, some while other ranks are still in there.
static int freed(void) {
  enum { kSettled = 10, kAll = 30 };
  int wrong = 0, descriptors = 0, mappings = 0;
  for (int i = 0; i < kAll; ++i) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, i % 3 == 0 ? rank % 2 : 0, i % 2 == 0 ? rank : -rank, &comm);
    wrong += wrong_results(comm, 3000);
    MPI_Comm_free(&comm);
    if (i == kSettled) {
      descriptors = entries_of("/proc/self/fd");
      mappings = shared_mappings();
    }
  }
  if (entries_of("/proc/self/fd") > descriptors || shared_mappings() > mappings) {
    fprintf(stderr, "descriptors %d, then %d; mappings %d, then %d\n", descriptors,
            entries_of("/proc/self/fd"), mappings, shared_mappings());
    ++wrong;
  }
  return wrong;
}

// The shared memory of this process that is ours, by its number.
static long shared_memory(void) {
  char line[4096];
  long sum = 0, inode;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "memfd:nmadtune") == NULL) continue;
    if (sscanf(line, "%*s %*s %*s %*s %ld", &inode) == 1) sum += inode;
  }
  fclose(maps);
  return sum;
}

// What a communicator needed serves the next one of the same ranks, also after others; two at a
// time have one each.
static int kept(void) {
  enum { kAll = 12 };
  int wrong = 0;
  long memory = 0;
  for (int i = 0; i < kAll; ++i) {
    MPI_Comm all, other, half;
    PMPI_Comm_dup(MPI_COMM_WORLD, &all);
    PMPI_Comm_dup(MPI_COMM_WORLD, &other);
    PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    wrong += wrong_results(all, 3000) + wrong_results(half, 3000) + wrong_results(other, 3000);
    wrong += wrong_results(all, 20000);
    MPI_Comm_free(i % 2 == 0 ? &all : &other);
    MPI_Comm_free(&half);
    MPI_Comm_free(i % 2 == 0 ? &other : &all);
    if (i == 3) memory = shared_memory();  // each of the two has been the larger
  }
  if (memory == 0 || memory != shared_memory()) {
    fprintf(stderr, "rank %d: shared memory was made again\n", rank);
    ++wrong;
  }
  return wrong;
}

// More communicators at a time than an MPI could have twice, with few descriptors to spare.
static int many(void) {
  enum { kMany = 1500 };
  static MPI_Comm comms[kMany];
  int wrong = 0;
  wrong_results(MPI_COMM_WORLD, 1);
  const rlim_t descriptors = (rlim_t)entries_of("/proc/self/fd") + 20;
  const struct rlimit limit = {descriptors, descriptors};
  setrlimit(RLIMIT_NOFILE, &limit);
  for (int i = 0; i < kMany; ++i) {
    int word = rank == 0 ? i : -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    MPI_Bcast(&word, 1, MPI_INT, 0, comms[i]);
    wrong += word != i;
  }
  for (int i = 0; i < kMany; ++i) MPI_Comm_free(&comms[i]);
  return wrong + wrong_at_all_sizes(MPI_COMM_WORLD);
}

// The last rank, or the second half of them, give another count than the rest. How that ends is up
// to the MPI; of a Bcast, what comes must be right, and nothing else be touched.
static int other_counts(char** how) {
  const char* operation = how[0];
  const int count = atoi(how[1]), other = atoi(how[2]);
  const int first_other = strcmp(how[3], "last") == 0 ? size - 1 : size / 2;
  const int own = rank >= first_other ? other : count;
  const int most = count > other ? count : other;
  int* data = malloc(sizeof *data * (size_t)most);
  int* all = malloc(sizeof *all * (size_t)most * (size_t)size);
  int wrong = 0;
  for (int i = 0; i < most; ++i) data[i] = rank == 0 ? i : -1;
  if (strcmp(operation, "bcast") == 0) {
    MPI_Bcast(data, own, MPI_INT, 0, MPI_COMM_WORLD);
    const int there = own < count ? own : count;
    for (int i = 0; rank != 0 && i < most; ++i) wrong += data[i] != (i < there ? i : -1);
  } else if (strcmp(operation, "reduce") == 0) {
    MPI_Reduce(data, all, own, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  } else if (strcmp(operation, "allreduce") == 0) {
    MPI_Allreduce(data, all, own, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(operation, "allgather") == 0) {
    MPI_Allgather(data, own, MPI_INT, all, own, MPI_INT, MPI_COMM_WORLD);
  } else if (strcmp(operation, "alltoall") == 0) {
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, own, MPI_INT, MPI_COMM_WORLD);
  } else if (strcmp(operation, "gather") == 0) {
    MPI_Gather(data, own, MPI_INT, all, own, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (strcmp(operation, "scatter") == 0) {
    MPI_Scatter(all, own, MPI_INT, data, own, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (strcmp(operation, "reduce_scatter_block") == 0) {
    memset(all, 0, sizeof *all * (size_t)most * (size_t)size);
    MPI_Reduce_scatter_block(all, data, own, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(operation, "allgatherv") == 0) {
    int counts[kRanksMax], places[kRanksMax];
    for (int r = 0; r < size; ++r) counts[r] = own, places[r] = r * most;
    MPI_Allgatherv(data, own, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  } else if (strcmp(operation, "alltoallv") == 0) {  // only what the first rank gets differs
    int counts[kRanksMax], sent[kRanksMax], places[kRanksMax];
    for (int r = 0; r < size; ++r) {
      counts[r] = count;
      sent[r] = r == 0 ? own : count;
      places[r] = r * most;
    }
    int* for_all = malloc(sizeof *for_all * (size_t)most * (size_t)size);
    MPI_Alltoallv(for_all, sent, places, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    free(for_all);
  } else {  // "give": to an Allgather, of which all expect the same
    MPI_Allgather(data, own, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  free(data);
  free(all);
  return wrong;
}

// On the last rank, C++ gets no memory for the n-th object since a communicator was made
// (failing_new.cpp).
static int no_new(int nth) {
  MPI_Comm comm;
  void (*fail_new)(int) = NULL;
  *(void**)&fail_new = dlsym(RTLD_DEFAULT, "fail_new");
  if (fail_new == NULL) return 1;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (rank == size - 1) fail_new(nth);
  const int wrong = wrong_results(comm, 3000);
  fail_new(0);
  MPI_Comm_free(&comm);
  return wrong;
}

enum { kOnDevice = 3000 };

// The same at an address that the type has, from MPI_BOTTOM.
static int wrong_from_bottom(int* own, int* all) {
  int wrong = 0, count = kOnDevice;
  MPI_Aint address;
  MPI_Datatype absolute;
  MPI_Get_address(own, &address);
  MPI_Type_create_hindexed(1, &count, &address, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  for (int i = 0; i < kOnDevice; ++i) own[i] = rank == 0 ? i + 1 : -1;
  MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD);
  MPI_Allgather(MPI_BOTTOM, 1, absolute, all, kOnDevice, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < kOnDevice * size; ++i) wrong += all[i] != i % kOnDevice + 1;
  MPI_Type_free(&absolute);
  return wrong;
}

// On the last rank, what all give and get is a device's (fake_devices.c); then nobody's is.
static int device(void) {
  enum { kCount = kOnDevice };
  static int own[kCount], all[kCount * kRanksMax];
  void (*fake_device_memory)(const void*, size_t) = NULL;
  int wrong = 0;
  *(void**)&fake_device_memory = dlsym(RTLD_DEFAULT, "fake_device_memory");
  if (fake_device_memory == NULL) return 1;
  for (int turn = 0; turn < 2; ++turn) {
    if (rank == size - 1) fake_device_memory(own, turn == 0 ? sizeof own : 0);
    for (int i = 0; i < kCount; ++i) own[i] = rank == 0 ? i : -1;
    MPI_Bcast(own, kCount, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) wrong += own[i] != i;
    MPI_Reduce(own, all, kCount, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(own, all, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) wrong += all[i] != size * i;
    MPI_Allgather(own, kCount, MPI_INT, all, kCount, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < kCount * size; ++i) wrong += all[i] != i % kCount;
    MPI_Alltoall(own, kCount / size, MPI_INT, all, kCount / size, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < kCount / size; ++i) wrong += all[i] != rank * (kCount / size) + i;
    int counts[kRanksMax], places[kRanksMax];
    for (int r = 0; r < size; ++r) counts[r] = kCount / size, places[r] = r * counts[r];
    MPI_Alltoallv(own, counts, places, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < kCount / size; ++i) wrong += all[i] != rank * (kCount / size) + i;
    if (turn == 0) wrong += wrong_from_bottom(own, all);
  }
  return wrong;
}

static int run(const char* what, char** arguments, int provided) {
  if (strcmp(what, "killed") == 0) killed(atoi(arguments[0]), arguments[1]);
  if (strcmp(what, "nothing") == 0) return wrong_at_all_sizes(MPI_COMM_WORLD);
  if (strcmp(what, "pair") == 0) return pair();
  if (strcmp(what, "unreadable") == 0) return unreadable(arguments[0], arguments[1]);
  if (strcmp(what, "no-memory") == 0) return no_memory();
  if (strcmp(what, "small-files") == 0) return small_files();
  if (strcmp(what, "no-descriptors") == 0) return no_descriptors();
  if (strcmp(what, "late") == 0) return late(atoi(arguments[0]), arguments[1]);
  if (strcmp(what, "copies") == 0) return copies();
  if (strcmp(what, "crowd") == 0) return crowd();
  if (strcmp(what, "threads") == 0) return threads(provided);
  if (strcmp(what, "freed") == 0) return freed();
  if (strcmp(what, "kept") == 0) return kept();
  if (strcmp(what, "many") == 0) return many();
  if (strcmp(what, "no-new") == 0) return no_new(atoi(arguments[0]));
  if (strcmp(what, "device") == 0) return device();
  if (strcmp(what, "counts") == 0) return other_counts(arguments);
  return 1;
}

static void leave_now(int signal) {
  (void)signal;
  if (write(2, "MPI_Finalize hangs\n", 19) < 0) _exit(1);
  _exit(0);
}

// MPICH over UCX's TCP may hang in MPI_Finalize where ranks have not heard of each other before, or
// come there with something to do (control/mpi/module.c).
static void rest(void) {
  char* words = calloc((size_t)size, 2);
  PMPI_Alltoall(words, 1, MPI_CHAR, words + size, 1, MPI_CHAR, MPI_COMM_WORLD);
  PMPI_Barrier(MPI_COMM_WORLD);
  free(words);
  usleep(200000);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int provided = 0, all = 0;
  const int level = strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int wrong = run(what, argv + 2, provided);
  if (wrong != 0) fprintf(stderr, "rank %d: %d wrong\n", rank, wrong);
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) puts("good");
  fflush(stdout);
  if (all != 0) return MPI_Abort(MPI_COMM_WORLD, 1);
  rest();
  signal(SIGALRM, leave_now);
  alarm(5);
  MPI_Finalize();
  return 0;
}
