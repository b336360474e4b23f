// SPDX-License-Identifier: BSD-3-Clause
//
// One end of a connected queue pair on a port of a verbs device; the ends exchange their addresses
// over a socket. Nothing here knows of nmadtune. Functions return 0, or say why not and return -1.
#pragma once

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

struct queue_pair {
  struct ibv_context* device;
  struct ibv_pd* domain;
  struct ibv_cq* sent;
  struct ibv_cq* received;
  struct ibv_qp* pair;
};

// `port` is "mlx5_0:1", as UCX has it.
int open_queue_pair(struct queue_pair* end, const char* port, int socket);
void close_queue_pair(struct queue_pair* end);

// Memory that the device may use, also for reads by the other end. NULL: errno says why not.
struct ibv_mr* register_memory(struct queue_pair* end, void* memory, size_t bytes);

int post_receive(struct queue_pair* end, const struct ibv_mr* memory);
// Waits until the device has sent the pieces, one or two.
int send_pieces(struct queue_pair* end, struct ibv_sge* pieces, int count);
// Reads the other end's memory into ours.
int read_memory(struct queue_pair* end, struct ibv_sge to, uint64_t address, uint32_t key);
int wait_for_message(struct queue_pair* end);
