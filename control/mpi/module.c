// SPDX-License-Identifier: BSD-3-Clause
//
// The table of control/mpi/table.h over mpi.h. The only file here that includes mpi.h.
#include "control/mpi/table.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mpi_name.h"

enum { kGroupsMax = 256, kTag = 7, kTalkTag = 8, kNarrowTag = 9, kTextTag = 10 };

static MPI_Comm groups[kGroupsMax];
static int groups_made;
static char library[MPI_MAX_LIBRARY_VERSION_STRING];

static void start(void) {
  int begun = 0, length = 0;
  MPI_Initialized(&begun);
  if (!begun) MPI_Init(NULL, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &groups[0]);
  groups_made = 1;
  MPI_Get_library_version(library, &length);
  shorten_to_mpi_name(library);
}

static void end_job(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

static const char* library_name(void) { return library; }

static int rank_of(MPI_Comm group) {
  int rank = -1;
  if (group != MPI_COMM_NULL) MPI_Comm_rank(group, &rank);
  return rank;
}

static int size_of(MPI_Comm group) {
  int size = 0;
  MPI_Comm_size(group, &size);
  return size;
}

static int rank(void) { return rank_of(groups[0]); }
static int size(void) { return size_of(groups[0]); }

static void nodes(int* of_ranks) {
  MPI_Comm node;
  int lowest = rank();
  MPI_Comm_split_type(groups[0], MPI_COMM_TYPE_SHARED, lowest, MPI_INFO_NULL, &node);
  MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  MPI_Allgather(&lowest, 1, MPI_INT, of_ranks, 1, MPI_INT, groups[0]);
}

static int make_group(const int* ranks, int count) {
  if (groups_made == kGroupsMax) end_job(1);
  MPI_Group all, some;
  MPI_Comm_group(groups[0], &all);
  MPI_Group_incl(all, count, ranks, &some);
  MPI_Comm_create(groups[0], some, &groups[groups_made]);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return groups_made++;
}

// MPIs that do not know the key take no notice of it.
static int make_group_preferring(const int* ranks, int count, const char* component) {
  const int number = make_group(ranks, count);
  if (groups[number] == MPI_COMM_NULL) return number;
  MPI_Comm plain = groups[number];
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "ompi_comm_coll_preference", component);
  MPI_Comm_dup_with_info(plain, info, &groups[number]);
  MPI_Info_free(&info);
  MPI_Comm_free(&plain);
  return number;
}

static MPI_Comm whole = MPI_COMM_NULL;  // group 0 of the job, while that is narrowed

static void narrow(const int* ranks, int count) {
  MPI_Group all, some;
  whole = groups[0];
  MPI_Comm_group(whole, &all);
  MPI_Group_incl(all, count, ranks, &some);
  MPI_Comm_create_group(whole, some, kNarrowTag, &groups[0]);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}

static void widen(void) {
  MPI_Comm_free(&groups[0]);
  groups[0] = whole;
}

static int group_rank(int group) { return rank_of(groups[group]); }

// For measured messages: polls all the time, but yields the core to other threads that want it.
static void wait_awake(MPI_Request* request) {
  for (int done = 0;;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    sched_yield();
  }
}

// Sleeps between polls, longer and longer, because other processes need the core.
static void wait_politely(MPI_Request* request) {
  const long shortest_ns = 50000, longest_ns = 10000000;
  long waited_ns = 0;
  for (int done = 0, looks = 0;; ++looks) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    if (looks < 100) continue;
    struct timespec nap = {.tv_nsec = waited_ns / 16 + shortest_ns};
    if (nap.tv_nsec > longest_ns) nap.tv_nsec = longest_ns;
    nanosleep(&nap, NULL);
    waited_ns += nap.tv_nsec;
  }
}

static void barrier(int group) {
  MPI_Request request;
  MPI_Ibarrier(groups[group], &request);
  wait_politely(&request);
}

static void broadcast(void* bytes, uint64_t size_bytes) {
  MPI_Request request;
  MPI_Ibcast(bytes, (int)size_bytes, MPI_BYTE, 0, groups[0], &request);
  wait_politely(&request);
}

static void gather(const void* from, void* to, uint64_t size_bytes) {
  const int count = (int)size_bytes;
  MPI_Request request;
  MPI_Igather(from, count, MPI_BYTE, to, count, MPI_BYTE, 0, groups[0], &request);
  wait_politely(&request);
}

static void least_and_most(int group, double* least, double* most) {
  double both[2] = {-*least, *most}, result[2];
  MPI_Request request;
  MPI_Iallreduce(both, result, 2, MPI_DOUBLE, MPI_MAX, groups[group], &request);
  wait_politely(&request);
  *least = -result[0];
  *most = result[1];
}

static void send(const void* bytes, uint64_t size_bytes, int to) {
  MPI_Request request;
  MPI_Isend(bytes, (int)size_bytes, MPI_BYTE, to, kTag, groups[0], &request);
  wait_awake(&request);
}

static void receive(void* bytes, uint64_t size_bytes, int from) {
  MPI_Request request;
  MPI_Irecv(bytes, (int)size_bytes, MPI_BYTE, from, kTag, groups[0], &request);
  wait_awake(&request);
}

static void flood(const int* to, int sends, const int* from, int receives, const void* bytes,
                  void* into, uint64_t size_bytes, double (*now)(void* context), void* context,
                  double* ends) {
  const int count = (int)size_bytes, all = sends + receives;
  MPI_Request* requests = malloc(((size_t)all + 1) * sizeof *requests);
  if (requests == NULL) end_job(1);
  for (int i = 0; i < receives; ++i) {
    MPI_Irecv((char*)into + (uint64_t)i * size_bytes, count, MPI_BYTE, from[i], kTag, groups[0],
              &requests[i]);
  }
  for (int i = 0; i < sends; ++i) {
    MPI_Isend(bytes, count, MPI_BYTE, to[i], kTag, groups[0], &requests[receives + i]);
  }
  for (int left = all; left > 0;) {
    int which = 0, done = 0;
    MPI_Testany(all, requests, &which, &done, MPI_STATUS_IGNORE);
    if (!done) {
      sched_yield();
      continue;
    }
    if (which < receives) ends[which] = now(context);
    --left;
  }
  free(requests);
}

// A message that was sent and whose completion is not known yet.
typedef struct posted {
  struct posted* next;
  MPI_Request request;
  char bytes[];
} posted;
static posted* posts;

static void let_go(void) {
  for (posted** each = &posts; *each != NULL;) {
    posted* here = *each;
    int gone = 0;
    MPI_Test(&here->request, &gone, MPI_STATUS_IGNORE);
    if (gone) {
      *each = here->next;
      free(here);
    } else {
      each = &here->next;
    }
  }
}

static void post(const void* bytes, uint64_t size_bytes, int to) {
  let_go();
  posted* new = malloc(sizeof *new + size_bytes);
  if (new == NULL) end_job(1);
  memcpy(new->bytes, bytes, size_bytes);
  new->next = posts;
  posts = new;
  MPI_Isend(new->bytes, (int)size_bytes, MPI_BYTE, to, kTalkTag, groups[0], &new->request);
}

static int send_early(const void* bytes, uint64_t size_bytes, int to) {
  const struct timespec nap = {.tv_nsec = 100000};
  int gone = 0;
  MPI_Request request;
  MPI_Isend(bytes, (int)size_bytes, MPI_BYTE, to, kTag, groups[0], &request);
  for (int looks = 0; looks < 100 && !gone; ++looks) {
    nanosleep(&nap, NULL);
    MPI_Test(&request, &gone, MPI_STATUS_IGNORE);
  }
  const int32_t word = gone;
  post(&word, sizeof word, to);
  if (!gone) wait_awake(&request);
  return gone;
}

static int64_t arrived(int from) {
  int there = 0, size_bytes = 0;
  MPI_Status status;
  let_go();
  MPI_Iprobe(from, kTalkTag, groups[0], &there, &status);
  if (!there) return -1;
  MPI_Get_count(&status, MPI_BYTE, &size_bytes);
  return size_bytes;
}

static void receive_asleep(void* bytes, uint64_t size_bytes, int from, int tag) {
  MPI_Request request;
  MPI_Irecv(bytes, (int)size_bytes, MPI_BYTE, from, tag, groups[0], &request);
  wait_politely(&request);
}

static void take(void* bytes, uint64_t size_bytes, int from) {
  receive_asleep(bytes, size_bytes, from, kTalkTag);
}

static void hand(const void* bytes, uint64_t size_bytes, int to) {
  MPI_Request request;
  MPI_Isend(bytes, (int)size_bytes, MPI_BYTE, to, kTextTag, groups[0], &request);
  wait_politely(&request);
}

static void fetch(void* bytes, uint64_t size_bytes, int from) {
  receive_asleep(bytes, size_bytes, from, kTextTag);
}

static void alltoall(int group, const void* from, void* to, uint64_t size_bytes) {
  const int count = (int)size_bytes;
  MPI_Alltoall(from, count, MPI_BYTE, to, count, MPI_BYTE, groups[group]);
}

// In round t, each rank sends to the rank t ahead and receives from the rank t behind.
static void exchange(int group, const void* from, void* to, uint64_t size_bytes) {
  const MPI_Comm comm = groups[group];
  const int self = rank_of(comm), ranks = size_of(comm), count = (int)size_bytes;
  const char* parts_from = from;
  char* parts_to = to;
  memcpy(parts_to + (uint64_t)self * size_bytes, parts_from + (uint64_t)self * size_bytes,
         size_bytes);
  for (int t = 1; t < ranks; ++t) {
    const int next = (self + t) % ranks, last = (self - t + ranks) % ranks;
    MPI_Request receipt, dispatch;
    MPI_Irecv(parts_to + (uint64_t)last * size_bytes, count, MPI_BYTE, last, kTag, comm, &receipt);
    MPI_Isend(parts_from + (uint64_t)next * size_bytes, count, MPI_BYTE, next, kTag, comm,
              &dispatch);
    wait_awake(&receipt);
    wait_awake(&dispatch);
  }
}

static int collective(const char* operation, int group, const void* from, void* to,
                      uint64_t size_bytes) {
  const MPI_Comm comm = groups[group];
  const int count = (int)size_bytes, floats = count / 4;
  if (strcmp(operation, "bcast") == 0) {
    MPI_Bcast(to, count, MPI_BYTE, 0, comm);
  } else if (strcmp(operation, "reduce") == 0) {
    MPI_Reduce(from, to, floats, MPI_FLOAT, MPI_SUM, 0, comm);
  } else if (strcmp(operation, "allreduce") == 0) {
    MPI_Allreduce(from, to, floats, MPI_FLOAT, MPI_SUM, comm);
  } else if (strcmp(operation, "allgather") == 0) {
    MPI_Allgather(from, count, MPI_BYTE, to, count, MPI_BYTE, comm);
  } else if (strcmp(operation, "alltoall") == 0) {
    MPI_Alltoall(from, count, MPI_BYTE, to, count, MPI_BYTE, comm);
  } else {
    return 0;
  }
  return 1;
}

static int begin_tools(void) {
  static int begun;
  int level = 0;
  if (!begun && MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS) return 0;
  begun = 1;
  return 1;
}

// Opens a handle of the variable, and returns its type. Works in Open MPI and MPICH.
static int open_variable(const char* name, MPI_T_cvar_handle* handle, MPI_Datatype* type) {
  int index = 0, count = 0, verbosity = 0, bind = 0, scope = 0;
  if (!begin_tools()) return 0;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return 0;
  MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, type, NULL, NULL, NULL, &bind, &scope);
  return MPI_T_cvar_handle_alloc(index, NULL, handle, &count) == MPI_SUCCESS;
}

// Open MPI says that a text needs 2048 bytes, and copies all of it. A text comes from the
// environment or the command line, where Linux allows 128 KiB, or from a file of parameters.
static int read_variable(const char* name, char* value, int value_bytes_max) {
  enum { kRawBytes = 4 << 20 };
  MPI_T_cvar_handle handle;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int length = -1;
  if (!open_variable(name, &handle, &type)) return -1;
  const size_t room = (size_t)value_bytes_max;
  void* raw = calloc(1, kRawBytes);
  if (raw == NULL) end_job(1);
  MPI_T_cvar_read(handle, raw);
  MPI_T_cvar_handle_free(&handle);
  if (type == MPI_CHAR) length = snprintf(value, room, "%s", (const char*)raw);
  if (type == MPI_INT) length = snprintf(value, room, "%d", *(const int*)raw);
  if (type == MPI_UNSIGNED) length = snprintf(value, room, "%u", *(const unsigned*)raw);
  if (type == MPI_UNSIGNED_LONG) length = snprintf(value, room, "%lu", *(const unsigned long*)raw);
  if (type == MPI_UNSIGNED_LONG_LONG) {
    length = snprintf(value, room, "%llu", *(const unsigned long long*)raw);
  }
  if (type == MPI_DOUBLE) length = snprintf(value, room, "%g", *(const double*)raw);
  free(raw);
  return length;
}

static int set_variable(const char* name, int value) {
  MPI_T_cvar_handle handle;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (!open_variable(name, &handle, &type)) return 0;
  const int set =
      (type == MPI_INT || type == MPI_UNSIGNED) && MPI_T_cvar_write(handle, &value) == MPI_SUCCESS;
  MPI_T_cvar_handle_free(&handle);
  return set;
}

// Appends to a list in which commas separate words; returns its new length, or -1.
static int append(char* list, int length, int list_bytes_max, const char* word, size_t word_bytes) {
  if ((size_t)length + word_bytes + 2 > (size_t)list_bytes_max) return -1;
  if (length > 0) list[length++] = ',';
  memcpy(list + length, word, word_bytes);
  list[length + (int)word_bytes] = '\0';
  return length + (int)word_bytes;
}

// Open MPI closes the components that it has not chosen, and their variables with them.
static int list_variables(const char* pattern, char* names, int names_bytes_max) {
  const char* any = strchr(pattern, '%');
  int variables = 0, length = 0;
  if (any == NULL || !begin_tools() || MPI_T_cvar_get_num(&variables) != MPI_SUCCESS) return -1;
  const size_t before = (size_t)(any - pattern), after = strlen(any + 1);
  for (int i = 0; i < variables && length >= 0; ++i) {
    char name[256];
    int name_bytes = sizeof name, verbosity = 0, bind = 0, scope = 0;
    MPI_Datatype type;
    if (MPI_T_cvar_get_info(i, name, &name_bytes, &verbosity, &type, NULL, NULL, NULL, &bind,
                            &scope) != MPI_SUCCESS) {
      continue;
    }
    const size_t all = strlen(name);
    if (all <= before + after || strncmp(name, pattern, before) != 0) continue;
    if (strcmp(name + all - after, any + 1) != 0) continue;
    length = append(names, length, names_bytes_max, name + before, all - before - after);
  }
  return length > 0 ? length : -1;
}

static int enumerate_variable(const char* name, char* values, int values_bytes_max) {
  int index = 0, verbosity = 0, bind = 0, scope = 0, items = 0, length = 0;
  char title[256];
  int title_bytes = sizeof title;
  MPI_Datatype type;
  MPI_T_enum all = MPI_T_ENUM_NULL;
  if (!begin_tools() || MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return -1;
  MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, &type, &all, NULL, NULL, &bind, &scope);
  if (all == MPI_T_ENUM_NULL) return -1;
  if (MPI_T_enum_get_info(all, &items, title, &title_bytes) != MPI_SUCCESS) return -1;
  for (int i = 0; i < items && length >= 0; ++i) {
    char item[256];
    int value = 0, item_bytes = sizeof item;
    if (MPI_T_enum_get_item(all, i, &value, item, &item_bytes) != MPI_SUCCESS) return -1;
    if (value != i) return -1;  // not numbers of algorithms
    length = append(values, length, values_bytes_max, item, strlen(item));
  }
  return length > 0 ? length : -1;
}

// Sends a byte from each rank to each other rank, in rounds.
static void greet_all(void) {
  const int ranks = size(), own = rank();
  for (int away = 1; away < ranks; ++away) {
    const int to = (own + away) % ranks, from = (own + ranks - away) % ranks;
    char said = 0, heard = 0;
    MPI_Sendrecv(&said, 1, MPI_CHAR, to, 0, &heard, 1, MPI_CHAR, from, 0, groups[0],
                 MPI_STATUS_IGNORE);
  }
}

// In MPI_Finalize, MPICH over UCX's TCP asks each other rank for an answer, returns when it has all
// of them, and answers no rank afterwards. So it may hang. It does not hang if all ranks have
// exchanged a message before, so that no connection is half made, and if they arrive together with
// nothing else to do: hence the barrier, then a sleep without calls. In large jobs so many
// connections would cost more than hanging does.
static void finish(void) {
  enum { kGreetedMax = 128 };
  const struct timespec rest = {.tv_nsec = 200000000};
  while (posts != NULL) let_go();
  for (int i = 1; i < groups_made; ++i) {
    if (groups[i] != MPI_COMM_NULL) MPI_Comm_free(&groups[i]);
  }
  if (strstr(library, "MPICH") != NULL && size() <= kGreetedMax) greet_all();
  barrier(0);
  nanosleep(&rest, NULL);
  MPI_Finalize();
}

__attribute__((visibility("default"))) const nmt_mpi_table* nmt_mpi_module(void) {
  static const nmt_mpi_table table = {
      .struct_bytes = sizeof table,
      .start = start,
      .finish = finish,
      .abort = end_job,
      .library = library_name,
      .rank = rank,
      .size = size,
      .nodes = nodes,
      .group = make_group,
      .group_preferring = make_group_preferring,
      .narrow = narrow,
      .widen = widen,
      .group_rank = group_rank,
      .barrier = barrier,
      .broadcast = broadcast,
      .gather = gather,
      .least_and_most = least_and_most,
      .send = send,
      .receive = receive,
      .send_early = send_early,
      .flood = flood,
      .post = post,
      .arrived = arrived,
      .take = take,
      .hand = hand,
      .fetch = fetch,
      .alltoall = alltoall,
      .exchange = exchange,
      .collective = collective,
      .variable = read_variable,
      .set_variable = set_variable,
      .variables = list_variables,
      .enumeration = enumerate_variable,
      .has_variables = begin_tools,
  };
  return &table;
}
