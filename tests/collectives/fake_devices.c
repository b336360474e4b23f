// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded: the pointer queries of CUDA, HIP and Level Zero, as if the runtime that the variable
// FAKE_DEVICES names ("cuda", "hip", "ze") were there and one range of memory were a device's; and
// the files of such devices.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int access(const char* file, int mode) {
  if (getenv("FAKE_DEVICES") != NULL &&
      (strcmp(file, "/dev/kfd") == 0 || strcmp(file, "/dev/dri") == 0)) {
    return 0;
  }
  return faccessat(AT_FDCWD, file, mode, 0);
}

static const char* begin;
static size_t size;

void fake_device_memory(const void* address, size_t bytes) {
  begin = address;
  size = bytes;
}

static int is_there(const char* runtime, const void* address) {
  const char* faked = getenv("FAKE_DEVICES");
  const char* at = address;
  return faked != NULL && strcmp(faked, runtime) == 0 && at >= begin && at < begin + size;
}

int cuPointerGetAttribute(void* data, int attribute, uint64_t address) {
  if (attribute != 2 || !is_there("cuda", (const void*)address)) return 1;
  *(unsigned*)data = 2;
  return 0;
}

struct hip_attributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned flags;
};

int hipPointerGetAttributes(struct hip_attributes* attributes, const void* address) {
  if (!is_there("hip", address)) return 1;
  *attributes = (struct hip_attributes){.type = 1, .device_pointer = (void*)address};
  return 0;
}

int zeDriverGet(uint32_t* count, void** drivers) {
  if (drivers != NULL) drivers[0] = drivers;
  *count = 1;
  return 0;
}

int zeContextCreate(void* driver, const void* options, void** context) {
  (void)options;
  *context = driver;
  return 0;
}

struct ze_properties {
  uint32_t structure;
  void* next;
  uint32_t type;
  uint64_t id, page_bytes;
};

int zeMemGetAllocProperties(void* context, const void* address, struct ze_properties* properties,
                            void** device) {
  (void)device;
  if (context == NULL || properties->structure != 0x17) return 1;
  properties->type = is_there("ze", address) ? 2 : 0;
  return 0;
}
