// SPDX-License-Identifier: BSD-3-Clause
#include <queue_pair.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { DEPTH = 4, GIDS = 8 };

// What the other end must know to connect.
struct address {
  uint32_t pair;
  uint16_t lid;
  union ibv_gid gid;
};

static int fail(const char* what) {
  fprintf(stderr, "verbs_send: %s\n", what);
  return -1;
}

static struct ibv_context* open_device(const char* name, size_t length) {
  struct ibv_context* device = NULL;
  struct ibv_device** all = ibv_get_device_list(NULL);
  for (struct ibv_device** each = all; each != NULL && *each != NULL; ++each) {
    const char* its_name = ibv_get_device_name(*each);
    if (device == NULL && strlen(its_name) == length && memcmp(its_name, name, length) == 0) {
      device = ibv_open_device(*each);
    }
  }
  if (all != NULL) ibv_free_device_list(all);
  return device;
}

// The last GID of the port: on RoCE, those of IP addresses follow the one of the interface.
static int best_gid(struct ibv_context* device, uint8_t port, union ibv_gid* gid) {
  int best = -1;
  for (int i = 0; i < GIDS; ++i) {
    union ibv_gid each;
    if (ibv_query_gid(device, port, i, &each) != 0) break;
    if (each.global.interface_id == 0) continue;
    best = i;
    *gid = each;
  }
  return best;
}

static int connect_pair(struct ibv_qp* pair, uint8_t port, const struct ibv_port_attr* at,
                        int gid_index, const struct address* to) {
  struct ibv_qp_attr begin = {
      .qp_state = IBV_QPS_INIT, .port_num = port, .qp_access_flags = IBV_ACCESS_REMOTE_READ};
  struct ibv_qp_attr receive = {.qp_state = IBV_QPS_RTR,
                                .path_mtu = at->active_mtu,
                                .dest_qp_num = to->pair,
                                .max_dest_rd_atomic = 1,
                                .min_rnr_timer = 12,
                                .ah_attr = {.dlid = to->lid, .port_num = port}};
  if (at->link_layer == IBV_LINK_LAYER_ETHERNET) {
    receive.ah_attr.is_global = 1;
    receive.ah_attr.grh.dgid = to->gid;
    receive.ah_attr.grh.sgid_index = (uint8_t)gid_index;
    receive.ah_attr.grh.hop_limit = 64;
  }
  struct ibv_qp_attr send = {
      .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
  if (ibv_modify_qp(pair, &begin,
                    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) != 0 ||
      ibv_modify_qp(pair, &receive,
                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) != 0 ||
      ibv_modify_qp(pair, &send,
                    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                        IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC) != 0) {
    return fail("the queue pair does not connect");
  }
  return 0;
}

int open_queue_pair(struct queue_pair* end, const char* name, int socket) {
  memset(end, 0, sizeof *end);
  const char* colon = strchr(name, ':');
  const uint8_t port = colon == NULL ? 1 : (uint8_t)atoi(colon + 1);
  end->device = open_device(name, colon == NULL ? strlen(name) : (size_t)(colon - name));
  if (end->device == NULL) return fail("no such device, or it may not be opened");
  struct ibv_port_attr at;
  struct address here = {0}, there;
  int gid_index = -1;
  if (ibv_query_port(end->device, port, &at) != 0 || at.state != IBV_PORT_ACTIVE) {
    return fail("no such port, or it is not active");
  }
  gid_index = best_gid(end->device, port, &here.gid);
  if (gid_index < 0) return fail("the port has no GID");
  end->domain = ibv_alloc_pd(end->device);
  end->sent = ibv_create_cq(end->device, DEPTH, NULL, NULL, 0);
  end->received = ibv_create_cq(end->device, DEPTH, NULL, NULL, 0);
  if (end->domain == NULL || end->sent == NULL || end->received == NULL) {
    return fail("the device gives no queues");
  }
  struct ibv_qp_init_attr wanted = {
      .send_cq = end->sent,
      .recv_cq = end->received,
      .cap = {.max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 2, .max_recv_sge = 1},
      .qp_type = IBV_QPT_RC};
  end->pair = ibv_create_qp(end->domain, &wanted);
  if (end->pair == NULL) return fail("the device gives no queue pair");
  here.pair = end->pair->qp_num;
  here.lid = at.lid;
  if (send(socket, &here, sizeof here, MSG_NOSIGNAL) != sizeof here ||
      recv(socket, &there, sizeof there, MSG_WAITALL) != sizeof there) {
    return fail("the other end is gone");
  }
  return connect_pair(end->pair, port, &at, gid_index, &there);
}

void close_queue_pair(struct queue_pair* end) {
  if (end->pair != NULL) ibv_destroy_qp(end->pair);
  if (end->received != NULL) ibv_destroy_cq(end->received);
  if (end->sent != NULL) ibv_destroy_cq(end->sent);
  if (end->domain != NULL) ibv_dealloc_pd(end->domain);
  if (end->device != NULL) ibv_close_device(end->device);
}

struct ibv_mr* register_memory(struct queue_pair* end, void* memory, size_t bytes) {
  return ibv_reg_mr(end->domain, memory, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
}

static int wait_for(struct ibv_cq* queue) {
  struct ibv_wc done;
  int count;
  while ((count = ibv_poll_cq(queue, 1, &done)) == 0) {
  }
  if (count < 0) return fail("the device failed");
  return done.status == IBV_WC_SUCCESS ? 0 : fail(ibv_wc_status_str(done.status));
}

static int post_and_wait(struct queue_pair* end, struct ibv_send_wr* work) {
  struct ibv_send_wr* refused;
  work->send_flags = IBV_SEND_SIGNALED;
  if (ibv_post_send(end->pair, work, &refused) != 0) return fail("the device takes no work");
  return wait_for(end->sent);
}

int post_receive(struct queue_pair* end, const struct ibv_mr* memory) {
  struct ibv_sge into = {(uintptr_t)memory->addr, (uint32_t)memory->length, memory->lkey};
  struct ibv_recv_wr work = {.sg_list = &into, .num_sge = 1}, *refused;
  return ibv_post_recv(end->pair, &work, &refused) == 0 ? 0 : fail("the device takes no receive");
}

int send_pieces(struct queue_pair* end, struct ibv_sge* pieces, int count) {
  struct ibv_send_wr work = {.sg_list = pieces, .num_sge = count, .opcode = IBV_WR_SEND};
  return post_and_wait(end, &work);
}

int read_memory(struct queue_pair* end, struct ibv_sge to, uint64_t address, uint32_t key) {
  struct ibv_send_wr work = {.sg_list = &to, .num_sge = 1, .opcode = IBV_WR_RDMA_READ};
  work.wr.rdma.remote_addr = address;
  work.wr.rdma.rkey = key;
  return post_and_wait(end, &work);
}

int wait_for_message(struct queue_pair* end) { return wait_for(end->received); }
