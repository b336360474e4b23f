// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a buffer is in the memory of a device (CUDA, HIP, Level Zero), where only an MPI that
// knows the device can reach it. It asks the device's runtime if this process has loaded one and
// the kernel has a device for it; it never loads one. Any thread may ask.
#pragma once

namespace nmt::collectives {

// Searches again only if libraries were loaded since the last search.
bool has_device_runtime();

// Memory that the runtime moves between host and device counts as device memory, because another
// process cannot read it. Null and invalid addresses count as host memory.
bool is_device_memory(const void* address);

}  // namespace nmt::collectives
