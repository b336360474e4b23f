// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L

#include <poll.h>
#include <receiver.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// A message on its way.
struct assembly {
  unsigned char* body;
  uint64_t arrived_bytes;
};

// Messages begin at different places of one block, whose bytes are never 0.
enum { kShifts = 251 };
static unsigned char bodies[kMessageBytesMax + kShifts];

void make_bodies(void) {
  uint32_t state = 1;
  for (size_t i = 0; i < sizeof bodies; ++i) {
    state = state * 1664525 + 1013904223;  // of Numerical Recipes, 7.1
    bodies[i] = (unsigned char)(state >> 24 | 1);
  }
}

const unsigned char* body_of(uint64_t message) { return bodies + message % kShifts; }

static bool read_whole(int socket, void* bytes, size_t count) {
  return recv(socket, bytes, count, MSG_WAITALL) == (ssize_t)count;
}

static bool is_possible(const struct chunk_header* header, uint64_t messages) {
  return header->message < messages && header->message_bytes <= kMessageBytesMax &&
         header->bytes <= header->message_bytes &&
         header->offset_bytes <= header->message_bytes - header->bytes;
}

// False at the end of the connection.
static bool receive_chunk(struct receiver* self, int socket, struct assembly* assemblies) {
  struct chunk_header header;
  if (!read_whole(socket, &header, sizeof header) || !is_possible(&header, self->messages)) {
    return false;
  }
  struct assembly* message = &assemblies[header.message];
  if (message->body == NULL) message->body = calloc(header.message_bytes, 1);
  if (message->body == NULL) return false;
  if (!read_whole(socket, message->body + header.offset_bytes, header.bytes)) return false;
  message->arrived_bytes += header.bytes;
  if (message->arrived_bytes == header.message_bytes) {
    // Zeros would show a hole where chunks overlap.
    self->correct += memcmp(message->body, body_of(header.message), header.message_bytes) == 0;
    free(message->body);
    message->body = NULL;
  }
  return true;
}

void* receive(void* argument) {
  struct receiver* self = argument;
  struct assembly* assemblies = calloc(self->messages, sizeof *assemblies);
  struct pollfd rails[kRails];
  int open = kRails;
  for (int i = 0; i < kRails; ++i) rails[i] = (struct pollfd){self->sockets[i], POLLIN, 0};
  while (assemblies != NULL && open > 0 && poll(rails, kRails, -1) > 0) {
    for (int i = 0; i < kRails; ++i) {
      if (rails[i].revents == 0) continue;
      if (receive_chunk(self, rails[i].fd, assemblies)) continue;
      rails[i].fd = -1;  // poll passes over it
      --open;
    }
  }
  for (uint64_t i = 0; assemblies != NULL && i < self->messages; ++i) free(assemblies[i].body);
  free(assemblies);
  return self;
}
