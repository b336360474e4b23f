// SPDX-License-Identifier: BSD-3-Clause
#include "tests/control/virtual_job.h"

#include <malloc.h>
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "core/error.h"

namespace {

thread_local std::ptrdiff_t held_bytes = 0, held_bytes_max = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  void* memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  held_bytes += static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
  held_bytes_max = std::max(held_bytes_max, held_bytes);
  return memory;
}

void operator delete(void* memory) noexcept {
  held_bytes -= static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace nmt::testing {
namespace {

enum Tag { kSend, kHand, kBroadcast };

// A message whose sender waits.
struct Waiting {
  const void* bytes = nullptr;
  std::uint64_t size_bytes = 0;
  bool gone = false;
};

struct Rank {
  std::mutex mutex;
  std::condition_variable changed;                  // of the messages to this rank
  std::map<std::pair<int, Tag>, Waiting*> waiting;  // by sender
  RankCost cost;
};

std::vector<Rank>* job_ranks = nullptr;
thread_local int own_rank = 0;

Rank& rank_called(int rank) { return (*job_ranks)[static_cast<std::size_t>(rank)]; }

void send_as(Tag tag, const void* bytes, std::uint64_t size_bytes, int to) {
  Waiting message{.bytes = bytes, .size_bytes = size_bytes};
  Rank& receiver = rank_called(to);
  std::unique_lock lock(receiver.mutex);
  receiver.waiting[{own_rank, tag}] = &message;
  receiver.changed.notify_all();
  receiver.changed.wait(lock, [&] { return message.gone; });
  lock.unlock();
  ++rank_called(own_rank).cost.messages;
  rank_called(own_rank).cost.sent_bytes += size_bytes;
}

void receive_as(Tag tag, void* bytes, std::uint64_t size_bytes, int from) {
  Rank& receiver = rank_called(own_rank);
  std::unique_lock lock(receiver.mutex);
  receiver.changed.wait(lock, [&] { return receiver.waiting.contains({from, tag}); });
  Waiting* message = receiver.waiting.extract({from, tag}).mapped();
  NMT_CHECK(message->size_bytes == size_bytes);
  if (size_bytes > 0) std::memcpy(bytes, message->bytes, size_bytes);
  message->gone = true;
  receiver.changed.notify_all();
  ++receiver.cost.messages;
}

int rank() { return own_rank; }
int size() { return static_cast<int>(job_ranks->size()); }
void send(const void* bytes, std::uint64_t size_bytes, int to) {
  send_as(kSend, bytes, size_bytes, to);
}
void receive(void* bytes, std::uint64_t size_bytes, int from) {
  receive_as(kSend, bytes, size_bytes, from);
}
void hand(const void* bytes, std::uint64_t size_bytes, int to) {
  send_as(kHand, bytes, size_bytes, to);
}
void fetch(void* bytes, std::uint64_t size_bytes, int from) {
  receive_as(kHand, bytes, size_bytes, from);
}

// Along a binomial tree.
void broadcast(void* bytes, std::uint64_t size_bytes) {
  int bit = 1;
  for (; bit < size() && (own_rank & bit) == 0; bit *= 2) {
  }
  if (own_rank != 0) receive_as(kBroadcast, bytes, size_bytes, own_rank - bit);
  for (bit /= 2; bit > 0; bit /= 2) {
    if (own_rank + bit < size()) send_as(kBroadcast, bytes, size_bytes, own_rank + bit);
  }
}

void barrier(int) {
  char word = 0;
  for (int bit = 1; bit < size(); bit *= 2) {
    if ((own_rank & bit) != 0) {
      send_as(kBroadcast, &word, sizeof word, own_rank - bit);
      break;
    }
    if (own_rank + bit < size()) receive_as(kBroadcast, &word, sizeof word, own_rank + bit);
  }
  broadcast(&word, sizeof word);
}

struct Start {
  int rank = 0;
  const std::function<void(const control::MpiJob& job)>* body = nullptr;
  const nmt_mpi_table* table = nullptr;
};

void* run_rank(void* given) {
  const Start& start = *static_cast<const Start*>(given);
  own_rank = start.rank;
  held_bytes = held_bytes_max = 0;
  (*start.body)(control::MpiJob(*start.table));
  rank_called(own_rank).cost.memory_bytes_max = static_cast<std::size_t>(held_bytes_max);
  return nullptr;
}

}  // namespace

std::vector<RankCost> run_virtual_job(int ranks,
                                      const std::function<void(const control::MpiJob& job)>& body) {
  constexpr std::size_t kStackBytes = 256 << 10;  // thousands of ranks need little of it
  nmt_mpi_table table{};
  table.rank = rank;
  table.size = size;
  table.send = send;
  table.receive = receive;
  table.hand = hand;
  table.fetch = fetch;
  table.broadcast = broadcast;
  table.barrier = barrier;
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  job_ranks = &all;
  std::vector<Start> starts(all.size());
  std::vector<pthread_t> threads(all.size());
  ::pthread_attr_t small;
  ::pthread_attr_init(&small);
  ::pthread_attr_setstacksize(&small, kStackBytes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    starts[i] = {.rank = static_cast<int>(i), .body = &body, .table = &table};
    NMT_CHECK(::pthread_create(&threads[i], &small, run_rank, &starts[i]) == 0);
  }
  for (const pthread_t thread : threads) ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&small);
  std::vector<RankCost> costs;
  for (const Rank& each : all) costs.push_back(each.cost);
  return costs;
}

}  // namespace nmt::testing
