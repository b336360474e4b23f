// SPDX-License-Identifier: BSD-3-Clause
//
// Sends messages over two TCP connections, each split as the profile advises: split_send PROFILE
// RAIL RAIL [MESSAGES]. The connections are of this host to itself, and stand in for two networks.
//
// Several messages are on their way at once, so that a rail may still be busy when the next message
// comes. The library keeps the time at which each will be free: the program reports every chunk
// that it queues and every one that is gone, and the library fills in these times for nmt_split.
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <nmadtune.h>
#include <poll.h>
#include <pthread.h>
#include <receiver.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kChunksMax = 16 };  // queued, over all rails

struct chunk {
  struct chunk_header header;
  uint64_t gone_bytes;  // of header and body
  nmt_transfer transfer;
};

// Chunks in the order in which they go, in a ring.
struct rail {
  int socket;
  int path;
  struct chunk queue[kChunksMax];
  unsigned first;
  unsigned count;
};

struct sender {
  nmt_profile* profile;
  nmt_rails* releases;
  struct rail rails[kRails];
  unsigned queued;
  uint64_t bytes;
  uint64_t split;  // messages that went over more than one rail
};

static void give_up(const char* what) {
  perror(what);
  exit(1);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// -- The advice ----------------------------------------------------------------------------------

static uint32_t decide(const struct sender* self, uint64_t size_bytes, uint64_t now,
                       nmt_share* shares) {
  for (uint32_t i = 0; i < kRails; ++i) {
    shares[i] = (nmt_share){.struct_bytes = sizeof *shares,
                            .path = self->rails[i].path,
                            .release_ns = nmt_rails_release_ns(self->releases, i, now)};
  }
  nmt_split_result result = {.struct_bytes = sizeof result};
  if (nmt_split(self->profile, size_bytes, shares, kRails, &result) == NMT_OK) return result.chunks;
  shares[0].bytes = size_bytes;  // what this program does without advice
  shares[0].end_ns = shares[0].release_ns;
  return 1;
}

static void post(struct sender* self, uint64_t message, uint64_t size_bytes) {
  const uint64_t now = now_ns();
  nmt_share shares[kRails];
  self->split += decide(self, size_bytes, now, shares) > 1;
  self->bytes += size_bytes;
  for (uint32_t i = 0; i < kRails; ++i) {
    if (shares[i].bytes == 0) continue;
    struct rail* rail = &self->rails[i];
    struct chunk* queued = &rail->queue[(rail->first + rail->count++) % kChunksMax];
    *queued =
        (struct chunk){.header = {message, size_bytes, shares[i].offset_bytes, shares[i].bytes},
                       .transfer = {.struct_bytes = sizeof queued->transfer}};
    ++self->queued;
    const double duration_ns = shares[i].end_ns - shares[i].release_ns;
    nmt_rails_posted(self->releases, i, now, duration_ns, &queued->transfer);
  }
}

// -- The wire ------------------------------------------------------------------------------------

// Hands as much of the rail's first chunk to the kernel as it takes.
static void push(struct sender* self, struct rail* rail) {
  struct chunk* chunk = &rail->queue[rail->first];
  const uint64_t head_bytes = sizeof chunk->header;
  const unsigned char* body = body_of(chunk->header.message) + chunk->header.offset_bytes;
  struct iovec rest[2] = {{&chunk->header, head_bytes}, {(void*)body, chunk->header.bytes}};
  uint64_t gone_bytes = chunk->gone_bytes;
  for (int i = 0; i < 2; ++i) {
    const uint64_t skip_bytes = gone_bytes < rest[i].iov_len ? gone_bytes : rest[i].iov_len;
    rest[i].iov_base = (char*)rest[i].iov_base + skip_bytes;
    rest[i].iov_len -= skip_bytes;
    gone_bytes -= skip_bytes;
  }
  const struct msghdr message = {.msg_iov = rest, .msg_iovlen = 2};
  const ssize_t taken = sendmsg(rail->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (taken < 0 && errno != EAGAIN && errno != EINTR) give_up("sendmsg");
  if (taken > 0) chunk->gone_bytes += (uint64_t)taken;
  if (chunk->gone_bytes < head_bytes + chunk->header.bytes) return;
  nmt_rails_completed(self->releases, now_ns(), &chunk->transfer);
  rail->first = (rail->first + 1) % kChunksMax;
  --rail->count;
  --self->queued;
}

// Waits until some rail takes more.
static void progress(struct sender* self) {
  struct pollfd ready[kRails];
  for (int i = 0; i < kRails; ++i) {
    const struct rail* rail = &self->rails[i];
    ready[i] = (struct pollfd){rail->count > 0 ? rail->socket : -1, POLLOUT, 0};
  }
  if (poll(ready, kRails, -1) < 0 && errno != EINTR) give_up("poll");
  for (int i = 0; i < kRails; ++i) {
    if (ready[i].revents != 0) push(self, &self->rails[i]);
  }
}

// Both ends of a connection of this host to itself.
static void connect_to_myself(int* sending, int* receiving) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  const int listening = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listening, (struct sockaddr*)&address, length) < 0) give_up("bind");
  if (listen(listening, 1) < 0) give_up("listen");
  if (getsockname(listening, (struct sockaddr*)&address, &length) < 0) give_up("getsockname");
  *sending = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(*sending, (struct sockaddr*)&address, length) < 0) give_up("connect");
  *receiving = accept(listening, NULL, NULL);
  if (*receiving < 0) give_up("accept");
  close(listening);
}

// Sizes of all orders of magnitude.
static uint64_t random_size(uint32_t* state) {
  *state = *state * 1664525 + 1013904223;
  const uint32_t octave = 1u << (*state >> 24) % 22;
  return octave + (*state & (octave - 1));
}

static void send_all(struct sender* self, uint64_t messages) {
  uint32_t random = 1;
  for (uint64_t message = 0; message < messages; ++message) {
    while (self->queued + kRails > kChunksMax) progress(self);
    post(self, message, random_size(&random));
  }
  while (self->queued > 0) progress(self);
}

static void open_profile(struct sender* self, const char* file, char** rails) {
  char text[500];
  const nmt_open_options options = {
      .struct_bytes = sizeof options, .file = file, .message = text, .message_bytes = sizeof text};
  if (nmt_open(&options, &self->profile) != NMT_OK) {
    fprintf(stderr, "split_send: %s\n", text);
    exit(1);
  }
  for (int i = 0; i < kRails; ++i) {
    self->rails[i].path = nmt_find_path(self->profile, rails[i], NULL);
  }
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: split_send PROFILE RAIL RAIL [MESSAGES]\n");
    return 2;
  }
  static struct sender self;
  struct receiver other = {.messages = argc > 4 ? strtoull(argv[4], NULL, 10) : 200};
  open_profile(&self, argv[1], argv + 2);
  if (nmt_rails_new(kRails, &self.releases) != NMT_OK) give_up("nmt_rails_new");
  make_bodies();
  for (int i = 0; i < kRails; ++i) connect_to_myself(&self.rails[i].socket, &other.sockets[i]);
  pthread_t receiving;
  if (pthread_create(&receiving, NULL, receive, &other) != 0) give_up("pthread_create");
  send_all(&self, other.messages);
  for (int i = 0; i < kRails; ++i) close(self.rails[i].socket);
  pthread_join(receiving, NULL);
  for (int i = 0; i < kRails; ++i) close(other.sockets[i]);
  printf("sent %" PRIu64 " messages of %" PRIu64 " B together, %" PRIu64 " of them split; %" PRIu64
         " arrived as they were\n",
         other.messages, self.bytes, self.split, other.correct);
  nmt_rails_free(self.releases);
  nmt_close(self.profile);
  return other.correct == other.messages ? 0 : 1;
}
