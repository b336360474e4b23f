// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/device_memory.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

namespace nmt::collectives {
namespace {

// For CUDA: CUmemorytype is 2 for device memory, including managed memory, 3 for an array, 4 where
// host and device share addresses.
using CudaQuery = int(void* data, int attribute, std::uint64_t address);
constexpr int kCudaMemoryType = 2;

// For HIP. The meaning of the first member differs between ROCm 5 and 6. In both, host memory has a
// host pointer, and unknown memory has no pointer.
struct HipAttributes {
  int type = 0;
  int device = 0;
  void* device_pointer = nullptr;
  void* host_pointer = nullptr;
  int is_managed = 0;
  unsigned flags = 0;
  std::array<std::byte, 64> later_versions{};
};
using HipQuery = int(HipAttributes* attributes, const void* address);
using HipError = int();

// For Level Zero.
struct ZeProperties {
  std::uint32_t structure = 0x17;
  void* next = nullptr;
  std::uint32_t type = 0;  // 2: device memory, 3: shared with a device
  std::uint64_t id = 0;
  std::uint64_t page_bytes = 0;
};
struct ZeContextOptions {
  std::uint32_t structure = 0xd;
  const void* next = nullptr;
  std::uint32_t flags = 0;
};
using ZeDrivers = int(std::uint32_t* count, void** drivers);
using ZeContext = int(void* driver, const ZeContextOptions* options, void** context);
using ZeQuery = int(void* context, const void* address, ZeProperties* properties, void** device);

struct Runtimes {
  std::mutex mutex;
  unsigned long long loaded = ~0ull;  // libraries loaded so far, at the last search
  CudaQuery* cuda = nullptr;
  HipQuery* hip = nullptr;
  HipError* hip_peek = nullptr;
  HipError* hip_clear = nullptr;
  ZeDrivers* ze_drivers = nullptr;
  ZeContext* ze_create = nullptr;
  ZeQuery* ze = nullptr;
  std::vector<void*> ze_contexts;  // one per driver, once it is initialised
};

Runtimes& runtimes() {
  static auto* const runtimes = new Runtimes;
  return *runtimes;
}

unsigned long long libraries_loaded() {
  unsigned long long loaded = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* count) {
        *static_cast<unsigned long long*>(count) = library->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

std::vector<std::string> libraries_named_like(const char* part) {
  struct Search {
    const char* part;
    std::vector<std::string> names;
  } search{part, {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* data) {
        auto& found = *static_cast<Search*>(data);
        const std::string name = library->dlpi_name;
        if (name.find(found.part) != std::string::npos) found.names.push_back(name);
        return 0;
      },
      &search);
  return search.names;
}

// Debian's builds of UCX and hwloc bring HIP and Level Zero into every process, also where the
// kernel has no device for them. CUDA's library comes with the driver.
bool kernel_has_any(std::initializer_list<const char*> devices) {
  return std::ranges::any_of(devices, [](const char* file) { return ::access(file, F_OK) == 0; });
}

// Runtimes load their libraries locally, where a global search does not find them.
template <class Function>
void find(Function*& function, const char* name, const char* library) {
  if (function != nullptr) return;
  function = reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
  for (const std::string& each : libraries_named_like(library)) {
    void* const handle = ::dlopen(each.c_str(), RTLD_NOLOAD | RTLD_LAZY);  // keeps it loaded
    if (function == nullptr && handle != nullptr) {
      function = reinterpret_cast<Function*>(::dlsym(handle, name));
    }
  }
}

void find_runtimes(Runtimes& known) {
  const unsigned long long loaded = libraries_loaded();
  if (loaded == known.loaded) return;
  find(known.cuda, "cuPointerGetAttribute", "/libcuda.so");
  if (kernel_has_any({"/dev/kfd", "/dev/dxg"})) {
    find(known.hip, "hipPointerGetAttributes", "/libamdhip64.so");
    find(known.hip_peek, "hipPeekAtLastError", "/libamdhip64.so");
    find(known.hip_clear, "hipGetLastError", "/libamdhip64.so");
  }
  if (kernel_has_any({"/dev/dri", "/dev/accel", "/dev/dxg"})) {
    find(known.ze, "zeMemGetAllocProperties", "/libze_loader.so");
    find(known.ze_drivers, "zeDriverGet", "/libze_loader.so");
    find(known.ze_create, "zeContextCreate", "/libze_loader.so");
  }
  known.loaded = loaded;
}

bool is_cudas(const Runtimes& known, const void* address) {
  unsigned type = 0;
  if (known.cuda == nullptr) return false;
  const auto number = reinterpret_cast<std::uint64_t>(address);
  return known.cuda(&type, kCudaMemoryType, number) == 0 && type >= 2;
}

// A failing query leaves an error behind, which the program must not see.
bool is_hips(const Runtimes& known, const void* address) {
  HipAttributes attributes;
  if (known.hip == nullptr) return false;
  const bool clean = known.hip_peek != nullptr && known.hip_peek() == 0;
  if (known.hip(&attributes, address) != 0) {
    if (clean && known.hip_clear != nullptr) known.hip_clear();
    return false;
  }
  return attributes.is_managed != 0 ||
         (attributes.device_pointer != nullptr && attributes.host_pointer == nullptr);
}

bool is_level_zeros(Runtimes& known, const void* address) {
  if (known.ze == nullptr || known.ze_drivers == nullptr || known.ze_create == nullptr) {
    return false;
  }
  if (known.ze_contexts.empty()) {
    std::uint32_t count = 0;
    if (known.ze_drivers(&count, nullptr) != 0 || count == 0) return false;
    std::vector<void*> drivers(count);
    if (known.ze_drivers(&count, drivers.data()) != 0) return false;
    for (void* const driver : drivers) {
      const ZeContextOptions options;
      void* context = nullptr;
      if (known.ze_create(driver, &options, &context) == 0) known.ze_contexts.push_back(context);
    }
  }
  for (void* const context : known.ze_contexts) {
    ZeProperties properties;
    if (known.ze(context, address, &properties, nullptr) == 0 && properties.type >= 2) return true;
  }
  return false;
}

}  // namespace

bool has_device_runtime() {
  Runtimes& known = runtimes();
  const std::lock_guard lock(known.mutex);
  find_runtimes(known);
  return known.cuda != nullptr || known.hip != nullptr || known.ze != nullptr;
}

bool is_device_memory(const void* address) {
  if (address == nullptr || !has_device_runtime()) return false;
  Runtimes& known = runtimes();
  const std::lock_guard lock(known.mutex);
  return is_cudas(known, address) || is_hips(known, address) || is_level_zeros(known, address);
}

}  // namespace nmt::collectives
