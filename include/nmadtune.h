// SPDX-License-Identifier: BSD-3-Clause
//
// nmadtune: advice for communication stacks, from what was measured on this platform.
//
// A profile is opened once and then answers in nanoseconds: which method for a size, how long it
// takes, whether to aggregate, how to split a message over several rails. An answer is computed
// from immutable tables: no allocation, no lock, no system call.
//
//   nmt_profile* profile;
//   nmt_open(NULL, &profile);
//   int path = nmt_find_path(profile, "tcp:eth0", NULL);
//   int method = nmt_method_for(profile, path, size);
//   if (method < 0) method = what_you_did_before(size);
//
// Conventions
//  1. Answers and errors. Functions return 0 or more for an answer, negative (nmt_status) where
//     there is none. NMT_NO_ADVICE is no error: the profile has no measurement of what was asked.
//     Every wrong argument (a null handle, a path that does not exist, NaN) gives a status.
//  2. Messages. Only opening fails for reasons outside the program; it writes what failed, why,
//     and what to do into the caller's buffer (nmt_open_options).
//  3. Ownership. nmt_close, nmt_rails_free and nmt_current_free release what the functions of the
//     same name gave; they accept NULL. Texts belong to the profile and live until it is closed.
//  4. Sizes of structs. Every struct begins with `struct_bytes`, which the caller sets to its
//     sizeof. New fields go last: of a smaller struct only what fits is read or written, of a
//     larger one the rest is untouched. In an array, element 0 has the size of all.
//  5. Threads. A profile never changes: any number of threads may ask it. The functions of
//     nmt_rails and nmt_current may be called from several threads too, as they say.
//  6. Units. Sizes in bytes, below 2^63; durations in nanoseconds. Release times are durations
//     from now.
//  7. Stability. Before 1.0, a version may change what an answer is computed from, and new statuses
//     and values of enumerations may appear. What does not change: functions keep their names,
//     arguments and symbol versions, structs keep their fields and only grow at the end. A program
//     that was linked against 0.1 runs with every later libnmadtune.so.0. Should that ever have to
//     be broken, the library becomes libnmadtune.so.1, and both can be installed side by side.
//  8. Foreign profiles. A profile that was measured on another platform opens, says what differs,
//     and its advice carries NMT_ADVICE_FOREIGN, unless the options refuse it. Where only a patch
//     release differs (of the kernel, of a driver or of the C library), advice is not foreign: it
//     carries NMT_ADVICE_UNCONFIRMED, until nmad-sample --confirm finds that a rail agrees with the
//     profile (then it carries neither), or is slower (then it is foreign, and refused with all of
//     the profile where the options refuse foreign advice). An MPI that was installed since says
//     nothing about rails.
#pragma once

#include <stdint.h>

#ifndef NMT_API
#define NMT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nmt_status {
  NMT_OK = 0,
  NMT_NO_ADVICE = -1,  // not measured: decide as you did before
  NMT_INVALID = -2,    // an argument that no call accepts: a null handle, NaN
  NMT_UNKNOWN = -3,    // no such path, platform or index
  NMT_NOT_FOUND = -4,  // no profile there, or the site has turned advice off (nmad-tune db off)
  NMT_UNUSABLE = -5,   // not a profile, damaged, incomplete, or of a newer version
  NMT_FOREIGN = -6,    // measured on another platform, and the options refuse that
  NMT_NO_MEMORY = -7,
  NMT_FAILED = -8,    // a call of the operating system failed
  NMT_AMBIGUOUS = -9  // a name that stands for two nodes: say which, by its identifier
} nmt_status;

NMT_API const char* nmt_status_text(int status);
NMT_API const char* nmt_version(void);  // "1.2.3"

// -- Opening -------------------------------------------------------------------------------------

typedef struct nmt_profile nmt_profile;

typedef struct nmt_open_options {
  uint32_t struct_bytes;
  uint32_t refuse_foreign;  // not 0: NMT_FOREIGN instead of foreign advice
  const char* file;         // a profile database or a flat snapshot; NULL: $NMADTUNE_DB, then the
                            // user's and the system's profile (nmad-tune show --origin)
  const char* platform;  // NULL: this machine's, else the newest; "newest"; a name; an identifier
                         // or its first 8 digits or more
  const char* machine_root;  // NULL: this machine; else the prefix of another's /proc and /sys
  char* message;             // NULL, or where to write what went wrong
  uint64_t message_bytes;
} nmt_open_options;

// NULL options ask for this platform's profile where it usually is.
NMT_API int nmt_open(const nmt_open_options* options, nmt_profile** profile);
NMT_API void nmt_close(nmt_profile* profile);

// -- Describing ----------------------------------------------------------------------------------

typedef struct nmt_description {
  uint32_t struct_bytes;
  uint32_t paths;  // they are numbered from 0
  const char* file;
  const char* platform;      // for people
  const char* platform_id;   // 32 hex digits
  const char* measured_utc;  // end of the newest campaign it was derived from
  const char* tool_version;  // that measured it
  uint32_t foreign;          // some advice carries NMT_ADVICE_FOREIGN
  uint32_t differences;      // fields of the fingerprint that differ from this machine's
  uint32_t complete;         // every campaign ran to its end
  uint32_t verified;         // predictions were compared with sizes that no curve was made of
  double quality;            // share of repetitions that nothing disturbed
  double error_median;       // of predictions, relative, worst rail and method; where verified
  double regret_median;      // of decisions, likewise
  // Since 0.2.
  uint32_t unconfirmed;  // measured under another patch release, and not confirmed since
  uint32_t reserved;
} nmt_description;

typedef struct nmt_difference {
  uint32_t struct_bytes;
  uint32_t reserved;
  const char* field;
  const char* measured;  // NULL: the profile does not have the field
  const char* here;      // NULL: this machine does not have it
} nmt_difference;

typedef struct nmt_path_description {
  uint32_t struct_bytes;
  uint32_t methods;               // bit 1 << nmt_method for each that was measured
  const char* rail;               // "tcp:eth0"
  const char* path_id;            // 32 hex digits
  const char* regime;             // "hot": same buffer; "cold": rotating
  const char* placement;          // "distinct-cores" ...
  const char* busy_rails;         // kept busy meanwhile, with ','; empty: none
  uint64_t size_bytes_max;        // largest size measured
  uint64_t max_unexpected_bytes;  // rendezvous from here on, whatever is faster
  uint64_t chunk_bytes_min;       // least part of a split message; 0: not measured
  double monotone_departure;      // by how much the curve that splits use departs from the
                                  // measured one, relative
  double table_departure;         // likewise, the table of nmt_duration_ns from the curves
  // Since 0.2. Texts are empty where the profile does not know.
  const char* host;     // of the rail's own node
  const char* node_id;  // 32 hex digits
  const char* peer_host;
  const char* peer_id;
  const char* memory;      // of the buffers: "host"
  uint32_t ranks_per_nic;  // processes of the node that sent over the rail at once
  uint32_t devices;        // names of its device: nmt_describe_device
} nmt_path_description;

typedef enum nmt_device_naming {
  NMT_DEVICE_KERNEL = 0,  // "eth0"
  NMT_DEVICE_VERBS = 1,   // "mlx5_0", as libibverbs, NCCL and libfabric have it
  NMT_DEVICE_UCX = 2,     // "mlx5_0:1"
  NMT_DEVICE_PCI = 3      // "0000:3b:00.0"
} nmt_device_naming;

typedef struct nmt_device {
  uint32_t struct_bytes;
  uint32_t naming;  // nmt_device_naming
  const char* name;
} nmt_device;

NMT_API int nmt_describe(const nmt_profile* profile, nmt_description* description);
NMT_API int nmt_describe_difference(const nmt_profile* profile, uint32_t index,
                                    nmt_difference* difference);
NMT_API int nmt_describe_path(const nmt_profile* profile, int path,
                              nmt_path_description* description);
// One name of the device of a path; NMT_UNKNOWN beyond the last.
NMT_API int nmt_describe_device(const nmt_profile* profile, int path, uint32_t index,
                                nmt_device* device);

// -- Paths ---------------------------------------------------------------------------------------

// What a path was measured under. NULL members take what was measured: hot before cold, the first
// placement, alone before with other rails busy, the first path of that rail. `ranks_per_nic` takes
// the most processes that were measured up to this number, else the fewest:
// nmt_path_description.ranks_per_nic says how many those are.
typedef struct nmt_condition {
  uint32_t struct_bytes;
  uint32_t ranks_per_nic;  // processes of the node that use the rail at once; 0: the fewest
  const char* regime;
  const char* placement;
  const char* busy_rails;
  const char* path_id;
  // Since 0.2.
  const char* peer;    // host name, or the node's identifier or its first 8 digits or more
  const char* memory;  // of the buffers: "host"; another kind that was not measured has no advice
} nmt_condition;

// The number of the path over `rail`, 0 or more. Look it up once and keep it. A rail has the name
// that nmad-sample --list prints ("tcp:eth0"), or a name of its device, as the kernel, verbs, UCX
// and PCI have it; NULL where the condition has a peer or a path_id. NMT_NO_ADVICE: the profile
// does not know such a rail or peer, or did not measure that condition.
NMT_API int nmt_find_path(const nmt_profile* profile, const char* rail,
                          const nmt_condition* condition);

// One rail to a peer, among all that lead there.
typedef struct nmt_peer_rail {
  uint32_t struct_bytes;
  int32_t path;
  const char* rail;
  double latency_ns;            // of the smallest message
  double bytes_per_s;           // of messages of the size that was asked about
  double together_bytes_per_s;  // of this rail and all better ones, as nmt_split shares a message
} nmt_peer_rail;

// The rails to a peer (as in nmt_condition, whose other members choose among the paths of a rail;
// NULL: no condition), the fastest for messages of that size first. Returns how many there are, and
// writes at most `rails_max` of them. NMT_NO_ADVICE: the profile does not know the peer.
NMT_API int nmt_peer_rails(const nmt_profile* profile, const char* peer,
                           const nmt_condition* condition, uint64_t size_bytes,
                           nmt_peer_rail* rails, uint32_t rails_max);

// -- Decisions of one rail -----------------------------------------------------------------------

typedef enum nmt_method {
  NMT_COPY = 0,        // header and body flattened into one buffer
  NMT_IOVEC = 1,       // handed to the driver as a gather list
  NMT_RENDEZVOUS = 2,  // ask first, then move the body without a copy on the way
  NMT_ANY_METHOD = 15  // as an argument: the one that nmt_method_for chooses
} nmt_method;

// An nmt_method.
NMT_API int nmt_method_for(const nmt_profile* profile, int path, uint64_t size_bytes);

// The same in the caller's own code, without a call: the methods of one path in one cache line of
// the caller's. It is filled by nmt_fast_path, and again after another profile is used.
//
//   nmt_fast_line line = NMT_FAST_LINE;   // decides nothing yet
//   nmt_fast_path(profile, path, &line);
//   int method = nmt_fast_method(&line, size);
//   if (method < 0) method = nmt_method_for(profile, path, size);
enum { NMT_FAST_CHANGES = 6 };

typedef struct nmt_fast_line {
  uint32_t struct_bytes;
  uint32_t flags;                         // nmt_advice_flag
  int8_t choices[NMT_FAST_CHANGES + 2];   // of each range of sizes; the last is reserved
  uint64_t from_bytes[NMT_FAST_CHANGES];  // where the second choice begins, the third ...
} nmt_fast_line;

// clang-format off
#define NMT_FAST_LINE {sizeof(nmt_fast_line), 0, {-1, -1, -1, -1, -1, -1, -1, -1}, \
  {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}}
// clang-format on

// Writes as many changes of method as the caller's struct has room for; beyond these, and where the
// answer is an error, the line says NMT_NO_ADVICE. `choices` never grows: no later header holds
// more than seven changes.
NMT_API int nmt_fast_path(const nmt_profile* profile, int path, nmt_fast_line* line);

// `above` from `from_bytes` on, else `below`. It names the processor's instruction where it can:
// compilers prefer a branch, which is mispredicted half of the time when sizes are mixed.
static inline int nmt_fast_choice(uint64_t size_bytes, uint64_t from_bytes, int below, int above) {
#if defined(__GNUC__) && defined(__x86_64__)
  __asm__("cmp{q %2, %1| %1, %2}\n\tcmovae{l|} {%3, %0|%0, %3}"
          : "+r"(below)
          : "r"(size_bytes), "r"(from_bytes), "r"(above)
          : "cc");
  return below;
#else
  return size_bytes >= from_bytes ? above : below;
#endif
}

// An nmt_method, or NMT_NO_ADVICE; sizes are below 2^63. Three choices one after the other.
static inline int nmt_fast_method(const nmt_fast_line* line, uint64_t size_bytes) {
  const int8_t* choice = line->choices;
  const uint64_t* from = line->from_bytes;
  const int first = nmt_fast_choice(size_bytes, from[0], choice[0], choice[1]);
  const int middle = nmt_fast_choice(size_bytes, from[2], choice[2], choice[3]);
  const int last = nmt_fast_choice(size_bytes, from[4], choice[4], choice[5]);
  const int low = nmt_fast_choice(size_bytes, from[1], first, middle);
  const int high = nmt_fast_choice(size_bytes, from[5], last, choice[6]);
  return nmt_fast_choice(size_bytes, from[3], low, high);
}

// Predicted duration by that method; negative: an nmt_status.
NMT_API double nmt_duration_ns(const nmt_profile* profile, int path, uint64_t size_bytes);

// Two packets for the same destination: 1 aggregate them, 0 send them one after the other.
NMT_API int nmt_aggregate(const nmt_profile* profile, int path, uint64_t first_bytes,
                          uint64_t second_bytes);

typedef enum nmt_advice_flag {
  NMT_ADVICE_FOREIGN = 1,       // measured on another platform, or no longer true of this one
  NMT_ADVICE_EXTRAPOLATED = 2,  // beyond the sizes that were measured
  NMT_ADVICE_SIMULTANEOUS = 4,  // from rails that were measured together
  NMT_ADVICE_UNSATURATED = 8,   // of an alltoall, fitted where the network was not saturated
  NMT_ADVICE_UNCONFIRMED = 16   // measured under another patch release, and not confirmed since
} nmt_advice_flag;

typedef struct nmt_prediction {
  uint32_t struct_bytes;
  uint32_t flags;  // nmt_advice_flag
  int32_t method;
  uint32_t reserved;
  double duration_ns;
  double low_ns;  // 95 % limits
  double high_ns;
  const char* variant;  // of the method: "inline" ...; may be empty
} nmt_prediction;

// The same with its interval, from the measured curves themselves.
NMT_API int nmt_predict(const nmt_profile* profile, int path, int method, uint64_t size_bytes,
                        nmt_prediction* prediction);

typedef enum nmt_decision {
  NMT_DECIDE_IOVEC = 0,       // iovec instead of copy
  NMT_DECIDE_RENDEZVOUS = 1,  // rendezvous instead of eager
  NMT_DECIDE_AGGREGATION = 2  // two packets apart instead of aggregated
} nmt_decision;

typedef enum nmt_answer {
  NMT_THRESHOLD = 0,  // one change, at `bytes`
  NMT_ALWAYS = 1,     // what the decision is named after, at every size
  NMT_NEVER = 2,
  NMT_RANGES = 3  // several changes: nmt_threshold_range
} nmt_answer;

typedef struct nmt_threshold_info {
  uint32_t struct_bytes;
  uint32_t answer;     // nmt_answer
  uint64_t bytes;      // where NMT_THRESHOLD
  uint64_t low_bytes;  // 95 % interval of the position
  uint64_t high_bytes;
  double regret;     // expected: mean slowdown against the best choice
  uint32_t bounded;  // set by a limit, not by a crossing
  uint32_t ranges;   // they cover every size
} nmt_threshold_info;

typedef struct nmt_range {
  uint32_t struct_bytes;
  uint32_t above;       // 1: what is chosen above a threshold (iovec, rendezvous, apart)
  uint64_t from_bytes;  // inclusive
  uint64_t to_bytes;    // exclusive; UINT64_MAX: without end
} nmt_range;

NMT_API int nmt_threshold(const nmt_profile* profile, int path, int decision,
                          nmt_threshold_info* info);
NMT_API int nmt_threshold_range(const nmt_profile* profile, int path, int decision, uint32_t index,
                                nmt_range* range);

// -- Decisions over several rails ----------------------------------------------------------------

enum { NMT_SPLIT_RAILS_MAX = 64 };

typedef enum nmt_left_out {
  NMT_TAKES_PART = 0,
  NMT_LEFT_BUSY = 1,        // released after the others have carried the whole message
  NMT_LEFT_SLOW = 2,        // free before that, but its start-up takes longer
  NMT_LEFT_SMALL = 3,       // its chunk would be below its minimum
  NMT_LEFT_TOGETHER = 4,    // measured together, the rails are slower than without it
  NMT_LEFT_NO_CORE = 5,     // no idle core to submit from
  NMT_LEFT_UNMEASURED = 6,  // the profile has no curve for it
  NMT_LEFT_OFFLOAD = 7      // handing it to another core costs more than it saves
} nmt_left_out;

// One rail of a split: the caller sets path and release_ns, the library the rest.
typedef struct nmt_share {
  uint32_t struct_bytes;
  int32_t path;
  double release_ns;      // from now, predicted; 0: idle
  uint64_t offset_bytes;  // of its chunk in the message
  uint64_t bytes;         // 0 where left out
  double end_ns;          // of its chunk, from now, predicted; 0 where left out
  uint32_t left_out;      // nmt_left_out
  uint32_t reserved;
} nmt_share;

typedef struct nmt_split_result {
  uint32_t struct_bytes;
  uint32_t flags;   // nmt_advice_flag
  double end_ns;    // of the whole message, from now, predicted
  uint32_t chunks;  // rails that take part
  uint32_t reserved;
} nmt_split_result;

// Chunks that minimise the predicted end of the whole message. Rails must differ.
NMT_API int nmt_split(const nmt_profile* profile, uint64_t size_bytes, nmt_share* shares,
                      uint32_t rails, nmt_split_result* result);

// Whether to send an eager message in chunks that this core and idle ones submit. 1: in the chunks
// that the shares describe; this core submits the one at offset 0, and each of at most `idle_cores`
// other cores submits one. 0: whole, from this core; also if the message is not eager. `placement`
// says how near the other cores are: "shared-cache", "same-package", "other-package". If their
// threads poll for work all the time instead of sleeping, it is "shared-cache spinning" and so on.
NMT_API int nmt_eager_chunks(const nmt_profile* profile, const char* placement, uint32_t idle_cores,
                             uint64_t size_bytes, nmt_share* shares, uint32_t rails,
                             nmt_split_result* result);

// -- Collectives ---------------------------------------------------------------------------------

// Segment size in bytes of a hierarchical operation ("bcast", "reduce", "allreduce", "allgather",
// "alltoall", "alltoallv", "barrier", "gather", "scatter", "reduce_scatter_block",
// "reduce_scatter", "allgatherv") under the MPI that was sampled last; 0: do not cut.
NMT_API int64_t nmt_segment_bytes(const nmt_profile* profile, const char* operation,
                                  uint64_t size_bytes, uint32_t nodes, uint32_t ranks_per_node);

// One range of sizes of a hierarchical operation on a number of nodes, as it was sampled, or as it
// was predicted for shapes that were not. They are numbered from 0, sampled ones first, and of
// these those of the MPI that was sampled last; NMT_UNKNOWN beyond the last.
typedef struct nmt_collective_rule {
  uint32_t struct_bytes;
  uint32_t nodes;
  uint32_t ranks_per_node;
  uint32_t leaders;  // of a node: one for each NUMA node or socket, where there are so many
  const char* operation;
  // The fastest. "chain", "ring" ...: one of ours; "library": what the MPI chooses itself;
  // "library:NAME": another algorithm of the MPI, which the MPI calls NAME; "": not known.
  const char* algorithm;
  uint64_t from_bytes;  // inclusive
  uint64_t to_bytes;    // exclusive; UINT64_MAX: without end
  uint64_t segment_bytes;
  // Since 0.2.
  const char* mpi;  // name and version that it was sampled under: "Open MPI v4.1.4"; "": not known
  double gain;      // duration of what the MPI chooses over this one's, mean; 0: not known
  // It holds from `nodes` to these, both inclusive, and so for ranks per node.
  uint32_t nodes_max;
  uint32_t ranks_per_node_max;
  uint32_t predicted;  // 1: nothing was sampled there; the gain is large enough
  uint32_t reserved;
} nmt_collective_rule;

NMT_API int nmt_describe_collective(const nmt_profile* profile, uint32_t index,
                                    nmt_collective_rule* rule);

// A call of a collective.
typedef struct nmt_collective_call {
  uint32_t struct_bytes;
  uint32_t nodes;
  uint32_t ranks_per_node;
  uint32_t ranks;         // in all
  const char* mpi;        // name and version; NULL: the one that was sampled last
  const char* operation;  // "bcast", "allreduce" ...
  // Of the message; of one rank's block for allgather, alltoall (to each other rank), gather,
  // scatter and reduce_scatter_block; the mean of the blocks for allgatherv and reduce_scatter; for
  // alltoallv three quarters of the block in which a byte is on average, over all bytes between
  // nodes; 0 for a barrier.
  uint64_t size_bytes;
} nmt_collective_call;

// The rule for a call. NMT_NO_ADVICE: nothing was sampled for its shape under its MPI, and no gain
// that is large enough is predicted for it.
// Rules are for nodes of equal numbers of ranks. If yours differ, ask for each number. Leave the
// call to the MPI if any answer is "library" or NMT_NO_ADVICE; else follow the answer for the
// fullest node.
NMT_API int nmt_collective_rule_for(const nmt_profile* profile, const nmt_collective_call* call,
                                    nmt_collective_rule* rule);

// What was measured of the algorithms that an MPI has itself (nmad-sample --stack): the fastest for
// a range of sizes, on a number of ranks. They are numbered from 0; NMT_UNKNOWN beyond the last.
typedef struct nmt_library_rule {
  uint32_t struct_bytes;
  uint32_t ranks;
  uint32_t ranks_per_node;
  uint32_t reserved;
  const char* mpi;  // name and version: "MPICH Version: 4.0.2"
  const char* operation;
  const char* algorithm;   // the MPI's own name; "": none is measurably faster than its choice
  uint64_t from_bytes;     // of one rank's data, inclusive
  uint64_t to_bytes;       // exclusive; UINT64_MAX: without end
  uint64_t segment_bytes;  // 0: the algorithm's own, or none
  double gain;             // duration of what the MPI chooses over that of the algorithm
  double gain_low;         // 95 % limits
  double gain_high;
} nmt_library_rule;

NMT_API int nmt_describe_library_rule(const nmt_profile* profile, uint32_t index,
                                      nmt_library_rule* rule);
NMT_API int nmt_library_rule_for(const nmt_profile* profile, const nmt_collective_call* call,
                                 nmt_library_rule* rule);

typedef struct nmt_exchange {
  uint32_t struct_bytes;
  uint32_t ranks;
  uint32_t ranks_per_node;
  uint32_t reserved;
  uint64_t size_bytes;    // to each rank
  const char* algorithm;  // "direct" ...; NULL: the first that was measured
} nmt_exchange;

NMT_API int nmt_alltoall(const nmt_profile* profile, const nmt_exchange* exchange,
                         nmt_prediction* prediction);

// -- Release times of rails ----------------------------------------------------------------------

// When each rail will be idle, kept as transfers are posted and completed. Several threads may
// post, complete and ask; asking never waits. Times are of one monotonic clock of the caller's.
typedef struct nmt_rails nmt_rails;

typedef struct nmt_transfer {
  uint32_t struct_bytes;
  uint32_t rail;
  uint64_t posted_ns;
  uint64_t duration_ns;
} nmt_transfer;

NMT_API int nmt_rails_new(uint32_t rails, nmt_rails** tracker);
NMT_API void nmt_rails_free(nmt_rails* tracker);
// A transfer that is predicted to take duration_ns once its rail is free. Keep `transfer` until it
// completes.
NMT_API int nmt_rails_posted(nmt_rails* tracker, uint32_t rail, uint64_t now_ns, double duration_ns,
                             nmt_transfer* transfer);
NMT_API int nmt_rails_completed(nmt_rails* tracker, uint64_t now_ns, const nmt_transfer* transfer);
// For nmt_share; negative: an nmt_status.
NMT_API double nmt_rails_release_ns(const nmt_rails* tracker, uint32_t rail, uint64_t now_ns);

// -- Replacing a profile while others ask it -----------------------------------------------------

// A place for the profile in force. Readers take it with one load and never wait. A replaced
// profile stays valid until it is closed: by the caller, once no reader can still use it.
typedef struct nmt_current nmt_current;

NMT_API int nmt_current_new(nmt_profile* profile, nmt_current** current);
NMT_API void nmt_current_free(nmt_current* current);  // does not close the profile
NMT_API nmt_profile* nmt_current_profile(const nmt_current* current);
// Returns the replaced one; `by` NULL changes nothing.
NMT_API nmt_profile* nmt_current_replace(nmt_current* current, nmt_profile* by);

#ifdef __cplusplus
}
#endif
