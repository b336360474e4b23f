// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a buffer lies in the memory of a device (CUDA, HIP, Level Zero), where only an MPI that
// knows the device can reach it. The runtime of the device is asked, if this process has loaded
// one; none is ever loaded here. Any thread may ask.
#pragma once

namespace nmt::collectives {

// Looks again only where libraries were loaded since it looked last.
bool has_device_runtime();

// Memory that the runtime moves between host and device counts as a device's: another process can't
// read it. Nothing is known of null and of addresses that are none.
bool is_device_memory(const void* address);

}  // namespace nmt::collectives
