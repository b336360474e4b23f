// SPDX-License-Identifier: BSD-3-Clause
//
// nmadtune's engine: messages to a peer over all rails to it together (docs/engine.md).
//
//   nmt_engine* engine;
//   nmt_engine_new(NULL, &engine);
//   int gate = nmt_engine_open_gate(engine, &how_to_reach_the_peer);
//   nmt_request request;
//   nmt_segment segment = {buffer, bytes};
//   nmt_engine_isend(engine, gate, tag, &segment, 1, &request);
//   nmt_engine_wait(engine, request, 5000000000, &completion);
//
// The conventions of nmadtune.h hold: statuses, sizes of structs, ownership. An engine belongs to
// one thread at a time; it works only inside these calls. Memory of a message belongs to the
// application again when its request has ended.
#pragma once

#include <nmadtune.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nmt_engine nmt_engine;

typedef struct nmt_engine_options {
  uint32_t struct_bytes;
  uint32_t reserved;
  const char* strategy;  // NULL: "adaptive"; else "single:RAIL", "greedy", "aggregate", "iso",
                         // "strip", "offload"
  const nmt_profile* profile;     // outlives the engine; NULL: no advice
  uint64_t eager_bytes_max;       // larger messages ask first; 0: 64 KiB. The same at both ends,
  uint64_t unexpected_bytes_max;  // as this: what unexpected messages of a gate may take; 0: 4 MiB
  void (*report)(void* context, const char* message);  // NULL, or what a user should know of
  void* context;
  char* message;  // NULL, or where to write what went wrong
  uint64_t message_bytes;
  // How many threads of "offload" poll for work all the time, each on a core of its own. 0: none;
  // then up to 8 threads sleep until there is work.
  uint32_t spinning_helpers;
  uint32_t reserved_2;
} nmt_engine_options;

// NULL options ask for the defaults. NMT_INVALID also if `struct_bytes` was not set.
NMT_API int nmt_engine_new(const nmt_engine_options* options, nmt_engine** engine);
// What was not flushed may be lost.
NMT_API void nmt_engine_free(nmt_engine* engine);

// How two processes that open a gate to each other exchange addresses: both call it equally
// often; each gives `mine` and gets the other's text in `theirs`, of at most *theirs_bytes, which
// it sets. 0, or negative where the other end does not answer.
typedef int (*nmt_swap)(void* context, const char* mine, uint64_t mine_bytes, char* theirs,
                        uint64_t* theirs_bytes);
enum { NMT_SWAP_BYTES_MAX = 65536 };

typedef struct nmt_gate_options {
  uint32_t struct_bytes;
  uint32_t far_side;  // one end says 0, the other 1
  const char* peer;   // for people
  const char* rails;  // "shm,tcp:eth0,tcp:eth1", the same at both ends
  nmt_swap swap;
  void* context;
  char* message;  // NULL, or where to write what went wrong
  uint64_t message_bytes;
} nmt_gate_options;

// The gate's number, 0 or more.
NMT_API int nmt_engine_open_gate(nmt_engine* engine, const nmt_gate_options* options);

typedef uint64_t nmt_request;

// A message is its segments one after the other; sender and receiver may cut theirs differently.
typedef struct nmt_segment {
  void* memory;
  uint64_t bytes;
} nmt_segment;

// Where these fail, the engine has nothing of the message, and its memory stays the application's.
NMT_API int nmt_engine_isend(nmt_engine* engine, int gate, uint64_t tag,
                             const nmt_segment* segments, uint32_t count, nmt_request* request);
NMT_API int nmt_engine_irecv(nmt_engine* engine, int gate, uint64_t tag,
                             const nmt_segment* segments, uint32_t count, nmt_request* request);

// Which messages a receive or a probe wants. Among receives that would take a message, the one that
// was posted first gets it.
enum { NMT_ANY_GATE = -1 };
typedef struct nmt_match {
  uint32_t struct_bytes;
  int32_t gate;  // or NMT_ANY_GATE
  uint64_t tag;
  uint64_t tag_mask;  // only these bits of the tags are compared; UINT64_MAX: all
} nmt_match;

NMT_API int nmt_engine_irecv_match(nmt_engine* engine, const nmt_match* match,
                                   const nmt_segment* segments, uint32_t count,
                                   nmt_request* request);

// A message that has come and that no receive has taken yet.
typedef struct nmt_envelope {
  uint32_t struct_bytes;
  int32_t gate;
  uint64_t tag;
  uint64_t bytes;
} nmt_envelope;

// Makes progress. 1: `envelope` is of the message that such a receive would get; 0: there is none.
NMT_API int nmt_engine_probe(nmt_engine* engine, const nmt_match* match, nmt_envelope* envelope);

// 1: the request has ended as NMT_CANCELLED, and its memory is free; nmt_engine_test or _wait still
// release it. 0: too late, it ends as if this was not called. A receive can be cancelled until a
// message matches it, a send as long as it waits for memory of the peer.
NMT_API int nmt_engine_cancel(nmt_engine* engine, nmt_request request);

typedef enum nmt_outcome {
  NMT_DONE = 0,
  NMT_TOO_SMALL = 1,  // of a receive: the message was longer, and is lost
  NMT_LOST = 2,       // no rail to the peer is left
  NMT_CANCELLED = 3   // by nmt_engine_cancel
} nmt_outcome;

typedef struct nmt_completion {
  uint32_t struct_bytes;
  int32_t outcome;  // nmt_outcome
  uint64_t bytes;   // of the message
  uint64_t tag;     // likewise
  int32_t gate;     // to or from which it went; NMT_ANY_GATE: none, of a receive for any
  uint32_t reserved;
} nmt_completion;

// 1: ended, `completion` (or NULL) says how, and the request is gone; 0: under way.
NMT_API int nmt_engine_test(nmt_engine* engine, nmt_request request, nmt_completion* completion);
// The same, waiting for up to `patience_ns`; INT64_MAX: for ever. NMT_INVALID for more.
NMT_API int nmt_engine_wait(nmt_engine* engine, nmt_request request, uint64_t patience_ns,
                            nmt_completion* completion);
// 1 where anything happened.
NMT_API int nmt_engine_progress(nmt_engine* engine);
// 1: all peers have got all that was sent; 0: not in time (as above), or a peer is lost.
NMT_API int nmt_engine_flush(nmt_engine* engine, uint64_t patience_ns);

typedef struct nmt_link_state {
  uint32_t struct_bytes;
  uint32_t alive;
  const char* rail;    // texts live until the next call of nmt_engine_link
  const char* reason;  // why it was given up
  uint64_t messages;   // given to its driver
  uint64_t bytes;
  uint64_t packets_again;  // that were to be sent again over other links
} nmt_link_state;

// NMT_UNKNOWN beyond the last link.
NMT_API int nmt_engine_link(nmt_engine* engine, int gate, uint32_t index, nmt_link_state* state);

#ifdef __cplusplus
}
#endif
