// SPDX-License-Identifier: BSD-3-Clause
//
// Sends messages between two processes of this node over shared memory, by the method that a
// profile advises: shm_send PROFILE RAIL MESSAGES
//
// A message that is copied goes through a slot that both processes see. One by rendezvous stays
// where it is: the slot has its address, and the receiver reads it out of the sender's memory. The
// method is decided inline, from one cache line. Without advice, a constant decides.
#define _GNU_SOURCE
#include <inttypes.h>
#include <nmadtune.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOT_BYTES = 1 << 20, BYTES_MAX = SLOT_BYTES, CONSTANT_BYTES = 16 << 10 };

struct slot {
  atomic_uint full;  // 1: has a message for the receiver
  int method;
  uint64_t bytes;
  const void* address;  // of a rendezvous
  unsigned char body[SLOT_BYTES];
};

static int is(atomic_uint* flag, unsigned value) {
  return atomic_load_explicit(flag, memory_order_acquire) == value;
}

static uint64_t size_of(unsigned message) {
  return ((uint64_t)message * 2654435761u >> 7) % BYTES_MAX + 1;
}

static int is_right(const unsigned char* body, unsigned message, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) {
    if (body[i] != (unsigned char)(message + i)) return 0;
  }
  return 1;
}

// The other process. Exits with 0 if every message arrived as it was.
static void receive_all(struct slot* slot, pid_t sender, unsigned messages) {
  unsigned char* body = malloc(BYTES_MAX);
  if (body == NULL) _exit(1);
  for (unsigned message = 0; message < messages; ++message) {
    while (!is(&slot->full, 1)) sched_yield();
    const unsigned char* arrived = slot->body;
    if (slot->method == NMT_RENDEZVOUS) {
      const struct iovec to = {body, slot->bytes};
      const struct iovec from = {(void*)slot->address, slot->bytes};
      if (process_vm_readv(sender, &to, 1, &from, 1, 0) != (ssize_t)slot->bytes) _exit(3);
      arrived = body;
    }
    if (slot->bytes != size_of(message) || !is_right(arrived, message, slot->bytes)) _exit(1);
    atomic_store_explicit(&slot->full, 0, memory_order_release);
  }
  _exit(0);
}

// 0, or -1 if the receiver has ended; then `status` is its end.
static int send_one(struct slot* slot, int method, const unsigned char* body, uint64_t bytes,
                    pid_t receiver, int* status) {
  slot->method = method;
  slot->bytes = bytes;
  slot->address = body;
  if (method != NMT_RENDEZVOUS) memcpy(slot->body, body, bytes);
  atomic_store_explicit(&slot->full, 1, memory_order_release);
  while (!is(&slot->full, 0)) {
    if (waitpid(receiver, status, WNOHANG) == receiver) return -1;
    sched_yield();
  }
  return 0;  // the body belongs to the application again
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: shm_send PROFILE RAIL MESSAGES\n");
    return 2;
  }
  const unsigned messages = (unsigned)strtoul(argv[3], NULL, 10);
  char problem[500];
  const nmt_open_options options = {.struct_bytes = sizeof options,
                                    .file = strcmp(argv[1], "-") == 0 ? NULL : argv[1],
                                    .message = problem,
                                    .message_bytes = sizeof problem};
  nmt_profile* profile = NULL;
  nmt_fast_line line = NMT_FAST_LINE;
  if (nmt_open(&options, &profile) != NMT_OK) {
    fprintf(stderr, "shm_send: %s; constants decide\n", problem);
  } else {
    nmt_fast_path(profile, nmt_find_path(profile, argv[2], NULL), &line);
  }
  struct slot* slot =
      mmap(NULL, sizeof *slot, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  unsigned char* body = malloc(BYTES_MAX);
  if (slot == MAP_FAILED || body == NULL) return 1;
  const pid_t sender = getpid();
  const pid_t receiver = fork();
  if (receiver < 0) return 1;
  if (receiver == 0) receive_all(slot, sender, messages);
  unsigned by_method[3] = {0}, advised = 0;
  int status = 0, ended = 0;
  for (unsigned message = 0; message < messages && !ended; ++message) {
    const uint64_t bytes = size_of(message);
    for (uint64_t i = 0; i < bytes; ++i) body[i] = (unsigned char)(message + i);
    int method = nmt_fast_method(&line, bytes);
    if (method < 0 && profile != NULL) {
      method = nmt_method_for(profile, nmt_find_path(profile, argv[2], NULL), bytes);
    }
    advised += method >= 0;
    if (method < 0) method = bytes < CONSTANT_BYTES ? NMT_COPY : NMT_RENDEZVOUS;
    if (method == NMT_IOVEC) method = NMT_COPY;  // one piece: nothing to gather
    ++by_method[method];
    ended = send_one(slot, method, body, bytes, receiver, &status) != 0;
  }
  if (!ended) waitpid(receiver, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "shm_send: the receiver failed%s\n",
            WIFEXITED(status) && WEXITSTATUS(status) == 3
                ? ": the kernel refuses process_vm_readv (kernel.yama.ptrace_scope)"
                : "");
    return 1;
  }
  printf("%u messages arrived as they were, %u copied, %u by rendezvous, %u by advice\n", messages,
         by_method[NMT_COPY], by_method[NMT_RENDEZVOUS], advised);
  nmt_close(profile);
  return 0;
}
