// SPDX-License-Identifier: BSD-3-Clause
//
// Sends messages between two processes over a port of a verbs device, by the method that a profile
// advises: verbs_send PROFILE PORT MESSAGES, where PORT is "mlx5_0:1", as UCX has it
//
// The same name finds the path in the profile. A message that is copied is flattened behind its
// header into registered memory; one by iovec is gathered from where it is; one by rendezvous stays
// there, and the receiver reads it by RDMA. Without advice, constants decide.
#include <errno.h>
#include <inttypes.h>
#include <nmadtune.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <queue_pair.h>

enum { BYTES_MAX = 1 << 20, COPY_BYTES = 4 << 10, EAGER_BYTES = 64 << 10 };

struct header {
  uint64_t bytes;
  uint64_t address;  // of a rendezvous: where the body is, and the key to read it with
  uint32_t key;
  int32_t method;
};

struct end {
  struct queue_pair pair;
  struct ibv_mr* slot;  // a header and, where it was sent along, the body
  struct ibv_mr* body;  // the application's memory
};

static int open_end(struct end* end, const char* port, int socket) {
  if (open_queue_pair(&end->pair, port, socket) != 0) return -1;
  void* slot = malloc(sizeof(struct header) + BYTES_MAX);
  void* body = malloc(BYTES_MAX);
  if (slot == NULL || body == NULL) return -1;
  end->slot = register_memory(&end->pair, slot, sizeof(struct header) + BYTES_MAX);
  end->body = register_memory(&end->pair, body, BYTES_MAX);
  if (end->slot != NULL && end->body != NULL) return 0;
  fprintf(stderr, "verbs_send: cannot register memory: %s (ulimit -l?)\n", strerror(errno));
  return -1;
}

static void close_end(struct end* end) {
  void* memory[2] = {end->slot->addr, end->body->addr};
  ibv_dereg_mr(end->slot);
  ibv_dereg_mr(end->body);
  close_queue_pair(&end->pair);
  free(memory[0]);
  free(memory[1]);
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

// The other process. Returns 0 if every message arrived as it was.
static int receive_all(const char* port, int socket, unsigned messages) {
  struct end end = {0};
  const char ready = 1;
  if (open_end(&end, port, socket) != 0 || post_receive(&end.pair, end.slot) != 0 ||
      send(socket, &ready, 1, MSG_NOSIGNAL) != 1) {
    return 1;
  }
  for (unsigned message = 0; message < messages; ++message) {
    if (wait_for_message(&end.pair) != 0) return 1;
    const struct header* header = end.slot->addr;
    const unsigned char* arrived = (const unsigned char*)(header + 1);
    if (header->bytes != size_of(message)) return 1;
    if (header->method == NMT_RENDEZVOUS) {
      const struct ibv_sge to = {(uintptr_t)end.body->addr, (uint32_t)header->bytes,
                                 end.body->lkey};
      if (read_memory(&end.pair, to, header->address, header->key) != 0) return 1;
      arrived = end.body->addr;
    }
    if (!is_right(arrived, message, header->bytes)) return 1;
    // The slot and the sender's body may be used again.
    if (post_receive(&end.pair, end.slot) != 0 || send(socket, &ready, 1, MSG_NOSIGNAL) != 1) {
      return 1;
    }
  }
  close_end(&end);
  return 0;
}

static int send_one(struct end* end, int method, uint64_t bytes) {
  struct header* header = end->slot->addr;
  *header = (struct header){.bytes = bytes,
                            .address = (uintptr_t)end->body->addr,
                            .key = end->body->rkey,
                            .method = method};
  struct ibv_sge pieces[2] = {
      {(uintptr_t)header, sizeof *header, end->slot->lkey},
      {(uintptr_t)end->body->addr, (uint32_t)bytes, end->body->lkey},
  };
  if (method == NMT_COPY) {
    memcpy(header + 1, end->body->addr, bytes);
    pieces[0].length += (uint32_t)bytes;
  }
  return send_pieces(&end->pair, pieces, method == NMT_IOVEC ? 2 : 1);
}

static int send_all(struct end* end, int socket, const nmt_profile* profile, int path,
                    unsigned messages) {
  nmt_fast_line line = NMT_FAST_LINE;
  if (profile != NULL) nmt_fast_path(profile, path, &line);
  unsigned by_method[3] = {0}, advised = 0;
  unsigned char* body = end->body->addr;
  char ready;
  if (recv(socket, &ready, 1, MSG_WAITALL) != 1) return 1;
  for (unsigned message = 0; message < messages; ++message) {
    const uint64_t bytes = size_of(message);
    for (uint64_t i = 0; i < bytes; ++i) body[i] = (unsigned char)(message + i);
    int method = nmt_fast_method(&line, bytes);
    if (method < 0 && profile != NULL) method = nmt_method_for(profile, path, bytes);
    advised += method >= 0;
    if (method < 0) {
      method = bytes < COPY_BYTES ? NMT_COPY : bytes < EAGER_BYTES ? NMT_IOVEC : NMT_RENDEZVOUS;
    }
    ++by_method[method];
    if (send_one(end, method, bytes) != 0 || recv(socket, &ready, 1, MSG_WAITALL) != 1) return 1;
  }
  printf(
      "%u messages arrived as they were, %u copied, %u by iovec, %u by rendezvous, %u by "
      "advice\n",
      messages, by_method[NMT_COPY], by_method[NMT_IOVEC], by_method[NMT_RENDEZVOUS], advised);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: verbs_send PROFILE PORT MESSAGES\n");
    return 2;
  }
  const unsigned messages = (unsigned)strtoul(argv[3], NULL, 10);
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
  const pid_t receiver = fork();  // before a device is opened, which no child inherits
  if (receiver < 0) return 1;
  if (receiver == 0) {
    close(sockets[0]);
    _exit(receive_all(argv[2], sockets[1], messages));
  }
  close(sockets[1]);
  char problem[500];
  const nmt_open_options options = {.struct_bytes = sizeof options,
                                    .file = strcmp(argv[1], "-") == 0 ? NULL : argv[1],
                                    .message = problem,
                                    .message_bytes = sizeof problem};
  nmt_profile* profile = NULL;
  if (nmt_open(&options, &profile) != NMT_OK) {
    fprintf(stderr, "verbs_send: %s; constants decide\n", problem);
  }
  const int path = profile == NULL ? NMT_NO_ADVICE : nmt_find_path(profile, argv[2], NULL);
  struct end end = {0};
  int failed = open_end(&end, argv[2], sockets[0]) != 0 ||
               send_all(&end, sockets[0], profile, path, messages) != 0;
  close(sockets[0]);
  if (failed) kill(receiver, SIGTERM);  // it may wait for a message
  int status = 0;
  waitpid(receiver, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "verbs_send: the receiver failed\n");
    failed = 1;
  }
  if (!failed) close_end(&end);
  nmt_close(profile);
  return failed;
}
