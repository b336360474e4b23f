// SPDX-License-Identifier: BSD-3-Clause
//
// The names by which other libraries know the device of a rail: the kernel's ("eth0"), the verbs
// device's ("mlx5_0", as NCCL and libfabric write it), UCX's ("mlx5_0:1"), and the PCI address
// ("0000:3b:00.0").
#pragma once

#include <string>
#include <vector>

#include "core/rail.h"
#include "include/nmadtune.h"

namespace nmt::runtime {

struct DeviceName {
  nmt_device_naming naming = NMT_DEVICE_KERNEL;
  std::string name;
  bool operator==(const DeviceName&) const = default;
};

// The driver's own name first. Empty for a rail without a device, such as shared memory.
std::vector<DeviceName> device_names(const Rail& rail);

}  // namespace nmt::runtime
