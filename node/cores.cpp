// SPDX-License-Identifier: BSD-3-Clause
#include "node/cores.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <numeric>

#include "core/error.h"
#include "node/sysfs.h"

namespace nmt::node {
namespace {

constexpr std::size_t kCacheBytesUnknown = std::size_t{1} << 20;
constexpr int kCachesMax = 16;

enum class Nearness { kSameCore, kHardwareThreads, kSharedCache, kSamePackage, kOtherPackage };

constexpr std::array<std::string_view, 5> kNearnessNames = {
    "same-core", "hardware-threads", "shared-cache", "same-package", "other-package"};

std::string core_folder(const std::string& root, int core) {
  return fmt::format("{}/sys/devices/system/cpu/cpu{}", root, core);
}

bool contains(const std::vector<int>& numbers, int wanted) {
  return std::find(numbers.begin(), numbers.end(), wanted) != numbers.end();
}

// Whether the kernel lets this thread run on these cores.
bool allow(const std::vector<int>& cores) {
  const int most = *std::max_element(cores.begin(), cores.end());
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(most + 1),
                                                             [](cpu_set_t* s) { CPU_FREE(s); });
  const std::size_t size_bytes = CPU_ALLOC_SIZE(most + 1);
  CPU_ZERO_S(size_bytes, set.get());
  for (const int core : cores) CPU_SET_S(core, size_bytes, set.get());
  return ::sched_setaffinity(0, size_bytes, set.get()) == 0;
}

// Hardware threads of the physical core that `core` belongs to; `core` alone if they are unknown.
std::vector<int> hardware_threads(const std::string& root, int core) {
  std::vector<int> list =
      parse_list(read_line(core_folder(root, core) + "/topology/thread_siblings_list"));
  if (!contains(list, core)) return {core};
  return list;
}

struct Cache {
  std::size_t size_bytes = 0;
  std::vector<int> cores;  // cores that share it
};

// Caches that hold data of `core`.
std::vector<Cache> data_caches(const std::string& root, int core) {
  std::vector<Cache> caches;
  for (int index = 0; index < kCachesMax; ++index) {
    const std::string folder = fmt::format("{}/cache/index{}", core_folder(root, core), index);
    const std::string type = read_line(folder + "/type");
    if (type.empty()) break;
    if (type == "Instruction") continue;
    caches.push_back({parse_cache_size(read_line(folder + "/size")).value_or(0),
                      parse_list(read_line(folder + "/shared_cpu_list"))});
  }
  return caches;
}

// What decides the distance between two cores.
struct Place {
  int core = 0;
  std::vector<int> siblings;
  std::vector<Cache> caches;
  std::string package;

  Place(int number, const std::string& root)
      : core(number),
        siblings(hardware_threads(root, number)),
        caches(data_caches(root, number)),
        package(read_line(core_folder(root, number) + "/topology/physical_package_id")) {}
};

Nearness nearness(const Place& a, const Place& b) {
  if (a.core == b.core) return Nearness::kSameCore;
  if (contains(a.siblings, b.core)) return Nearness::kHardwareThreads;
  for (const Cache& cache : a.caches) {
    if (contains(cache.cores, b.core)) return Nearness::kSharedCache;
  }
  return a.package == b.package ? Nearness::kSamePackage : Nearness::kOtherPackage;
}

// A higher value is a worse pair of cores for two processes that both poll.
int discomfort(Nearness nearness) {
  if (nearness == Nearness::kHardwareThreads) return static_cast<int>(Nearness::kOtherPackage) + 1;
  return static_cast<int>(nearness);
}

}  // namespace

std::vector<int> allowed_cores() {
  // A machine may have more cores than cpu_set_t has bits: the kernel returns EINVAL until the set
  // is large enough.
  for (int count = CPU_SETSIZE; count <= CPU_SETSIZE * 64; count *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(count),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const std::size_t size_bytes = CPU_ALLOC_SIZE(count);
    if (::sched_getaffinity(0, size_bytes, set.get()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::vector<int> cores;
    for (int core = 0; core < count; ++core) {
      if (CPU_ISSET_S(core, size_bytes, set.get())) cores.push_back(core);
    }
    return cores;
  }
  return {std::max(0, ::sched_getcpu())};
}

std::string placement(int core_a, int core_b, const std::string& root) {
  const Nearness found = nearness(Place(core_a, root), Place(core_b, root));
  return std::string(kNearnessNames[static_cast<std::size_t>(found)]);
}

CorePair nearest_cores(const std::vector<int>& cores, const std::string& root) {
  NMT_CHECK(!cores.empty());
  std::vector<Place> places;
  places.reserve(cores.size());
  for (const int core : cores) places.emplace_back(core, root);
  CorePair best{cores.front(), cores.front()};
  int least = discomfort(Nearness::kHardwareThreads) + 1;
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = a + 1; b < places.size(); ++b) {
      const int found = discomfort(nearness(places[a], places[b]));
      if (found >= least) continue;
      least = found;
      best = {places[a].core, places[b].core};
      if (least == discomfort(Nearness::kSharedCache)) return best;
    }
  }
  return best;
}

CorePair nearest_cores() { return nearest_cores(allowed_cores()); }

std::vector<int> spread_cores(const std::vector<int>& cores, const std::string& root) {
  std::vector<int> order = cores;
  std::stable_partition(order.begin(), order.end(), [&](int core) {
    const std::vector<int> threads = hardware_threads(root, core);
    return std::none_of(threads.begin(), threads.end(),
                        [&](int other) { return other < core && contains(cores, other); });
  });
  return order;
}

void pin_to(int core) {
  if (!allow({core})) {
    throw system_error(Fault::kFailed, fmt::format("sched_setaffinity(core {})", core), errno,
                       "allow that core (taskset, cpuset of the container)");
  }
}

OnCores::OnCores() : before_(allowed_cores()) {
  std::vector<int> all(static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_CONF)));
  std::iota(all.begin(), all.end(), 0);
  allow(all);
}

OnCores::OnCores(int core) : before_(allowed_cores()) { pin_to(core); }

OnCores::~OnCores() { allow(before_); }

std::size_t private_cache_bytes(int core, const std::string& root) {
  const std::vector<int> own = hardware_threads(root, core);
  std::size_t largest = 0;
  for (const Cache& cache : data_caches(root, core)) {
    const bool is_private = std::all_of(cache.cores.begin(), cache.cores.end(),
                                        [&](int sharer) { return contains(own, sharer); });
    if (is_private) largest = std::max(largest, cache.size_bytes);
  }
  return largest > 0 ? largest : kCacheBytesUnknown;
}

std::size_t private_cache_bytes() { return private_cache_bytes(allowed_cores().front()); }

}  // namespace nmt::node
