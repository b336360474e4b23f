// SPDX-License-Identifier: BSD-3-Clause
//
// The receiving end: puts the chunks that arrive over several connections together to messages, in
// whatever order they come, and checks each against what its sender must have sent. Blocks; runs in
// a thread of its own.
#pragma once

#include <stdint.h>

enum { kRails = 2, kMessageBytesMax = 1 << 22 };

// Goes over the wire before the bytes of a chunk.
struct chunk_header {
  uint64_t message;  // its number
  uint64_t message_bytes;
  uint64_t offset_bytes;
  uint64_t bytes;
};

struct receiver {
  int sockets[kRails];
  uint64_t messages;  // expected
  uint64_t correct;   // the answer: arrived whole and as they were sent
};

// Once, before both ends begin.
void make_bodies(void);
// The bytes of a message, up to kMessageBytesMax of them.
const unsigned char* body_of(uint64_t message);

// Until all connections are closed. Takes and returns a struct receiver.
void* receive(void* receiver);
