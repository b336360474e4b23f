// SPDX-License-Identifier: BSD-3-Clause
//
// The engine as a C program has it: two processes, their rails, messages, and every wrong argument.
#include <nmadtune_engine.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures = 0;
#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

enum { kBytes = 1 << 20 };
static const uint64_t kPatience = 10000000000u;
static const uint64_t kForEver = INT64_MAX;

static int swap(void* context, const char* mine, uint64_t mine_bytes, char* theirs,
                uint64_t* theirs_bytes) {
  const int socket = *(int*)context;
  if (send(socket, mine, mine_bytes, 0) != (ssize_t)mine_bytes) return -1;
  const ssize_t size = recv(socket, theirs, *theirs_bytes, 0);
  if (size <= 0) return -1;
  *theirs_bytes = (uint64_t)size;
  return 0;
}

static nmt_engine* open_engine(int socket, uint32_t far_side) {
  char message[500] = "";
  nmt_engine_options options = {.struct_bytes = sizeof options};
  options.strategy = "greedy";
  options.message = message;
  options.message_bytes = sizeof message;
  nmt_engine* engine = NULL;
  EXPECT(nmt_engine_new(&options, &engine) == NMT_OK);
  nmt_gate_options gate = {.struct_bytes = sizeof gate, .far_side = far_side};
  gate.peer = "the other";
  gate.rails = "shm,tcp:lo";
  gate.swap = swap;
  gate.context = &socket;
  gate.message = message;
  gate.message_bytes = sizeof message;
  const int number = nmt_engine_open_gate(engine, &gate);
  EXPECT(number == 0);
  if (number != 0) fprintf(stderr, "%s\n", message);
  return engine;
}

// Sends back what comes, in one piece.
static int live_far(int socket) {
  nmt_engine* engine = open_engine(socket, 1);
  char* memory = malloc(kBytes);
  const nmt_segment room = {memory, kBytes};
  for (uint64_t tag = 0; tag < 4; ++tag) {
    nmt_request request;
    nmt_completion completion = {.struct_bytes = sizeof completion};
    EXPECT(nmt_engine_irecv(engine, 0, tag, &room, 1, &request) == NMT_OK);
    EXPECT(nmt_engine_wait(engine, request, kPatience, &completion) == 1);
    usleep(20000);  // for which the other end waits
    const nmt_segment answer = {memory, completion.bytes};
    EXPECT(nmt_engine_isend(engine, 0, tag, &answer, 1, &request) == NMT_OK);
    EXPECT(nmt_engine_wait(engine, request, kPatience, NULL) == 1);
  }
  EXPECT(nmt_engine_flush(engine, kPatience) == 1);
  nmt_engine_free(engine);
  free(memory);
  return failures;
}

static void brings_messages_there_and_back(nmt_engine* engine) {
  char* out = malloc(kBytes);
  char* in = malloc(kBytes);
  for (int i = 0; i < kBytes; ++i) out[i] = (char)(i * 7 + i / 1000);
  const uint64_t sizes[] = {5, 20000, kBytes};
  for (uint64_t tag = 0; tag < 3; ++tag) {
    const uint64_t size = sizes[tag];
    const nmt_segment parts[] = {{out, size / 3}, {out + size / 3, size - size / 3}};
    const nmt_segment room = {in, tag == 1 ? size - 1 : size};
    nmt_request send, receive;
    nmt_completion completion = {.struct_bytes = sizeof completion};
    EXPECT(nmt_engine_irecv(engine, 0, tag, &room, 1, &receive) == NMT_OK);
    EXPECT(nmt_engine_isend(engine, 0, tag, parts, 2, &send) == NMT_OK);
    EXPECT(nmt_engine_wait(engine, send, kPatience, &completion) == 1);
    EXPECT(completion.outcome == NMT_DONE && completion.bytes == size);
    EXPECT(nmt_engine_test(engine, send, NULL) == NMT_UNKNOWN);
    EXPECT(nmt_engine_wait(engine, receive, kForEver, &completion) == 1);
    EXPECT(completion.outcome == (tag == 1 ? NMT_TOO_SMALL : NMT_DONE));
    EXPECT(completion.bytes == size);
    if (tag != 1) EXPECT(memcmp(in, out, size) == 0);
  }
  free(out);
  free(in);
}

// Nothing comes yet, and all that can be asked has an answer.
static void matches_probes_and_cancels(nmt_engine* engine) {
  char byte = 0;
  const nmt_segment room = {&byte, 1};
  nmt_match match = {.struct_bytes = sizeof match, .gate = NMT_ANY_GATE, .tag = 0xa00};
  match.tag_mask = 0xf00;
  nmt_envelope envelope = {.struct_bytes = sizeof envelope};
  EXPECT(nmt_engine_probe(engine, &match, &envelope) == 0);
  nmt_request receive;
  nmt_completion completion = {.struct_bytes = sizeof completion};
  EXPECT(nmt_engine_irecv_match(engine, &match, &room, 1, &receive) == NMT_OK);
  EXPECT(nmt_engine_test(engine, receive, &completion) == 0);
  EXPECT(nmt_engine_cancel(engine, receive) == 1);
  EXPECT(nmt_engine_test(engine, receive, &completion) == 1);
  EXPECT(completion.outcome == NMT_CANCELLED && completion.gate == NMT_ANY_GATE);
  EXPECT(nmt_engine_cancel(engine, receive) == NMT_UNKNOWN);
  // A completion of before these fields were added.
  EXPECT(nmt_engine_irecv(engine, 0, 77, &room, 1, &receive) == NMT_OK);
  EXPECT(nmt_engine_cancel(engine, receive) == 1);
  nmt_completion old = {.struct_bytes = 16, .tag = 5};
  EXPECT(nmt_engine_test(engine, receive, &old) == 1);
  EXPECT(old.outcome == NMT_CANCELLED && old.tag == 5);
  match.gate = 9;
  EXPECT(nmt_engine_irecv_match(engine, &match, &room, 1, &receive) == NMT_UNKNOWN);
  EXPECT(nmt_engine_probe(engine, &match, &envelope) == NMT_UNKNOWN);
  match.struct_bytes = 8;
  EXPECT(nmt_engine_irecv_match(engine, &match, &room, 1, &receive) == NMT_INVALID);
  EXPECT(nmt_engine_irecv_match(engine, NULL, &room, 1, &receive) == NMT_INVALID);
  EXPECT(nmt_engine_irecv(engine, NMT_ANY_GATE, 0, &room, 1, &receive) == NMT_UNKNOWN);
  EXPECT(nmt_engine_probe(engine, NULL, &envelope) == NMT_INVALID);
  EXPECT(nmt_engine_probe(NULL, &match, &envelope) == NMT_INVALID);
  EXPECT(nmt_engine_cancel(NULL, 1) == NMT_INVALID);
}

// What the other end sends back, by a probe and by a part of its tag.
static void probes_and_receives_by_a_part_of_the_tag(nmt_engine* engine) {
  char byte = 'b', back = 0;
  const nmt_segment piece = {&byte, 1}, room = {&back, 1};
  nmt_request send, receive;
  nmt_match match = {.struct_bytes = sizeof match, .gate = NMT_ANY_GATE, .tag = 3};
  match.tag_mask = 0xf;
  nmt_envelope envelope = {.struct_bytes = sizeof envelope}, unset = {.struct_bytes = 0};
  nmt_completion completion = {.struct_bytes = sizeof completion}, none = {.struct_bytes = 0};
  EXPECT(nmt_engine_isend(engine, 0, 3, &piece, 1, &send) == NMT_OK);
  EXPECT(nmt_engine_probe(engine, &match, &unset) == NMT_INVALID);
  for (int i = 0; i < 10000 && nmt_engine_probe(engine, &match, &envelope) == 0; ++i) usleep(1000);
  EXPECT(envelope.gate == 0 && envelope.tag == 3 && envelope.bytes == 1);
  EXPECT(nmt_engine_probe(engine, &match, NULL) == 1);
  EXPECT(nmt_engine_irecv_match(engine, &match, &room, 1, &receive) == NMT_OK);
  EXPECT(nmt_engine_test(engine, receive, &none) == NMT_INVALID);  // and goes on
  EXPECT(nmt_engine_wait(engine, receive, kPatience, &none) == NMT_INVALID);
  EXPECT(nmt_engine_wait(engine, receive, kPatience, &completion) == 1);
  EXPECT(completion.outcome == NMT_DONE && completion.tag == 3 && back == 'b');
  EXPECT(nmt_engine_wait(engine, send, kPatience, NULL) == 1);
}

static void describes_its_links(nmt_engine* engine) {
  nmt_link_state state = {.struct_bytes = sizeof state};
  EXPECT(nmt_engine_link(engine, 0, 1, &state) == NMT_OK);
  EXPECT(strcmp(state.rail, "tcp:lo") == 0 && state.alive == 1);
  EXPECT(nmt_engine_link(engine, 0, 2, &state) == NMT_UNKNOWN);
  EXPECT(nmt_engine_link(engine, 1, 0, &state) == NMT_UNKNOWN);
}

static void answers_nonsense_with_a_status(nmt_engine* engine) {
  nmt_request request;
  nmt_segment segment = {NULL, 0};
  EXPECT(nmt_engine_isend(NULL, 0, 0, &segment, 1, &request) == NMT_INVALID);
  EXPECT(nmt_engine_isend(engine, 7, 0, &segment, 1, &request) == NMT_UNKNOWN);
  EXPECT(nmt_engine_isend(engine, -1, 0, &segment, 1, &request) == NMT_UNKNOWN);
  EXPECT(nmt_engine_isend(engine, 0, 0, NULL, 1, &request) == NMT_INVALID);
  EXPECT(nmt_engine_test(engine, 12345, NULL) == NMT_UNKNOWN);
  EXPECT(nmt_engine_wait(engine, 12345, kForEver + 1, NULL) == NMT_INVALID);
  EXPECT(nmt_engine_flush(engine, kForEver + 1) == NMT_INVALID);
  EXPECT(nmt_engine_open_gate(engine, NULL) == NMT_INVALID);
  char message[300] = "";
  nmt_engine_options options = {.struct_bytes = sizeof options};
  options.strategy = "fastest";
  options.message = message;
  options.message_bytes = sizeof message;
  nmt_engine* none = NULL;
  EXPECT(nmt_engine_new(&options, &none) == NMT_INVALID);
  EXPECT(none == NULL && strstr(message, "adaptive") != NULL);
  options.strategy = NULL;
  options.struct_bytes = 0;  // not set
  EXPECT(nmt_engine_new(&options, &none) == NMT_INVALID && none == NULL);
  nmt_engine_free(NULL);
}

static double seconds_of(clockid_t clock) {
  struct timespec now = {0, 0};
  EXPECT(clock_gettime(clock, &now) == 0);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The processor time of all threads but this one.
static double seconds_of_others(void) {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static void lets_helpers_spin_if_asked(void) {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0 || CPU_COUNT(&cores) < 2) return;
  nmt_engine_options options = {.struct_bytes = sizeof options};
  options.strategy = "offload";
  options.spinning_helpers = 1;
  const double begin = seconds_of_others();
  nmt_engine* engine = NULL;
  EXPECT(nmt_engine_new(&options, &engine) == NMT_OK);
  for (int i = 0; i < 500 && seconds_of_others() - begin < 0.02; ++i) usleep(10000);
  EXPECT(seconds_of_others() - begin >= 0.02);
  nmt_engine_free(engine);
}

int main(void) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) != 0) return 1;
  const pid_t far = fork();
  if (far == 0) return live_far(sockets[1]);
  nmt_engine* engine = open_engine(sockets[0], 0);
  matches_probes_and_cancels(engine);  // first, while the other end is there
  brings_messages_there_and_back(engine);
  probes_and_receives_by_a_part_of_the_tag(engine);
  describes_its_links(engine);
  answers_nonsense_with_a_status(engine);
  lets_helpers_spin_if_asked();
  int status = 0;
  waitpid(far, &status, 0);
  EXPECT(status == 0);
  nmt_engine_free(engine);
  return failures;
}
